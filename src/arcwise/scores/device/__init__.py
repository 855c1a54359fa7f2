"""Batches of families scored on a graphics card: the same numbers as the kernels', to the last bit."""

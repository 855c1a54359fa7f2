"""Foundations that know nothing of networks: errors, checks of arguments, seeds, files, the machine."""

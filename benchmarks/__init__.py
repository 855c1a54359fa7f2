"""Measurements against peers and against the machine's limit; each module prints one report."""

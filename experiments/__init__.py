"""The papers' experiments, redone: one module for each paper, and one for each collection of data."""

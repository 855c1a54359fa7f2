"""Inputs that coverage guides, for every reader of files."""

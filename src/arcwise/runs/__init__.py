"""Runs of searches: their budget, what they show and note meanwhile, their result, checkpoints and files."""

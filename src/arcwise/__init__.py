"""arcwise learns the structure of Bayesian networks from discrete data."""

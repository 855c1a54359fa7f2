"""Bayesian networks: parameters, sampling, likelihood."""

from arcwise.network.network import BayesianNetwork

__all__ = ["BayesianNetwork"]

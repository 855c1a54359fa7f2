"""Bayesian networks: parameters, sampling, likelihood."""

from arcwise.network.distributions import ConditionalGaussian, Distribution, Table
from arcwise.network.network import BayesianNetwork

__all__ = ["BayesianNetwork", "ConditionalGaussian", "Distribution", "Table"]

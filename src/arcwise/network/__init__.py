"""Bayesian networks: parameters, sampling, likelihood."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.network.distributions import ConditionalGaussian, Distribution, Table
    from arcwise.network.network import BayesianNetwork

__all__ = ["BayesianNetwork", "ConditionalGaussian", "Distribution", "Table"]

names_later(
    __name__,
    {
        "distributions": "ConditionalGaussian Distribution Table",
        "network": "BayesianNetwork",
    },
)

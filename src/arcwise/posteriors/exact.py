"""Posteriors of few variables, summed over all graphs."""

from arcwise import _core
from arcwise.runs.budget import Budget
from arcwise.search.search import Problem
from arcwise.support.errors import ParameterError
from arcwise.support.machine import gigabytes
from arcwise.support.messages import Name, Setting, Text

__all__ = ["ExactSums", "chains_for", "exact_bytes", "exact_sums"]

ExactSums = _core.ExactPosterior


def exact_bytes(n_variables: int) -> float:
    """Return the memory that sums over all graphs take.

    Examples
    --------
    >>> round(exact_bytes(20) / 2**20)
    128
    """
    return _core.exact_posterior_bytes(n_variables)


def exact_sums(problem: Problem, prior: str, memory: int, workers: int, budget: Budget) -> ExactSums:
    """Sum over all graphs, or over all orders; see `arcwise.posterior`.

    Parameters
    ----------
    problem
        The score, and what the graphs must and must not have.
    prior
        ``graphs`` or ``orders``.
    memory
        Bytes.
    workers
        Threads.
    budget
        When to give up.
    """
    n, most = len(problem.names), _core.max_lattice_variables
    instead = ("; take ", chains_for(prior))
    if n > most:
        raise ParameterError(
            f"exact posteriors are sums over all subsets of at most {most} variables, not {n}", *instead
        )
    needed = exact_bytes(n)
    if needed > memory:
        raise ParameterError(
            f"exact posteriors of {n} variables take {gigabytes(int(needed))}, more than ",
            Name("memory"),
            f" allows ({gigabytes(memory)})",
            *instead,
        )
    rules = problem.rules
    required = [rules.required_parents(child) for child in range(n)]
    optional = [rules.optional_parents(child).tolist() for child in range(n)]
    limits = rules.max_parents.tolist()
    kind = _core.GraphPrior.orders if prior == "orders" else _core.GraphPrior.graphs
    core = problem.score.core
    return budget.run(lambda: _core.exact_posterior(core, required, optional, limits, kind, workers, budget.core))


def chains_for(prior: str) -> Text:
    """Return the arguments that take chains in place of exact sums, which are not for the prior over orders.

    Examples
    --------
    >>> from arcwise.support.messages import said
    >>> said(chains_for("graphs")), said(chains_for("orders"))
    ("method='partition'", "prior='graphs' and method='partition'")
    """
    partition = Setting("method", "partition")
    return partition if prior == "graphs" else (Setting("prior", "graphs"), " and ", partition)

"""Searches over directed acyclic graphs."""

from arcwise.search.dags.greedy import greedy

__all__ = ["greedy"]

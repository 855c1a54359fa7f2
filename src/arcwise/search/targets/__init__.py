"""Graphs around one variable, the target: classifiers, and its Markov blanket."""

from arcwise.search.targets.classifiers import NaiveBayes, Tan, naive_bayes, tan
from arcwise.search.targets.markov_blanket import MarkovBlanket, markov_blanket

__all__ = ["MarkovBlanket", "NaiveBayes", "Tan", "markov_blanket", "naive_bayes", "tan"]

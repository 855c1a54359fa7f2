"""Graphs around one variable, the target: classifiers, and its Markov blanket."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.search.targets.classifiers import NaiveBayes, Tan, naive_bayes, tan
    from arcwise.search.targets.markov_blanket import MarkovBlanket, markov_blanket

__all__ = ["MarkovBlanket", "NaiveBayes", "Tan", "markov_blanket", "naive_bayes", "tan"]

names_later(
    __name__,
    {
        "classifiers": "NaiveBayes Tan naive_bayes tan",
        "markov_blanket": "MarkovBlanket markov_blanket",
    },
)

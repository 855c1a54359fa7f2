"""A Bayesian network as a classifier."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from arcwise.data.values import labels_of_values
from arcwise.estimator.base import NetworkEstimator  # which says what to install where scikit-learn is not there
from arcwise.support.errors import DataError

from sklearn.base import ClassifierMixin  # isort: skip
from sklearn.utils.multiclass import check_classification_targets  # isort: skip

__all__ = ["BayesianNetworkClassifier"]


class BayesianNetworkClassifier(ClassifierMixin, NetworkEstimator):  # type: ignore[misc]
    """Bayesian network around a class, as a classifier of scikit-learn.

    `fit` takes the classes as `y`, each of which is a state of one variable of the network; `predict` gives the most
    probable one given all other columns, `predict_proba` the probability of each, exactly; `score` is the accuracy. The
    tools of scikit-learn know it for a classifier: ``cross_val_score`` divides the rows so that each part has its share
    of each class.

    Parameters
    ----------
    method
        The search, by its name or with its options, as `arcwise.learn` takes it; None leaves the choice to that. Those
        that are made for classes are ``"naive-bayes"``, ``"tan"`` and ``"markov-blanket"``: the classes are their
        target.
    target
        What the variable of the classes is called; by default as the series of y is, or else ``y``.
    criterion, ess, time_limit, evaluation_limit, constraints, options, discretise, continuous, max_numbers, missing, \
    max_states, min_count, handle_unknown, n_jobs, random_state
        As in `BayesianNetworkLearner`. ``discretise="mdlp"`` cuts columns where that tells the classes apart.

    Attributes
    ----------
    classes_
        The classes, sorted: the columns of `predict_proba`.
    network_, dag_, result_, categories_, target_, steps_, n_features_in_, feature_names_in_
        As in `BayesianNetworkLearner`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> x, y = load_wine(return_X_y=True, as_frame=True)
    >>> classifier = BayesianNetworkClassifier(method="naive-bayes", random_state=1)
    >>> bool((cross_val_score(classifier, x, y, cv=5) > 0.9).all())
    True
    """

    _has_classes = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Learn the network of a table and its classes.

        Parameters
        ----------
        X
            A frame (pandas, polars, pyarrow) or a two-dimensional array. Columns without names are called X0, X1, ….
        y
            The class of each row.
        sample_weight
            How often each row was seen: whole numbers. A row of weight 0 is not looked at.
        """
        self._refuse_other_targets(y)
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """Take in more rows: the first ones as `fit` does, later ones into the distributions alone.

        Structure, states and cuts stay those of the first rows; the distributions are exactly those that all rows
        together have.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes
            All classes that there can be; needed in the first call if its rows do not have them all.
        """
        self._refuse_other_targets(y)
        if hasattr(self, "network_"):
            return self._add(X, y, sample_weight)
        return self._fit(X, y, sample_weight, None if classes is None else labels_of_values(np.unique(classes)))

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:  # noqa: N803
        """Natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _refuse_other_targets(self, y: Any) -> None:
        if y is None:
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; pass the class labels"
            )
        check_classification_targets(y)

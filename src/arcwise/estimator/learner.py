"""A Bayesian network as an estimator of densities."""

from typing import Any, Self

import numpy as np

from arcwise.estimator.base import NetworkEstimator  # which says what to install where scikit-learn is not there

from sklearn.base import DensityMixin  # isort: skip

__all__ = ["BayesianNetworkLearner"]


class BayesianNetworkLearner(DensityMixin, NetworkEstimator):  # type: ignore[misc]
    """Bayesian network of a table, structure and distributions, as an estimator of scikit-learn.

    It is a density estimator: `score` is the mean log-likelihood, by which ``GridSearchCV`` chooses unless told
    otherwise. It also predicts any of its variables from all others: the most probable state of a discrete one
    (`predict`, `predict_proba`: classification), the mean of a continuous one (`predict`, `predict_interval`:
    regression).

    Strings, booleans, categories and whole numbers of few values are states as they are. Other numbers are continuous:
    each is a linear function of its parents with Gaussian noise, and one for each of their states where parents are
    discrete. `discretise` cuts them into states instead, and new data at the same points.

    Parameters
    ----------
    method
        The search, by its name or with its options, as `arcwise.learn` takes it; None leaves the choice to that. Where
        it is about a target, as ``"markov-blanket"`` is, that is the target of the estimator.
    criterion
        What the search maximises: a name, such as bic or bdeu, or an object such as ``BDeu(ess=10)``; ``"auto"`` picks
        one by the size of the data, as `arcwise.learn` does.
        (`score` is a method of every estimator.)
    ess
        Equivalent sample size of the prior for the probabilities of states, see `BayesianNetwork.fit`. With 0 they are
        relative frequencies: new rows may be impossible, with a `score` of minus infinity and no prediction.
    time_limit
        Seconds for the search; None leaves its end to the method.
    evaluation_limit
        Local scores that may be counted. Unlike a time limit, it keeps results reproducible.
    constraints
        What the graph must and must not have.
    options
        What else the method takes, such as ``{"climbs": 10}``.
    target
        The variable that `predict` is about unless told otherwise: a column of X by name or index. With a `y`, that is
        the target, and this its name.
    discretise
        None (default) cuts nothing. A method, ``"quantile"``, ``"width"``, ``"adaptive"`` or an object such as
        ``Quantile(5)``, cuts all columns that would be continuous; a dict has methods for the columns it names, and
        under ``"*"`` for all others that would be continuous.
    continuous
        None (default) leaves it to the values which numeric columns are continuous: those that are fractional, and
        whole numbers of many values. True takes all of them, a target of few whole numbers too; False none; a dict has
        True or False for the columns it names. See `Dataset.from_frame`.
    max_numbers
        Whole numbers of more different values than this are continuous, unless they are the target, of which each
        number is a class up to `max_states` of them.
    missing
        What missing values do in `fit`: ``"error"``, ``"drop"`` (leave the row out), ``"state"`` (make them a state
        of their own, which continuous columns cannot have), ``"pairwise"`` (learn each family from the rows that have
        all of it) or ``"em"`` (structural EM; `arcwise.structural_em`). Later, only columns in which they are a state
        may have some.
    max_states
        Most states that any column may have. Numbers of more different values are continuous, the target's too.
    min_count
        States that are seen less often are grouped into one, "other", in all columns but the target; a dict has numbers
        for the columns it names. None groups nothing. See `Dataset.from_frame`.
    handle_unknown
        What new rows do whose states `fit` has not seen: ``"ignore"`` takes the value for one that is not known, with a
        warning, ``"error"`` refuses it.
    n_jobs
        Threads of the search, as scikit-learn counts them: -1 for all cores. None has one for each usable core. They do
        not change the result.
    random_state
        A seed, a numpy ``RandomState``, or None for numpy's own; what the search leaves to chance.

    Attributes
    ----------
    network_
        The `BayesianNetwork`.
    dag_
        Its graph.
    result_
        The `Result` of the search: score, trace, why it ended.
    categories_
        For each discrete variable the values of its states, sorted as scikit-learn's metrics want them: the columns of
        `predict_proba`. Intervals stand as they are on the line.
    target_
        The name of the target, or None.
    classes_
        The values of the target; only with a target that is discrete.
    steps_
        What was done to columns on the way: cuts, states for missing values, rows dropped.
    n_features_in_
        Number of columns of X.
    feature_names_in_
        Their names; only where X has names that are strings.

    Notes
    -----
    A value that `fit` has not seen has no probability: with ``handle_unknown="ignore"`` the rest of its row counts, and
    it is as if the value were missing. Where test data may have states that training data lacks, declare them: as
    categories of a pandas column, or a polars ``Enum``. With `ess` above 0 they then have a probability. Continuous
    values are never unseen, however far out.

    In mixed data, discrete variables have discrete parents only: with the score ``dg``, which allows others too, forbid
    them with `constraints`, or there are no distributions. A discrete target is thus a parent of the continuous
    features that it has to do with, and its probabilities come from their densities.

    Examples
    --------
    >>> from arcwise.simulation.examples import load_example
    >>> frame = load_example("asia").sample(2000, seed=1).to_frame("pandas")
    >>> learner = BayesianNetworkLearner(target="bronc", random_state=1).fit(frame)
    >>> learner.classes_
    array(['no', 'yes'], dtype=object)
    >>> bool((learner.predict(frame) == frame["bronc"]).mean() > 0.8)
    True

    >>> x = np.random.default_rng(1).normal(size=(1000, 3))
    >>> learner = BayesianNetworkLearner(random_state=1).fit(x[:, :2], 3 * x[:, 0] - x[:, 1] + 0.1 * x[:, 2])
    >>> learner.predict([[1.0, 1.0], [0.0, 2.0]]).round(1)
    array([ 2., -2.])
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """Learn the network of a table.

        Parameters
        ----------
        X
            A frame (pandas, polars, pyarrow) or a two-dimensional array. Columns without names are called X0, X1, ….
        y
            One more column, of states or numbers, which becomes the target. It is called what `target` says, or else as
            its series is, or else ``y``.
        sample_weight
            How often each row was seen: whole numbers. A row of weight 0 is not looked at.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """Take in more rows: the first ones as `fit` does, later ones into the distributions alone.

        Structure, states and cuts stay those of the first rows; the distributions are exactly those that all rows
        together have, as their counts (of continuous columns their moments) are added up. What later rows have that the
        first ones had not is handled as `handle_unknown` says. Not for ``missing="em"``.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        """
        if not hasattr(self, "network_"):
            return self._fit(X, y, sample_weight)
        return self._add(X, y, sample_weight)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: N803
        """Mean of `score_samples`: the log-likelihood per row, or per observation with weights. Larger is better."""
        return float(np.average(self.score_samples(X, y), weights=sample_weight))

"""The whole way from a table to a network with probabilities, as scikit-learn's estimators go it."""

from collections.abc import Mapping, Sequence
from math import log, pi
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self, cast, get_args

import numpy as np
import numpy.typing as npt

from arcwise.constraints.constraints import Constraints
from arcwise.data.columns import DEFAULT_MAX_STATES, OTHERS, Continuous, Missing, Unknown
from arcwise.data.dataset import Dataset
from arcwise.data.discretise import Method
from arcwise.data.missing import KEPT, MissingValues
from arcwise.data.state_values import sorted_states, state_values
from arcwise.data.tables import Table
from arcwise.data.values import Values, labels_of_values
from arcwise.graph.nodes import positions
from arcwise.learn import learn
from arcwise.network.known import Nodes, known_of
from arcwise.network.network import BayesianNetwork
from arcwise.network.prediction import gaussian_posteriors
from arcwise.network.tables import FamilyCounts
from arcwise.scores.definitions import Score
from arcwise.search.registry import search_named
from arcwise.search.search import Search, options_of
from arcwise.support.arguments import count, either_spelling
from arcwise.support.errors import MissingLibraryError, ParameterError
from arcwise.support.later import later
from arcwise.support.messages import Name, Setting
from arcwise.support.names import index_of, one_of
from arcwise.support.quoting import quoted

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = later("narwhals")

try:
    from joblib import effective_n_jobs  # type: ignore[import-untyped]
    from sklearn.base import BaseEstimator
    from sklearn.utils import Tags, check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data

    from arcwise.estimator.tables import (
        counts_of_rows,
        distinct_rows,
        is_frame,
        kinds_of_columns,
        seen_rows,
        table_of_x,
        with_y,
    )
except ImportError as error:
    raise MissingLibraryError(
        "the estimators need scikit-learn 1.6 or later; install it with: pip install 'arcwise[sklearn]'"
    ) from error

__all__ = ["NetworkEstimator"]

Floats = npt.NDArray[np.float64]

#: What is done about values that `fit` has not seen, by the words of scikit-learn and by those of `Dataset`.
_UNKNOWN: dict[str, Unknown] = {"error": "error", "ignore": "gap"}


class NetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """What the estimators have in common: a table becomes a network, and that answers for new rows."""

    _has_classes = False  # whether each value of y is a state, however many there are

    @either_spelling
    def __init__(
        self,
        *,
        method: str | Search | None = None,
        criterion: str | Score = "auto",
        ess: float = 1.0,
        time_limit: float | None = None,
        evaluation_limit: int | None = None,
        constraints: Constraints | None = None,
        options: Mapping[str, Any] | None = None,
        target: str | int | None = None,
        discretise: Method | Mapping[str, Method] | None = None,
        continuous: Continuous = None,
        max_numbers: int = 20,
        missing: MissingValues = "error",
        max_states: int = DEFAULT_MAX_STATES,
        min_count: int | Mapping[str, int] | None = None,
        handle_unknown: str = "ignore",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.ess = ess
        self.time_limit = time_limit
        self.evaluation_limit = evaluation_limit
        self.constraints = constraints
        self.options = options
        self.target = target
        self.discretise = discretise
        self.continuous = continuous
        self.max_numbers = max_numbers
        self.missing = missing
        self.max_states = max_states
        self.min_count = min_count
        self.handle_unknown = handle_unknown
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Any, y: Any, sample_weight: Any, classes: Sequence[str] | None = None) -> Self:  # noqa: N803
        """Learn the network; with classes, these are the states of y."""
        one_of("handle_unknown", self.handle_unknown, _UNKNOWN)
        table = table_of_x(X, allow_nan=self._allows_nan)
        features, target = table.names, self._name_of_target(table.names, y)
        if y is not None:
            table = with_y(table, str(target), y, allow_nan=self._allows_nan)
        weights = counts_of_rows(sample_weight, table)
        table, weights = seen_rows(table, weights)
        if self._has_classes and classes is None:
            classes = labels_of_values(Values(str(target), table.column(str(target))).plain().distinct)
        most = count("max_numbers", self.max_numbers, least=1)
        methods, continuous = kinds_of_columns(table, self.discretise, self.continuous, most=most, but=target)
        one_of("missing", self.missing, get_args(MissingValues))
        data = Dataset.from_table(
            table,
            missing=self._missing_in_data(self.missing),
            discretise=methods,
            max_states=self.max_states,
            continuous=continuous,
            min_count=self._counts_of_states(target),
            weights=weights,
            states=None if classes is None else {str(target): classes},
        )
        data = distinct_rows(data)
        result = learn(
            data,
            score=self.criterion,
            seed=_seed(self.random_state),
            time_limit=self.time_limit,
            evaluation_limit=self.evaluation_limit,
            constraints=self.constraints,
            missing="em" if self.missing == "em" else "error",
            workers=None if self.n_jobs is None else effective_n_jobs(self.n_jobs),
            **{"certify": 0, "progress": False, **self._options(str(target))},
        )
        network = result.network(ess=self.ess)
        validate_data(self, X, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        # From here on nothing fails: what an earlier fit has left is replaced as a whole.
        self.result_, self.dag_, self.network_ = result, result.dag, network
        self._values = state_values(table, data)
        self._order = sorted_states(self._values, data)
        self.categories_ = {name: values[self._order[name]] for name, values in self._values.items()}
        self.target_, self.steps_ = target, data.steps
        self.__dict__.pop("classes_", None)
        if target in self.categories_:
            self.classes_ = self.categories_[target]
        self._features = features
        self._backend = nw.from_native(X, eager_only=True).implementation if is_frame(X) else None
        numbers = None if data.numbers is None else data.numbers[:1].copy()
        self._coding = Dataset(data.codes[:1].copy(), data.names, data.states, steps=data.steps, numbers=numbers)
        self._counts = FamilyCounts.of(self.dag_, data) if self.missing != "em" else None
        return self

    def _add(self, X: Any, y: Any, sample_weight: Any) -> Self:  # noqa: N803
        """Add rows to the counts of the network's families."""
        if self._counts is None:
            raise ParameterError(
                "partial_fit is not for ", Setting("missing", "em"), ", whose counts depend on the network itself"
            )
        data = self._coded(X, y)
        weights = counts_of_rows(sample_weight, data)
        data = data if weights is None else data.with_weights(weights)
        self._counts = self._counts + FamilyCounts.of(self.dag_, data)
        self.network_ = BayesianNetwork.fit(self.dag_, self._counts, ess=self.ess)
        return self

    def _counts_of_states(self, target: str | None) -> dict[str, int] | None:
        """How often states must be seen to stay by themselves; those of the target always do."""
        if self.min_count is None:
            return None
        given = dict(self.min_count) if isinstance(self.min_count, Mapping) else {OTHERS: self.min_count}
        return given if target is None or target in given or self._has_classes else {**given, target: 1}

    def predict(self, X: Any, target: str | int | None = None) -> npt.NDArray[Any]:  # noqa: N803
        """Most probable value of the target given the rest of each row, or its mean if it is continuous.

        Parameters
        ----------
        X
            The columns that `fit` has had; that of the target is not looked at, and may be missing.
        target
            The variable, by name or index; by default that of the estimator.
        """
        check_is_fitted(self, "network_")
        name = self._target(target)
        if name not in self.categories_:
            return self.network_.predict(self._coded(X, without=name), name)
        probabilities = self.predict_proba(X, name)
        values: npt.NDArray[Any] = self.categories_[name][probabilities.argmax(axis=1)]
        return values

    def predict_proba(self, X: Any, target: str | int | None = None) -> Floats:  # noqa: N803
        """Probability of each value of a discrete target given the rest of each row, exactly.

        The columns are in the order of ``classes_``, or of ``categories_[target]`` for another target; otherwise as
        `predict`.

        Raises
        ------
        ParameterError
            If the target is continuous; see `predict` and `predict_interval`.
        """
        check_is_fitted(self, "network_")
        name = self._target(target)
        if name not in self.categories_:
            raise ParameterError(
                f"{quoted(name)} is continuous and has no states to give probabilities of; predict has its mean, and "
                "predict_interval says how far from that it may be; for probabilities of intervals, fit with "
                f"discretise={{{quoted(name)}: 'quantile'}}"
            )
        return self.network_.predict_proba(self._coded(X, without=name), name)[:, self._order[name]]

    def predict_interval(self, X: Any, target: str | int | None = None, *, level: float = 0.95) -> Floats:  # noqa: N803
        """Bounds between which a continuous target is with this probability, given the rest of each row.

        They are equally far from the mean, and those of the fitted network: that its numbers are estimates is not
        allowed for.

        Parameters
        ----------
        X, target
            As in `predict`.
        level
            The probability, between 0 and 1.

        Returns
        -------
        numpy.ndarray
            A row for each row of X, with the lower and the upper bound.
        """
        check_is_fitted(self, "network_")
        name = self._target(target)
        return self.network_.predict_interval(self._coded(X, without=name), name, level=level)

    def score_samples(self, X: Any, y: Any = None) -> Floats:  # noqa: N803
        """Natural logarithm of the probability of each row, or of its density if there are continuous variables.

        Parameters
        ----------
        X
            The columns that `fit` has had.
        y
            The target, where `fit` has had one. Without it, it is the probability or density of X alone.
        """
        check_is_fitted(self, "network_")
        if self.target_ is None or self.target_ in self._features:
            return self.network_.log_likelihoods(self._coded(X))
        if y is not None:
            return self.network_.log_likelihoods(self._coded(X, y))
        return self._log_marginals(self._coded(X), self.target_)

    def sample(self, n_samples: int = 1, random_state: int | np.random.RandomState | None = None) -> Any:
        """Rows drawn from the network: a frame or an array, as X was, with a last column for y if there was one.

        Continuous columns have numbers, discretised ones the labels of their intervals. An array whose columns are not
        all of numbers, or all of one other type, is one of objects.

        Parameters
        ----------
        n_samples
            How many.
        random_state
            As that of the estimator.
        """
        check_is_fitted(self, "network_")
        data = self.network_.sample(n_samples, seed=_seed(random_state))
        columns = {
            name: self._values[name][data.codes[:, v]] if data.arities[v] else data.numbers_of(name)
            for v, name in enumerate(data.names)
        }
        if self._backend is not None:
            return nw.from_dict(columns, backend=self._backend).to_native()
        kinds = {values.dtype.kind for values in columns.values()}
        is_one_type = len(kinds) == 1 or kinds == {"i", "f"}
        return np.column_stack([v if is_one_type else v.astype(object) for v in columns.values()])

    def _options(self, target: str) -> dict[str, Any]:
        """What `learn` gets besides: the method's name and its options, and what it is about where it takes that."""
        if self.options is not None and not isinstance(self.options, Mapping):
            raise ParameterError.of("options", "a dict from names to values", self.options)
        options = dict(self.options or {})
        taken = sorted({"method", "score", "seed", "time_limit", "evaluation_limit", "constraints"} & options.keys())
        if taken:
            raise ParameterError(
                Name("options"), f" holds {quoted(taken[0])}, for which {type(self).__name__} has a parameter"
            )
        if self.method is None:
            return options
        search = self.method if isinstance(self.method, Search) else search_named(self.method, "auto")
        if "target" in options_of(type(search)):
            options = {"target": target, **options}
        return {**options, "method": self.method}

    def _log_marginals(self, data: Dataset, target: str) -> Floats:
        """Natural logarithm of the probability or density of each row without the target, which it lacks."""
        names, states, arity = (*data.names, target), self.network_.states, self.network_.arities[-1]
        if data.has_gaps:
            codes = np.column_stack([data.codes.astype(np.uint16), np.full(data.n_rows, arity, dtype=np.uint16)])
            unknown = [] if arity else [np.full(data.n_rows, np.nan)]
            columns = [*(() if data.numbers is None else data.numbers.T), *unknown]
            numbers = np.column_stack(columns) if columns else None
            return self.network_.log_likelihoods(Dataset(codes, names, states, numbers=numbers))
        if not arity:
            return self._log_densities_without(data, target)
        tables = (np.column_stack([data.codes, np.full(data.n_rows, state)]) for state in range(arity))
        joint = [
            self.network_.log_likelihoods(Dataset(codes.astype(np.uint16), names, states, numbers=data.numbers))
            for codes in tables
        ]
        return np.asarray(np.logaddexp.reduce(joint, axis=0), dtype=np.float64)

    def _log_densities_without(self, data: Dataset, target: str) -> Floats:
        """Logarithm of the density of each row without a continuous target: of the joint over the conditional one.

        It is the same wherever the target is; at its mean given the rest, the conditional one is greatest.
        """
        network = self.network_
        nodes = Nodes(network.dag, network.states)
        means, deviations = gaussian_posteriors(nodes, network.distributions, known_of(nodes, data), target)
        codes = np.column_stack([data.codes, np.zeros(data.n_rows, dtype=data.codes.dtype)])
        numbers = np.column_stack([means] if data.numbers is None else [data.numbers, means])
        joint = network.log_likelihoods(Dataset(codes, (*data.names, target), network.states, numbers=numbers))
        return joint + np.log(deviations) + log(2 * pi) / 2

    @property
    def _allows_nan(self) -> bool:
        return self.missing != "error"

    def _name_of_target(self, features: Sequence[str], y: Any) -> str | None:
        if y is None:
            return None if self.target is None else features[index_of(self.target, positions(features))]
        if self.target is not None and not isinstance(self.target, str):
            raise ParameterError(
                Setting("target", self.target), " is a column of X; leave out y, or make target the name of y"
            )
        own = getattr(y, "name", None)
        name = self.target or (str(own) if isinstance(own, str | Integral) else "y")
        if name in features:
            raise ParameterError(
                f"X has a column {quoted(name)} already, which is also the name of y; leave it out of X, or leave out "
                "y and say ",
                Setting("target", name),
                ", or give y another name with ",
                Setting("target"),
            )
        return name

    def _target(self, target: str | int | None) -> str:
        """Name of the variable to predict."""
        names = self.network_.names
        chosen = self.target_ if target is None else names[index_of(target, positions(names))]
        if chosen is None:
            raise ParameterError(
                "there is no ",
                Name("target"),
                ": fit with a y, or name one of the variables with ",
                Setting("target"),
                f", here or for all calls in {type(self).__name__}(target=…)",
            )
        if self.target_ not in (None, chosen, *self._features):
            raise ParameterError(
                f"the network was fitted with {quoted(self.target_)} as a y, which X does not hold, so that only "
                f"{quoted(self.target_)} can be predicted; to predict {quoted(chosen)}, fit with all columns in X and "
                "no y"
            )
        return chosen

    def _coded(self, X: Any, y: Any = None, *, without: str | None = None) -> Dataset:  # noqa: N803
        """New data, with the states and cuts of that of `fit`; one variable may be left out, and then missing in X."""
        table = table_of_x(X, allow_nan=self._allows_nan)
        names = tuple(name for name in self._features if name != without)
        if len(table.names) == len(names) < len(self._features):
            has_names = hasattr(self, "feature_names_in_") and is_frame(X)
            table = table.ordered(names) if has_names else Table(names, table.columns)
        else:
            validate_data(self, X, reset=False, skip_check_array=True)
            table = Table(self._features, table.columns).without(without)
        if y is not None:
            table = with_y(table, str(self.target_), y, allow_nan=self._allows_nan)
        missing = self._missing_in_data("error" if self.missing not in KEPT else self.missing)
        unknown = _UNKNOWN[one_of("handle_unknown", self.handle_unknown, _UNKNOWN)]
        return Dataset.from_table(table, like=self._coding.select(table.names), missing=missing, unknown=unknown)

    @staticmethod
    def _missing_in_data(missing: MissingValues) -> Missing:
        """What is done about missing values when data is read."""
        return "keep" if missing in KEPT else cast("Missing", missing)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = self._allows_nan
        return tags


def _seed(random_state: int | np.random.RandomState | None) -> int:
    """Seed: the given one, or one drawn from the given or numpy's own generator."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))

import itertools
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from arcwise.data import Adaptive, Cuts, Dataset, Discretisation, Discretiser, EqualWidth, Quantile
from arcwise.data.mixture import _crossings, kmeans_starts
from arcwise.support.errors import ArcwiseWarning, DataError, ParameterError

METHODS: list[Discretiser] = [Quantile(2), Quantile(5), EqualWidth(3), Cuts((-1.0, 0.0, 2.5)), Adaptive()]
numbers = st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=40)


def test_quantile_of_a_hand_sorted_list() -> None:
    # 10 values in 4 states: 2.5, 5 and 7.5 of them should lie up to the cuts; the 3rd, 5th and 8th are nearest.
    values = [8.5, 0.5, 3.5, 1.5, 9.5, 2.5, 4.5, 7.5, 5.5, 6.5]
    assert Quantile(4).cuts(values) == (2.5, 4.5, 7.5)


@given(k=st.integers(2, 6), m=st.integers(1, 8), seed=st.integers(0, 99))
def test_quantiles_of_distinct_values_are_equally_full(k: int, m: int, seed: int) -> None:
    values = np.random.default_rng(seed).permutation(k * m) + 0.5
    step = Discretisation("x", Quantile(k), Quantile(k).cuts(values))
    assert np.bincount(step.apply(values)).tolist() == [m] * k


def test_equal_width_of_a_known_range() -> None:
    assert EqualWidth(4).cuts([10.0, 2.0, 3.0]) == (4.0, 6.0, 8.0)
    assert EqualWidth(2).cuts([-1.7e308, 1.7e308]) == (0.0,)


@given(values=numbers, counts=st.data(), method=st.sampled_from(METHODS))
@settings(deadline=None)
def test_counts_mean_repeated_values(values: list[float], counts: st.DataObject, method: Discretiser) -> None:
    size = len(values)
    times = counts.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    assert method.cuts(values, times) == pytest.approx(method.cuts(np.repeat(values, times)))


@given(values=numbers, method=st.sampled_from(METHODS))
@settings(deadline=None)
def test_values_lie_in_the_interval_of_their_state(values: list[float], method: Discretiser) -> None:
    step = Discretisation("x", method, method.cuts(values))
    bounds = (-np.inf, *step.cuts, np.inf)
    assert all(a < b for a, b in itertools.pairwise(bounds))
    for value, code in zip(values, step.apply(values).tolist(), strict=True):
        assert bounds[code] < value <= bounds[code + 1]
    assert len(step.labels) == len(set(step.labels)) == len(step.cuts) + 1


@given(values=numbers, method=st.sampled_from(METHODS), seed=st.integers(0, 9))
@settings(deadline=None)
def test_cuts_do_not_depend_on_the_order_of_values(values: list[float], method: Discretiser, seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(values)
    assert method.cuts(shuffled) == method.cuts(values)


# Adaptive


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_adaptive_does_not_depend_on_the_unit(unit: float) -> None:
    values = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2])
    with np.errstate(all="raise", under="ignore"):
        (cut,) = Adaptive().cuts(values * unit)
    assert 0.2 * unit < cut < 5.0 * unit


@pytest.mark.parametrize("n_groups", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_adaptive_finds_well_separated_groups(n_groups: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = np.concatenate([generator.normal(8 * g, 1, 100 + 50 * g) for g in range(n_groups)])
    cuts = Adaptive().cuts(values)
    # Neighbouring centres are eight standard deviations apart, so that the cut is near the middle between them.
    assert cuts == pytest.approx([8 * g + 4 for g in range(n_groups - 1)], abs=1.0)


def test_adaptive_cut_is_where_two_equal_normals_cross() -> None:
    # Quantiles of the two normal distributions themselves, equally frequent and equally wide: they cross at 3.
    share = (np.arange(400) + 0.5) / 400
    values = np.concatenate([norm.ppf(share), norm.ppf(share, loc=6)])
    assert Adaptive().cuts(values) == pytest.approx([3.0], abs=1e-3)


def test_adaptive_cut_leans_towards_the_narrow_group() -> None:
    share = (np.arange(2000) + 0.5) / 2000
    values = np.concatenate([norm.ppf(share, 0, 0.2), norm.ppf(share, 6, 1.5)])
    # ln 0.2 + x^2 / 0.08 = ln 1.5 + (x - 6)^2 / 4.5 has the root 0.801 between the two means.
    assert Adaptive(max_states=2).cuts(values) == pytest.approx([0.801], abs=0.02)


def test_adaptive_keeps_its_limits() -> None:
    generator = np.random.default_rng(2)
    groups = np.concatenate([generator.normal(10 * g, 1, 100) for g in range(6)])
    assert len(Adaptive(2, 3).cuts(groups)) in (1, 2)
    assert len(Adaptive(6, 6).cuts(groups)) == 5
    assert len(Adaptive(3, 4).cuts(generator.normal(size=200))) in (2, 3)


def test_adaptive_of_few_values() -> None:
    assert Adaptive().cuts([1.5]) == ()
    assert Adaptive().cuts([1.5, 1.5]) == ()
    (cut,) = Adaptive().cuts([0.5, 0.5, 2.5])
    assert 0.5 <= cut < 2.5


def test_adaptive_pools_many_values_without_losing_the_groups() -> None:
    generator = np.random.default_rng(3)
    values = np.concatenate([generator.normal(0, 1, 60_000), generator.normal(8, 1, 40_000)])
    assert Adaptive().cuts(values) == pytest.approx([4.0], abs=0.2)


@given(
    values=st.lists(st.integers(-50, 50), min_size=2, max_size=9, unique=True),
    weights=st.lists(st.integers(1, 5), min_size=9, max_size=9),
)
@settings(deadline=None)
def test_kmeans_is_optimal(values: list[int], weights: list[int]) -> None:
    x, weight = np.sort(np.array(values, dtype=np.float64)), np.array(weights[: len(values)], dtype=np.float64)

    def cost(starts: tuple[int, ...]) -> float:
        total = 0.0
        for a, b in itertools.pairwise((*starts, x.size)):
            mean = np.average(x[a:b], weights=weight[a:b])
            total += float(weight[a:b] @ (x[a:b] - mean) ** 2)
        return total

    for k, starts in kmeans_starts(x, weight, min(4, x.size)).items():
        choices = itertools.combinations(range(1, x.size), k - 1)
        assert cost(tuple(starts.tolist())) == pytest.approx(min(cost((0, *choice)) for choice in choices), abs=1e-6)


# Labels and recorded steps


@pytest.mark.parametrize(
    ("cuts", "labels"),
    [
        ((), ("all",)),
        ((18.5, 65.0), ("<=18.5", "18.5..65", ">65")),
        ((-1.5, -0.0), ("<=-1.5", "-1.5..0", ">0")),
        ((1.0, 1.0 + 1e-9), ("<=1", "1..1.000000001", ">1.000000001")),
        ((1e-12, 2.5e30), ("<=1e-12", "1e-12..2.5e+30", ">2.5e+30")),
    ],
)
def test_labels_show_the_intervals(cuts: tuple[float, ...], labels: tuple[str, ...]) -> None:
    assert Discretisation("x", Quantile(), cuts).labels == labels


@given(low=st.floats(-1e300, 1e300), steps=st.integers(1, 5))
def test_labels_differ_however_close_the_cuts(low: float, steps: int) -> None:
    cuts = [low]
    for _ in range(steps):
        cuts.append(float(np.nextafter(cuts[-1], np.inf)))
    labels = Discretisation("x", Quantile(), tuple(cuts)).labels
    assert len(set(labels)) == len(cuts) + 1
    assert not any(character in label for label in labels for character in " ,;{}|\"'")


def test_a_value_equal_to_a_cut_is_below_it() -> None:
    step = Discretisation("age", Cuts((18, 65)), (18.0, 65.0))
    assert step.apply([17.9, 18, 18.1, 65, 65.1, np.inf]).tolist() == [0, 0, 1, 1, 2, 2]
    with pytest.raises(DataError, match="'age': value 1 is missing"):
        step.apply([1.0, np.nan])
    with pytest.raises(DataError, match="one column"):
        step.apply([[1.0]])


@pytest.mark.parametrize(
    ("discretise", "method"),
    [
        ("quantile", Quantile(3)),
        ("width", EqualWidth(3)),
        ("adaptive", Adaptive()),
        (Cuts((2.0,)), Cuts((2.0,))),
        ({"x": "width"}, EqualWidth(3)),
        ({"x": Quantile(2)}, Quantile(2)),
    ],
)
def test_the_dataset_records_what_was_done(discretise: Any, method: Discretiser) -> None:
    values = [0.5, 1.5, 2.5, 3.5, 9.5, 8.5]
    data = Dataset.from_frame(pl.DataFrame({"x": values, "n": [0, 1, 2, 0, 1, 2]}), discretise=discretise)
    (step,) = data.steps
    assert isinstance(step, Discretisation)
    assert step == Discretisation("x", method, method.cuts(values))
    assert data.states == (step.labels, ("0", "1", "2"))
    np.testing.assert_array_equal(data.codes[:, 0], step.apply(values))


def test_one_method_for_all_leaves_discrete_columns_alone() -> None:
    frame = pl.DataFrame(
        {"age": np.arange(300), "sex": ["m", "f"] * 150, "bmi": np.arange(300) / 7, "whole": [1.0, 2.0] * 150}
    )
    data = Dataset.from_frame(frame, discretise=Quantile(4))
    # 300 ages are more than max_states, so that they count as continuous; whole floats do not.
    assert data.arities == (4, 2, 4, 2)
    assert [step.column for step in data.steps if isinstance(step, Discretisation)] == ["age", "bmi"]


def test_columns_not_named_stay_numbers_or_are_refused() -> None:
    columns = {"x": [0.5, 1.5], "y": [0.5, 1.5]}
    assert Dataset.of(columns, discretise={"x": EqualWidth(2)}).arities == (2, 0)
    with pytest.raises(DataError, match="'y' is continuous"):
        Dataset.of(columns, discretise={"x": "width"}, continuous=False)


def test_a_star_stands_for_the_columns_that_are_not_named() -> None:
    columns = {"x": [0.5, 1.5, 2.5, 3.5], "y": [0.5, 1.5, 2.5, 3.5], "n": [0, 1, 2, 3]}
    data = Dataset.of(columns, discretise={"x": Cuts((1,)), "*": Quantile(2)})
    assert data.states == (("<=1", ">1"), ("<=1.5", ">1.5"), ("0", "1", "2", "3"))


def test_whole_numbers_are_cut_when_named() -> None:
    data = Dataset.of({"age": [3, 40, 70]}, discretise={"age": Cuts((18, 65))})
    assert data.states == (("<=18", "18..65", ">65"),)
    assert data.codes.ravel().tolist() == [0, 1, 2]


def test_weights_count_and_missing_values_do_not() -> None:
    data = Dataset.of({"x": [0.5, 1.5, None, 2.5]}, weights=[1, 1, 1, 8], discretise=Quantile(2), missing="state")
    # Ten observed values, eight of them 2.5: the most even division has two of them below.
    assert data.states == (("<=1.5", ">1.5", "missing"),)


def test_given_cuts_may_leave_states_empty() -> None:
    data = Dataset.of({"x": [0.5, 1.5]}, discretise=Cuts((1.0, 5.0, 9.0)))
    assert data.arities == (4,)


@pytest.mark.filterwarnings("ignore:.*single value")
@pytest.mark.parametrize(
    ("values", "method", "n_states"),
    [
        ([0.5, 0.5, 0.5, 0.5, 1.5], Quantile(3), 2),
        ([0.5, 1.5, 1.5, 1.5, 1.5], Quantile(3), 2),
        ([0.5, 0.5], Quantile(3), 1),
        ([0.5, 0.5, 0.5, 1.5, 1.5, 1.5], Quantile(3), 2),
        ([0.5, 0.5], EqualWidth(3), 1),
        ([0.5, 0.5], Adaptive(), 1),
    ],
)
def test_ties_that_leave_fewer_states_are_warned_about(values: list[float], method: Discretiser, n_states: int) -> None:
    with pytest.warns(ArcwiseWarning, match=f"'x'.* {n_states} state"):
        data = Dataset.of({"x": values}, discretise=method)
    assert data.arities == (n_states,)


@pytest.mark.parametrize("method", ["quantile", "width", "adaptive"])
def test_infinite_values_are_refused_with_their_row(method: str) -> None:
    frame = pl.DataFrame({"x": [None, 0.5, float("inf")]})
    with pytest.raises(DataError, match=r"'x', row 2 .*infinite"):
        Dataset.from_frame(frame, discretise=method, missing="state")
    data = Dataset.from_frame(frame, discretise=Cuts((1,)), missing="state")
    assert data.codes.ravel().tolist() == [2, 0, 1]


def test_only_numbers_can_be_cut() -> None:
    with pytest.raises(DataError, match="'x' has type String; only numbers"):
        Dataset.of({"x": ["a", "b"]}, discretise={"x": "quantile"})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quantile(1), "n_states of Quantile must be a whole number from 2"),
        (
            lambda: EqualWidth(2.5),  # type: ignore[arg-type]
            "n_states of EqualWidth",
        ),
        (lambda: Adaptive(1, 4), "min_states of Adaptive must be a whole number"),
        (lambda: Adaptive(4, 3), "min_states of Adaptive must be at most max_states \\(3\\), not 4"),
        (lambda: Cuts(()), "at least one"),
        (lambda: Cuts((1, 1)), "increasing"),
        (lambda: Cuts((1, np.inf)), "finite"),
        (
            lambda: Cuts("ab"),  # type: ignore[arg-type]
            "sequence of numbers",
        ),
        (
            lambda: Dataset.of({"x": [0.5, 1]}, discretise="kmeans"),
            "one of quantile, width, .*hartemink or Quantile",
        ),
        (lambda: Dataset.of({"x": [0.5, 1]}, discretise=cast("Any", Quantile)), "discretise must be one of"),
        (lambda: Dataset.of({"x": [0.5, 1]}, discretise={"x": 3}), "not 3"),  # type: ignore[dict-item]
    ],
)
def test_wrong_methods_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("values", "message"),
    [([], "no values"), ([0.5, np.nan], "missing or infinite"), (["a"], "numbers"), ([[0.5]], "one column")],
)
def test_wrong_values_are_refused(values: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Quantile(2).cuts(values)


parts = st.tuples(st.floats(0.05, 1.0), st.floats(-3.0, 3.0), st.floats(0.01, 2.0))


@given(st.lists(parts, min_size=2, max_size=5, unique_by=lambda part: part[1]))
def test_crossings_of_normal_densities_are_where_a_solver_finds_them(parts: list[tuple[float, float, float]]) -> None:
    share, mean, deviation = map(np.array, zip(*sorted(parts, key=lambda part: part[1]), strict=True))

    def lead(x: float, left: int) -> float:
        one, other = (np.log(share[i]) + norm.logpdf(x, mean[i], deviation[i]) for i in (left, left + 1))
        return float(one - other)

    ends = [(lead(mean[i], i), lead(mean[i + 1], i)) for i in range(len(parts) - 1)]
    assume(all(abs(value) > 1e-9 for pair in ends for value in pair))
    found = _crossings(share, mean, deviation)
    if all(first > 0 > last for first, last in ends):
        expected = [brentq(lead, mean[i], mean[i + 1], args=(i,)) for i in range(len(parts) - 1)]
        assert found is not None
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    else:
        assert found is None

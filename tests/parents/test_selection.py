"""Selected tables hold exactly the parent sets that they must hold, whatever the score, the method and the rules."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import oracles_selection
from arcwise import _core
from arcwise.constraints.constraints import Constraints
from arcwise.data.dataset import Dataset
from arcwise.learn import learn
from arcwise.parents.neighbourhoods import score_filter
from arcwise.parents.selection import SELECTIONS, Limits, Selected, select
from arcwise.runs.budget import Budget
from arcwise.runs.result import Status
from arcwise.scores import BDeu, BDs, LocalScore, Score, score_named
from arcwise.support.errors import ParameterError
from oracles_selection import BestFirst, Families, Parents, Rules, best_proper_subset, subsets, worth_keeping
from score_cases import COUNTED
from tables import dependent_table

NO_LIMITS = Limits(time_per_variable=None)
ALL_SCORES: list[Score] = [*(COUNTED[name]() for name in COUNTED), BDeu(0.01), BDeu(100), BDs(0.01), BDs(100)]

every_score = pytest.mark.parametrize("score", ALL_SCORES, ids=str)
every_method = pytest.mark.parametrize("method", SELECTIONS)


def few_rows(n_rows: int, arities: list[int], *, weighted: bool = False, seed: int = 0) -> Dataset:
    """Columns that follow one another, with the higher states rare, so that many configurations are not seen."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, len(arities)), dtype=np.int64)
    for v, arity in enumerate(arities):
        codes[:, v] = np.floor(arity * rng.random(n_rows) ** 2)
        if v:
            follows = rng.random(n_rows) < 0.6
            codes[follows, v] = codes[follows, rng.integers(v)] % arity
    weights = rng.integers(0, 9, n_rows) if weighted else None
    if weights is not None:
        weights[0] = 3
    return Dataset.from_codes(codes, arities=arities, weights=weights)


def with_useless_columns(n_rows: int, seed: int) -> Dataset:
    """Three columns, one that is constant though it has two states, one with one state, and a copy of the first."""
    codes = few_rows(n_rows, [3, 3, 2], seed=seed).codes
    constant = np.zeros(n_rows, dtype=np.int64)
    return Dataset.from_codes(np.column_stack([codes, constant, constant, codes[:, 0]]), arities=[3, 3, 2, 2, 1, 3])


@cache
def tables() -> dict[str, Dataset]:
    return {
        "one row": few_rows(1, [2, 3, 2, 2]),
        "mixed arities": few_rows(60, [2, 3, 2, 4], seed=1),
        "many rows": few_rows(2000, [2, 3, 2, 2, 3], seed=2),
        "useless columns": with_useless_columns(40, seed=3),
        "weights": few_rows(30, [2, 3, 1, 2, 3, 2], weighted=True, seed=4),
        "seven binary": few_rows(120, [2] * 7, seed=5),
        "wide column": few_rows(12, [3, 70, 2, 2, 3], seed=6),
        "two bytes": few_rows(25, [2, 300, 3, 2], weighted=True, seed=7),
    }


@cache
def counted(table: Dataset) -> list[dict[Parents, oracles.Counts]]:
    """What all scores share for each child of a table: counting by definition takes most of the time."""
    return [{} for _ in range(table.n_variables)]


@cache
def families_of(table: Dataset, score: Score) -> list[Families]:
    return [Families(score.name, table, child, score.parameter, known) for child, known in enumerate(counted(table))]


def families(table: str, score: Score) -> list[Families]:
    return families_of(tables()[table], score)


@cache
def seven_binary_columns() -> Dataset:
    return dependent_table(200, (2,) * 7, seed=3)  # few candidates: each batch has all extensions


@cache
def columns_of_many_arities() -> Dataset:
    return dependent_table(300, (3, 2, 5, 2, 4, 2, 6, 3, 2, 5, 2, 3, 4), seed=5)


def indices(data: Dataset, parents: tuple[str, ...]) -> Parents:
    return frozenset(map(data.index, parents))


def check_child(selected: Selected, data: Dataset, child: int, scores: dict[Parents, float]) -> None:
    """The child has the sets of `scores` that beat all their subsets, but for what rounding decides."""
    found = {indices(data, parents): score for score, parents in selected.sets.sets(child)}
    assert found.keys() <= scores.keys()
    assert found == pytest.approx({parents: scores[parents] for parents in found}, rel=1e-9, abs=1e-8)
    assert worth_keeping(scores, margin=1e-7) <= found.keys() <= worth_keeping(scores, margin=-1e-7)


def check_complete(selected: Selected) -> None:
    assert selected.is_exact
    assert selected.status == Status.COMPLETE


@every_method
@pytest.mark.parametrize("table", tables())
@every_score
def test_without_limits_the_table_is_exact(method: str, table: str, score: Score) -> None:
    data = tables()[table]
    local_score = LocalScore(data, score)
    selected = select(local_score, method=method, limits=NO_LIMITS, constraints=Constraints(join_constants=True))
    check_complete(selected)
    assert selected.complete == (True,) * data.n_variables
    assert selected.method == method
    for child, family in enumerate(families(table, score)):
        check_child(selected, data, child, family.scores(subsets(family.others)))
        for found, parents in selected.sets.sets(child):
            assert found == pytest.approx(local_score.local(child, parents), rel=1e-11, abs=1e-9)


@every_score
def test_parents_that_add_nothing_are_left_out(score: Score) -> None:
    """A set that has the score of one of its subsets does not beat it, however the sums were rounded."""
    for method in SELECTIONS:
        for seed in range(8):
            data = with_useless_columns(20 + 20 * seed, seed)
            selected = select(LocalScore(data, score), method=method, limits=NO_LIMITS)
            for child in range(data.n_variables):
                scores = {indices(data, parents): value for value, parents in selected.sets.sets(child)}
                gains = {parents: value - best_proper_subset(scores, parents) for parents, value in scores.items()}
                assert min(gains.values()) > 1e-10, (method, seed, child, min(gains, key=gains.__getitem__))


@pytest.mark.parametrize("name", COUNTED)
def test_all_methods_agree_about_more_variables(name: str) -> None:
    data = dependent_table(200, (2, 3, 2, 2) * 3, seed=4)
    limits = Limits(max_parents=4 if name == "loglik" else None, time_per_variable=None)
    score = LocalScore(data, name)
    first, *others = (select(score, method=method, limits=limits) for method in SELECTIONS)
    for child in range(data.n_variables):
        expected = {parents: value for value, parents in first.sets.sets(child)}
        for other in others:
            check_complete(other)
            assert {parents: value for value, parents in other.sets.sets(child)} == pytest.approx(expected, rel=1e-10)


@every_method
@pytest.mark.parametrize("most", [0, 1, 2, 3, 99])
@pytest.mark.parametrize("name", COUNTED)
def test_sets_have_at_most_max_parents(method: str, most: int, name: str) -> None:
    data, score = tables()["seven binary"], score_named(name)
    selected = select(LocalScore(data, score), method=method, limits=Limits(max_parents=most, time_per_variable=None))
    check_complete(selected)
    for child, family in enumerate(families("seven binary", score)):
        check_child(selected, data, child, family.scores(subsets(family.others, most)))


RULES = {
    "required": Rules(required=[("X0", "X3"), ("X5", "X3"), ("X3", "X1")]),
    "forbidden": Rules(forbidden=[("X0", "X1"), ("X1", "X0"), ("X6", "X2")]),
    "tiers": Rules(tiers=[["X4", "X1"], ["X0"], ["X5", "X2"]]),
    "limits": Rules(max_parents={"X0": 0, "X1": 1, "X6": 3}),
    "all at once": Rules(
        required=[("X4", "X0"), ("X4", "X2"), ("X1", "X2")],
        forbidden=[("X6", "X2"), ("X3", "X5")],
        tiers=[["X4", "X1"], ["X0", "X3"], ["X5", "X2"]],
        max_parents={"X0": 1, "X2": 3, "X5": 2},
    ),
}


@every_method
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
@pytest.mark.parametrize("score", [COUNTED["bic"](), BDeu(5), COUNTED["k2"]()], ids=str)
@pytest.mark.parametrize("most", [None, 1])
def test_constraints_are_honoured(method: str, rules: Rules, score: Score, most: int | None) -> None:
    """Limits on the number of parents never leave out a required one."""
    data = tables()["seven binary"]
    constraints = Constraints(
        required=rules.required, forbidden=rules.forbidden, tiers=rules.tiers, max_parents=rules.max_parents
    )
    limits = Limits(max_parents=most, time_per_variable=None)
    selected = select(LocalScore(data, score), method=method, constraints=constraints, limits=limits)
    check_complete(selected)
    for child, family in enumerate(families("seven binary", score)):
        n_required = sum(head == data.names[child] for _, head in rules.required)
        sets = subsets(family.others, None if most is None else max(most, n_required))
        allowed = [s for s in sets if rules.allow(data.names[child], [data.names[v] for v in s])]
        check_child(selected, data, child, family.scores(allowed))


@every_method
@pytest.mark.parametrize("as_function", [False, True])
def test_neighbourhoods_restrict_the_candidates_but_not_what_is_required(method: str, as_function: bool) -> None:
    data = tables()["seven binary"]
    near = {name: data.names[v % 3 : v % 3 + 4] for v, name in enumerate(data.names)}
    selected = select(
        LocalScore(data, "aic"),
        method=method,
        limits=NO_LIMITS,
        neighbourhood=(lambda _: near) if as_function else near,
        constraints=Constraints(required=[("X6", "X0")]),
    )
    check_complete(selected)
    for child, family in enumerate(families("seven binary", COUNTED["aic"]())):
        required = {6} if child == 0 else set()
        candidates = {data.index(name) for name in near[data.names[child]]} - {child} - ({0} if child == 6 else set())
        sets = {frozenset(required | chosen) for chosen in subsets(candidates | required)}
        check_child(selected, data, child, family.scores(sets))


@every_method
def test_score_filter_leaves_those_that_help_alone(method: str) -> None:
    data = tables()["many rows"]
    selected = select(LocalScore(data), method=method, limits=NO_LIMITS, neighbourhood=score_filter)
    for child, family in enumerate(families("many rows", COUNTED["bic"]())):
        helpful = [v for v in family.others if family.score([v]) > family.score([])]
        check_child(selected, data, child, family.scores(subsets(helpful)))


@pytest.mark.parametrize("method", [method for method in SELECTIONS if method != "exhaustive"])
@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("required", [(), (("X1", "X0"), ("X3", "X0"), ("X4", "X5"))], ids=["free", "required"])
def test_sets_are_grown_in_the_order_of_the_method(
    method: str, name: str, required: tuple[tuple[str, str], ...]
) -> None:
    data = seven_binary_columns()
    for enough in (8, 16, 24):
        limits = Limits(scored_per_variable=enough, time_per_variable=None)
        selected = select(
            LocalScore(data, name), method=method, limits=limits, constraints=Constraints(required=required)
        )
        n_scored = 0
        for child, variable in enumerate(data.names):
            family = families_of(data, COUNTED[name]())[child]
            must = frozenset(data.index(parent) for parent, head in required if head == variable)
            may = [v for v in family.others if v not in must and (variable, data.names[v]) not in required]
            scores = BestFirst(method, family, may, must).scored(enough)
            check_child(selected, data, child, scores)
            n_scored += len(scores)
        assert selected.scored == n_scored


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("required", [(), (("X1", "X0"), ("X4", "X5"))], ids=["free", "required"])
def test_independence_takes_the_candidates_in_the_order_of_the_estimate(
    name: str, required: tuple[tuple[str, str], ...]
) -> None:
    """With several arities the penalty of the whole set decides, not what a candidate gives alone."""
    data = columns_of_many_arities()
    score = LocalScore(data, name)
    for enough in (20, 40, 90):
        limits = Limits(scored_per_variable=enough, time_per_variable=None)
        selected = select(score, method="independence", limits=limits, constraints=Constraints(required=required))
        n_scored = 0
        for child in (0, 2, 5, 7):
            variable, family = data.names[child], families_of(data, COUNTED[name]())[child]
            must = frozenset(data.index(parent) for parent, head in required if head == variable)
            may = [v for v in family.others if v not in must and (variable, data.names[v]) not in required]
            scores = BestFirst("independence", family, may, must).scored(enough)
            check_child(selected, data, child, scores)
            n_scored += len(scores)
        assert n_scored > 4 * enough - 4


def test_the_estimate_is_bic_star_of_the_paper() -> None:
    """Eq. 3 as it is printed: BIC(Y) + BIC(Z) + inter(Y, Z)."""
    data = dependent_table(300, (3, 2, 5, 2, 4), seed=5)
    family = Families("bic", data, 0)
    search = BestFirst("independence", family, family.others)
    search.scored(100)
    states = dict(enumerate(data.arities))
    half_log = np.log(data.n_observations) / 2
    for parents in (frozenset({1, 2}), frozenset({4}), frozenset({1, 3, 4})):
        for z in set(family.others) - parents:
            q = np.prod([states[v] for v in parents])
            inter = half_log * (states[0] - 1) * (q + states[z] - q * states[z] - 1) - family.score([])
            assert search.promise(parents, z) == pytest.approx(family.score(parents) + family.score([z]) + inter)


@pytest.mark.parametrize("method", ["greedy", "independence", "balanced"])
def test_the_best_single_parents_are_grown_first(method: str) -> None:
    """X7 is the conjunction of X5 and X6, with noise: growing the best single parent finds the pair at once."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (2000, 8))
    codes[:, 7] = (codes[:, 5] & codes[:, 6]) ^ (rng.random(2000) < 0.1)
    limits = Limits(scored_per_variable=9, time_per_variable=None)  # the empty set, 7 single parents, one more batch
    selected = select(LocalScore(Dataset.from_codes(codes)), method=method, limits=limits)
    assert selected.sets.best("X7")[1] == ("X5", "X6")


@every_method
def test_one_variable(method: str) -> None:
    data = Dataset.from_codes([[0], [1], [1]])
    selected = select(LocalScore(data), method=method)
    check_complete(selected)
    assert [parents for _, parents in selected.sets.sets("X0")] == [()]


def test_exhaustive_selection_is_for_few_variables() -> None:
    stopped = Budget()
    stopped.interrupt()  # 24 variables are accepted, but take a while
    selected = select(LocalScore(few_rows(3, [2] * 24)), method="exhaustive", budget=stopped)
    assert selected.status == Status.INTERRUPTED
    with pytest.raises(ParameterError, match="at most 24 variables, the data has 25"):
        select(LocalScore(few_rows(3, [1] * 25)), method="exhaustive")
    with pytest.raises(ParameterError, match="raise memory"):
        select(LocalScore(few_rows(3, [2] * 20)), method="exhaustive", limits=Limits(memory=1 << 20))


@pytest.mark.parametrize(("n", "arity"), [(9, 256), (9, 250), (13, 40)])
def test_exhaustive_selection_scores_one_by_one_beyond_configurations_of_64_bits(n: int, arity: int) -> None:
    codes = np.random.default_rng(0).integers(0, 3, (50, n))
    score = LocalScore(Dataset.from_codes(codes, arities=[arity] * n), "loglik")
    assert not score.core.has_set_function
    selected = select(score, method="exhaustive", limits=Limits(max_parents=2))
    assert selected.is_exact
    assert selected.sets == select(score, method="sequential", limits=Limits(max_parents=2)).sets


# The bounds that close sets, as formulas: on these rests that a finished search is exact.
tiny_tables = st.integers(2, 4).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(1, 4), min_size=n, max_size=n),
        st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=12),
    )
)


@settings(max_examples=60, deadline=None)
@given(tiny_tables, st.sampled_from(sorted(COUNTED)), st.floats(0.01, 100))
def test_no_superset_scores_more_than_the_bound(
    table: tuple[list[int], list[list[int]]], name: str, parameter: float
) -> None:
    arities, rows = table
    codes = [[code % arity for code, arity in zip(row, arities, strict=True)] for row in rows]
    family = Families(name, Dataset.from_codes(codes, arities=arities), 0, parameter)
    for parents in subsets(family.others):
        bound = family.bound(parents, family.others)
        for superset in subsets(family.others):
            if parents <= superset:
                assert family.score(superset) <= bound + 1e-9 * (1 + abs(bound))


sets_in_any_order = st.lists(
    st.frozensets(st.sampled_from([0, 1, 2, 3, 4, 5, 63, 64, 255, 65_534]), max_size=6), unique=True, max_size=60
)


@settings(deadline=None)
@given(sets_in_any_order)
def test_undominated_sets_have_no_subset_before_them(sets: list[Parents]) -> None:
    begin = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    members = np.array([member for parents in sets for member in sorted(parents)], dtype=np.uint16)
    falling = -np.arange(len(sets), dtype=np.float64)
    assert _core.undominated(begin, members, falling).tolist() == oracles_selection.undominated(sets)


def test_data_alone_is_scored_as_learn_would() -> None:
    """Of 60 variables in 50 rows BIC joins many by chance."""
    wide = dependent_table(50, (2,) * 60, seed=1)
    limits = Limits(scored_per_variable=100, time_per_variable=None)
    picked = learn(wide, method="chow-liu").provenance.score
    assert picked is not None
    assert picked.name == "ebic"
    assert select(wide, limits=limits).sets == select(LocalScore(wide, picked), limits=limits).sets

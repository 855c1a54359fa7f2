"""Names that datasets, graphs and tables of parent sets refuse, all in the same words."""

from collections.abc import Callable

import pytest

from arcwise import ArcwiseError, Cpdag, Dag, DataError, Dataset, GraphError, ParameterError, ParentSets

MAKERS: dict[str, tuple[Callable[..., object], type[ArcwiseError], str]] = {
    "dataset": (lambda names: Dataset.from_codes([[0, 1, 0], [1, 0, 1]], names=names), DataError, "column"),
    "dag": (lambda names: Dag(names, []), GraphError, "node"),
    "cpdag": (lambda names: Cpdag(names, [], []), GraphError, "node"),
    "parent sets": (lambda names: ParentSets.from_lists(names, [[(-1.0, [])]] * 3), ParameterError, "variable"),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("abc", r"^names must be several strings, not the one string 'abc'; write \['abc'\]$"),
        (3, "^names must be several strings, not 3$"),
        (["a", 1, "c"], r"^names\[1\] must be a string, not 1 \(int\)$"),
        (["a", "b", "a"], r"^the name 'a' stands for more than one {} \(0 and 2, counted from 0\); names must differ$"),
    ],
)
def test_wrong_names_are_refused_in_the_same_words(kind: str, names: object, message: str) -> None:
    make, error, of = MAKERS[kind]
    with pytest.raises(error, match=message.replace("{}", of)):
        make(names)


def test_only_graphs_have_nodes_without_a_name() -> None:
    assert Dag(["", "b"], []).names == ("", "b")
    for kind in ("dataset", "parent sets"):
        make, error, of = MAKERS[kind]
        with pytest.raises(error, match=rf"^names\[1\] must be a string that is not empty; give each {of} a name$"):
            make(["a", "", "c"])

"""Errors as data: what they are about can be read from them, and survives pickling."""

import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from arcwise import ArcwiseWarning, DataError, FormatError, ParameterError, TooWideError
from arcwise.support import arguments
from arcwise.support.arguments import recorded_seed
from arcwise.support.messages import AsKeys, InPython, Name, Setting, Shown, Text, Value, Vocabulary, said
from arcwise.support.names import one_of

CHECKS: list[tuple[Callable[[], object], str, object]] = [
    (lambda: arguments.count("climbs", 1.5), "an integer", 1.5),  # type: ignore[arg-type]
    (lambda: arguments.count("climbs", True), "an integer", True),
    (lambda: arguments.count("climbs", 0, least=1), "at least 1", 0),
    (lambda: arguments.count("climbs", 0, least=2, reason=" (two)"), "at least 2 (two)", 0),
    (lambda: arguments.count("climbs", 1 << 64), "less than 2^64", 1 << 64),
    (lambda: arguments.number("climbs", "x"), "a finite number of at least 0", "x"),  # type: ignore[arg-type]
    (lambda: arguments.number("climbs", 0, positive=True), "a finite number above 0", 0),
    (lambda: arguments.flag("climbs", "no"), "True or False", "no"),  # type: ignore[arg-type]
    (lambda: arguments.callback("climbs", 3), "a function or None", 3),  # type: ignore[arg-type]
    (lambda: arguments.instance("climbs", None, dict), "a dict", None),
    (lambda: one_of("climbs", "gredy", ["greedy", "tabu"]), "one of greedy, tabu", "gredy"),
    (lambda: one_of("climbs", 3, ["a"], other="an object"), "one of a or an object", 3),
]


@pytest.mark.parametrize(("check", "allowed", "got"), CHECKS)
def test_checks_of_arguments_say_what_is_wrong_as_data(check: Callable[[], object], allowed: str, got: object) -> None:
    with pytest.raises(ValueError, match="climbs must be ") as caught:
        check()
    error = caught.value
    assert isinstance(error, ParameterError)
    assert (error.parameter, error.allowed, error.got) == ("climbs", allowed, got)
    assert type(error.got) is type(got)
    assert str(error).startswith(f"climbs must be {allowed}, not ")


def test_seeds_and_near_names_are_data_too() -> None:
    with pytest.raises(ParameterError) as caught:
        recorded_seed(-1)
    assert (caught.value.parameter, caught.value.got) == ("seed", -1)
    assert str(caught.value) == "seed must be a whole number of at least 0 or None, not -1"
    with pytest.raises(ParameterError) as caught:
        one_of("method", "gredy", ["greedy"])
    assert caught.value.advice == "did you mean 'greedy'?"
    assert str(caught.value).endswith("; did you mean 'greedy'?")


def test_what_cannot_be_pickled_or_is_large_is_described() -> None:
    error = ParameterError.of("order", "a list", lambda: 3, "give one")
    assert isinstance(error.got, str)
    assert "lambda" in error.got
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


ERRORS = (
    ParameterError.of("gamma", "at most 1", 3.5, "use less", owner="ebic"),
    ParameterError("no cycle is allowed"),
    DataError("use ", Setting("missing", "drop")),
    FormatError(("the key ", AsKeys(Name("tiers"))), path="a.toml", line=3),
    TooWideError("give more with ", Setting("memory"), cells=10, n_bytes=80),
    ArcwiseWarning("give more with ", Setting("memory")),
)


@pytest.mark.parametrize("error", ERRORS)
def test_pickled_errors_have_all_they_had(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


@pytest.mark.parametrize("error", ERRORS)
def test_errors_come_back_from_workers_of_dask(error: Exception) -> None:
    pickling = pytest.importorskip("tblib.pickling_support")
    sent = io.BytesIO()
    pickler = pickle.Pickler(sent)
    pickler.dispatch_table = {type(error): pickling.pickle_exception}
    pickler.dump(error)
    again = pickle.loads(sent.getvalue())
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_errors_read_as_they_are_written() -> None:
    assert str(ParameterError.of("gamma", "at most 1", 3.5, owner="ebic")) == "gamma of ebic must be at most 1, not 3.5"
    assert str(ParameterError.of("dag", "at least one node", verb="have")) == "dag must have at least one node"
    assert str(ParameterError.of("x", "2", Shown("of shape (3,)"))) == "x must be 2, not of shape (3,)"
    assert ParameterError(Name("start"), " breaks the constraints").parameter == "start"
    assert ParameterError("the arcs form a cycle").parameter is None
    assert repr(DataError("use ", Setting("missing", "drop"))) == """DataError("use missing='drop'")"""


class Telegraph(Vocabulary):
    """Another vocabulary, to see that every part asks it."""

    def name(self, parameter: str, owner: str) -> str:
        return parameter.upper()

    def setting(self, parameter: str, value: object) -> str:
        return f"{parameter.upper()} STOP {value}"

    def value(self, value: object) -> str:
        return f"<{value}>"

    def choice(self, python: Text, otherwise: Text) -> Text:
        return otherwise

    def keys(self) -> Vocabulary:
        return Vocabulary()


@pytest.mark.parametrize(
    ("text", "python", "telegraph"),
    [
        ("as it is", "as it is", "as it is"),
        (Name("seed"), "seed", "SEED"),
        (Name("ess", "bdeu"), "ess of bdeu", "ESS"),
        (Setting("missing", "drop"), "missing='drop'", "MISSING STOP drop"),
        (Setting("memory"), "memory=", "MEMORY STOP Ellipsis"),
        (Value(None), "None", "<None>"),
        (Value([1, 2]), "[1, 2]", "[1, 2]"),
        (InPython(("or ", Name("start")), ("not ", Name("start"))), "or start", "not START"),
        (AsKeys(("in ", Name("tiers"))), "in tiers", "in tiers"),
        (("a", ("b", Name("c")), ()), "abc", "abC"),
    ],
)
def test_parts_are_said_in_the_words_of_the_reader(text: Any, python: str, telegraph: str) -> None:
    assert said(text) == python
    assert said(text, Telegraph()) == telegraph

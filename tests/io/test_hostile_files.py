"""Whatever is in a file, reading gives a network or a graph, or a `FormatError`."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcwise.io.files import GRAPH_FORMATS, NETWORK_FORMATS, read_graph, write_graph, write_network
from arcwise.support.errors import FormatError
from arcwise.support.files import SUFFIXES
from network_cases import SMALL

ENDINGS = [NETWORK_FORMATS[name][0] for name in NETWORK_FORMATS]
GRAPH_ENDINGS = [GRAPH_FORMATS[name][0] for name in GRAPH_FORMATS if name not in ("json", "dot")]
ALL = [*ENDINGS, *GRAPH_ENDINGS]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """Give the bytes of a correct file with this ending."""
    folder = tmp_path_factory.mktemp("correct")
    network = SMALL["backwards"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ending in ENDINGS:
            write_network(network, folder / f"network{ending}")
    for ending in GRAPH_ENDINGS:
        write_graph(network, folder / f"network{ending}")
    return lambda ending: (folder / f"network{ending}").read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


def read_anyway(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_graph(path)
        except FormatError as error:
            message = str(error)
        else:
            return
    assert message.startswith(str(path))
    assert "\n" not in message


many = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("ending", [*ALL, *(f".bif{suffix}" for suffix in SUFFIXES)])
@given(st.binary(max_size=200))
@many
def test_random_bytes(ending: str, folder: Path, data: bytes) -> None:
    read_anyway(data, folder / f"random{ending}")


@pytest.mark.parametrize("ending", ALL)
def test_a_file_cut_anywhere(ending: str, content: Callable[[str], bytes], folder: Path) -> None:
    data = content(ending)
    for cut in range(0, len(data), max(1, len(data) // 300)):
        read_anyway(data[:cut], folder / f"cut{ending}")


signs = st.sampled_from(
    [*"{}()[]<>,;|=\"'/\\&%#!-_.:+ \n\t\r01ae", "\0", "é", "nan", "1e999", "9" * 400, "<!ENTITY x 'y'>", "]]>"]
)


@pytest.mark.parametrize("ending", ALL)
@given(st.data())
@many
def test_a_file_with_one_to_three_changes(
    ending: str, content: Callable[[str], bytes], folder: Path, data: st.DataObject
) -> None:
    text = content(ending).decode()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(signs | st.just("")) + text[at + data.draw(st.integers(0, 4)) :]
    read_anyway(text.encode(), folder / f"changed{ending}")


@pytest.mark.parametrize("ending", ALL)
@given(st.data())
@many
def test_a_file_with_a_piece_repeated_or_moved(
    ending: str, content: Callable[[str], bytes], folder: Path, data: st.DataObject
) -> None:
    lines = content(ending).splitlines(keepends=True)
    begin, end, at = (data.draw(st.integers(0, len(lines))) for _ in range(3))
    read_anyway(b"".join([*lines[:at], *lines[begin:end], *lines[at:]]), folder / f"moved{ending}")


@pytest.mark.parametrize("ending", ALL)
def test_a_folder_is_an_operating_system_error(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"folder{ending}"
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        read_graph(path)

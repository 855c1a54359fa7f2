"""Files of chains: enough to continue them after a kill."""

import json
import os
import zipfile
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.posteriors.arc_posterior import GraphDraws
from arcwise.posteriors.chain_state import ChainState
from arcwise.search.search import Problem
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import read_bytes, replaced

__all__ = ["ChainFile", "checked_target"]

_FORMAT = "arcwise chains 1"
_ROUNDING = 1e-9
#: What chains are about, by the key of a file that says it.
_DIFFERENT = {
    "names": "other variables",
    "score": "another score",
    "constraints": "other constraints",
    "rows": "other data",
    "fingerprint": "other data",
}


@dataclass(frozen=True)
class ChainFile:
    """Chains as a file has them: a .npz archive of numpy arrays, and what they are about as JSON in it.

    Attributes
    ----------
    state
        The chains.
    seed
        What their random choices come from.
    """

    state: ChainState
    seed: int

    def write(self, path: str | os.PathLike[str], problem: Problem) -> None:
        """Write the file; it appears under its name when it is complete."""
        state = self.state
        about = _about(problem) | {
            "fingerprint": state.fingerprint,
            "seed": self.seed,
            "score_of_last": _score_of_last(problem, state),
            "sweeps": state.sweeps,
            "rounds": state.rounds,
            "outside": state.outside,
            "candidates": [list(its) for its in state.candidates],
        }
        with replaced(path) as file:
            np.savez(file, about=np.array(json.dumps(about)), last=state.last, means=state.means, draws=state.draws)

    @classmethod
    def read(cls, path: str | os.PathLike[str], problem: Problem) -> "ChainFile":
        """Read a file that is about this problem.

        Raises
        ------
        FormatError
            If it is damaged, or something else.
        ParameterError
            If it is about other data, another score or other constraints.
        """
        kept, about, score = _content(path)
        now = _about(problem) | {"fingerprint": problem.score.data.summary().fingerprint}
        for key, what in _DIFFERENT.items():
            # Files of earlier versions have no fingerprint; the score of a graph tells data apart, too.
            if key in about and about[key] != now[key]:
                raise _other(path, what)
        if not isclose(score, _score_of_last(problem, kept.state), rel_tol=_ROUNDING):
            raise _other(path, "other data")
        return replace(kept, state=replace(kept.state, fingerprint=now["fingerprint"]))

    @staticmethod
    def seed_in(path: str | os.PathLike[str]) -> int:
        """Return the seed of the chains in a file, whatever they are about; a `FormatError` if it is damaged."""
        return _content(path)[0].seed


def _content(path: str | os.PathLike[str]) -> tuple[ChainFile, dict[str, Any], float]:
    """Return what a file has: the chains, what it says they are about, and the score of the last graph of the first."""
    where = os.fspath(path)
    read_bytes(path)  # says what is wrong where there is no file
    try:
        with np.load(path, allow_pickle=False) as arrays:
            about: dict[str, Any] = json.loads(str(arrays["about"]))
            last, means, draws = arrays["last"], arrays["means"], arrays["draws"]
        if about["format"] != _FORMAT:
            raise ValueError(f"it is of the format {about['format']!r}, not {_FORMAT!r}")
        state = ChainState(
            tuple(tuple(map(int, its)) for its in about["candidates"]),
            last.astype(np.uint32, casting="same_kind"),
            means.astype(np.float64, casting="same_kind"),
            draws.astype(np.uint32, casting="same_kind"),
            int(about["sweeps"]),
            int(about["rounds"]),
            float(about["outside"]),
        )
        kept, score = ChainFile(state, int(about["seed"])), float(about["score_of_last"])
        if not {"names", "rows", "score", "constraints"} <= about.keys():
            raise ValueError("it does not say what it is about")
        _check_shapes(state)
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(f"this is not a whole file of chains ({error})", path=where) from None
    return kept, about, score


def _other(path: str | os.PathLike[str], what: str) -> ParameterError:
    return ParameterError(f"the chains in {os.fspath(path)} are of {what}; give the same again, or begin anew")


def checked_target(path: str | os.PathLike[str], resumed: object) -> Path:
    """Return where chains are to be written: a name that is free, or the file that is resumed."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise ParameterError.of("checkpoint", "the name of a file", path)
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise ParameterError(f"the checkpoint {target} must be the name of a file in a folder that is there")
    is_resumed = isinstance(resumed, str | os.PathLike) and Path(resumed).absolute() == target.absolute()
    if target.exists() and not is_resumed:
        raise ParameterError(f"the checkpoint {target} is there already; resume it, or give another name")
    return target


def _about(problem: Problem) -> dict[str, Any]:
    score = problem.score
    return {
        "format": _FORMAT,
        "names": list(problem.names),
        "rows": score.data.n_observations,
        "score": repr(score.score),
        "constraints": repr(problem.constraints),
    }


def _score_of_last(problem: Problem, state: ChainState) -> float:
    return problem.score.total(GraphDraws(problem.names, state.candidates, state.last)[0])


def _check_shapes(state: ChainState) -> None:
    n, chains = len(state.candidates), len(state.last)
    n_arcs = sum(map(len, state.candidates))
    fits = (
        state.last.shape == (chains, n)
        and state.means.ndim == 3
        and state.means.shape[::2] == (chains, n_arcs)
        and state.draws.ndim == 4
        and state.draws.shape[:2] == state.means.shape[:2]
        and state.draws.shape[3] == n
        and state.sweeps >= 1
        and chains >= 2
        and bool(np.isfinite(state.means).all())
    )
    if not fits:
        raise ValueError("its parts do not fit")

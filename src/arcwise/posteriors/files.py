"""Files of chains: enough to continue them after a kill."""

import json
import os
import zipfile
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.posteriors.arc_posterior import GraphDraws
from arcwise.posteriors.chains import ChainState
from arcwise.search.search import Problem
from arcwise.support.errors import FormatError, ParameterError
from arcwise.support.files import read_bytes, replaced

__all__ = ["ChainFile", "checked_target"]

_FORMAT = "arcwise chains 1"
_ROUNDING = 1e-9


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
        where = os.fspath(path)
        read_bytes(path)  # says what is wrong where there is no file
        try:
            with np.load(path, allow_pickle=False) as arrays:
                about: dict[str, Any] = json.loads(str(arrays["about"]))
                last, means, draws = arrays["last"], arrays["means"], arrays["draws"]
            state = ChainState(
                tuple(tuple(map(int, its)) for its in about["candidates"]),
                last.astype(np.uint32, casting="same_kind"),
                means.astype(np.float64, casting="same_kind"),
                draws.astype(np.uint32, casting="same_kind"),
                int(about["sweeps"]),
                int(about["rounds"]),
                float(about["outside"]),
            )
            seed, score = int(about["seed"]), float(about["score_of_last"])
            _check_shapes(state)
        except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile) as error:
            raise FormatError(f"this is not a whole file of chains ({error})", path=where) from None
        is_same = all(about.get(key) == value for key, value in _about(problem).items())
        if not is_same or not isclose(score, _score_of_last(problem, state), rel_tol=_ROUNDING):
            raise ParameterError(f"the chains in {where} are of other data, another score or other constraints")
        return cls(state, seed)


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

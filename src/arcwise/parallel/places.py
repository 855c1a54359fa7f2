"""The workplace of whatever a caller gives as an executor."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from arcwise.parallel.elsewhere import OnExecutor
from arcwise.parallel.workplace import Threads, Workplace
from arcwise.support.errors import ParameterError

__all__ = ["is_elsewhere", "workplace_of"]


def is_elsewhere(executor: Any) -> bool:
    """Return whether `workplace_of` would have tasks done in other processes, without connecting to any.

    Examples
    --------
    >>> is_elsewhere(None), is_elsewhere("tcp://host:8786")
    (False, True)
    """
    if isinstance(executor, Workplace):
        return executor.words is not None
    return executor is not None and not isinstance(executor, ThreadPoolExecutor)


@contextmanager
def workplace_of(executor: Any = None) -> Iterator[Workplace]:
    """Give the place where tasks are done.

    Parameters
    ----------
    executor
        None for threads of this process; an executor of `concurrent.futures`, such as a ``ProcessPoolExecutor``, one
        of loky or of ``mpi4py.futures``; a client of Dask, its executor, or the address of a scheduler such as
        tcp://host:8786; or a `Workplace`.

    Examples
    --------
    >>> with workplace_of() as place:
    ...     place.at_a_time(3)
    3
    """
    module = type(executor).__module__.partition(".")[0]
    if executor is None:
        yield Threads()
    elif isinstance(executor, Workplace):
        yield executor
    elif isinstance(executor, str):
        from arcwise.parallel.dask_client import connected

        with connected(executor) as place:
            yield place
    elif module == "distributed" and (hasattr(executor, "scatter") or hasattr(executor, "_client")):
        from arcwise.parallel.dask_client import OnDask

        yield OnDask(getattr(executor, "_client", executor))
    elif isinstance(executor, ThreadPoolExecutor):
        yield Threads(executor)
    elif isinstance(executor, Executor):
        yield OnExecutor(executor)
    else:
        raise ParameterError.of(
            "executor",
            "an Executor of concurrent.futures, a client of Dask or the address of its scheduler, such as "
            "tcp://host:8786",
            executor,
        )

"""Files of parquet, read by polars or by pyarrow, whichever is installed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arcwise.data.codes import column_names
from arcwise.data.frames import refused_by_libraries
from arcwise.data.tables import Table, table_of_frame
from arcwise.support.errors import MissingLibraryError
from arcwise.support.quoting import shown_path

__all__ = ["ParquetFile", "write_parquet"]

_WRITE_AGAIN = "the file is damaged, or something else: write it again"


@dataclass(frozen=True)
class ParquetFile:
    """A file of parquet."""

    path: Path

    @property
    def title(self) -> str:
        """Its name, for messages."""
        return shown_path(self.path)

    def _refused(self) -> Any:
        return refused_by_libraries(f"{self.title}: this cannot be read as parquet", _WRITE_AGAIN)

    @cached_property
    def _by_polars(self) -> bool:
        return reads_by_polars(self.title)

    def table(self) -> Table:
        """All of it."""
        with self._refused():
            if self._by_polars:
                import polars as pl

                frame: Any = pl.read_parquet(self.path)
            else:
                from pyarrow import parquet

                frame = parquet.ParquetFile(self.path).read()
        # A damaged file can still give a frame, over whose content polars panics later.
        with refused_by_libraries(f"{self.title}: the columns cannot be used", "write the file again"):
            return table_of_frame(frame)

    def n_rows(self) -> int:
        """How many rows it has."""
        with self._refused():
            if self._by_polars:
                import polars as pl

                return int(pl.scan_parquet(self.path, glob=False).select(pl.len()).collect().item())
            return int(_arrow(self.path).metadata.num_rows)

    def names(self) -> tuple[str, ...]:
        """Its columns."""
        with self._refused():
            if self._by_polars:
                import polars as pl

                return column_names(pl.scan_parquet(self.path, glob=False).collect_schema().names())
            return column_names(_arrow(self.path).schema_arrow.names)

    def batches(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[Any]:
        """Return its rows in their order, so many at a time; only some columns, where these are given."""
        with self._refused():
            if self._by_polars:
                import polars as pl

                frame = pl.scan_parquet(self.path, glob=False)
                chosen = frame if columns is None else frame.select(columns)
                yield from chosen.collect_batches(chunk_size=n_rows, maintain_order=True)
                return
            import pyarrow as pa

            chosen_names = None if columns is None else list(columns)
            for batch in _arrow(self.path).iter_batches(batch_size=n_rows, columns=chosen_names):
                yield pa.Table.from_batches([batch])


def reads_by_polars(title: str) -> bool:
    """Whether polars reads parquet, or else pyarrow.

    Raises
    ------
    MissingLibraryError
        If neither is installed.
    """
    if find_spec("polars") is not None:
        return True
    if find_spec("pyarrow") is not None:
        return False
    raise MissingLibraryError(f"{title}: parquet needs polars or pyarrow, and neither is installed; pip install polars")


def _arrow(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(path)


def write_parquet(frame: Any, file: Any) -> None:
    """Write a frame of polars, pandas or pyarrow."""
    if hasattr(frame, "write_parquet"):
        frame.write_parquet(file)
        return
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame), file)

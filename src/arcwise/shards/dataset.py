"""A table whose rows stay in shards, with workers that count in them: all that searches ask about is their sum."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import pairwise
from operator import add
from types import TracebackType
from typing import Any, NoReturn, Self
from uuid import uuid4
from weakref import finalize

import numpy as np

from arcwise import _core
from arcwise.data.agreement import Agreement, Points
from arcwise.data.columns import Coding, variables_of
from arcwise.data.dataset import Dataset, coding_of
from arcwise.data.parts import Part, parts_of
from arcwise.data.profiles import TableProfile
from arcwise.data.readers import MISSING_TOKENS
from arcwise.data.streamed import agreement_of, merged_seen
from arcwise.data.summary import DataSummary, hashed
from arcwise.shards.keeper import Keeper
from arcwise.shards.places import places_of
from arcwise.shards.products import Grid, ProductSums, bytes_of_sums
from arcwise.shards.requests import MOST_CELLS, Counts, Family, Request, added_up, n_cells
from arcwise.shards.store import Shard, ShardReport, forget, look_through, products_in, seen_in
from arcwise.support.arguments import count
from arcwise.support.errors import DataError, ParameterError
from arcwise.support.machine import available_memory, gigabytes
from arcwise.support.messages import Setting
from arcwise.support.quoting import listed, quoted

__all__ = ["ShardedDataset"]

# Cells of what is asked of shards at once: 64 MB.
_CELLS_AT_ONCE = 1 << 24


class ShardedDataset(Dataset):
    """A table in shards: its rows stay with workers, which count in them.

    It is a `Dataset` for all that is about variables, and for `learn`, `LocalScore` and `Result.network`: each worker
    codes its shard once, by states on which all have agreed, merges equal rows, keeps a bit for each state, and answers
    how often families occur in it. Counts are added up and scored by the same rules, so that scores are those of the
    whole table to the last bit, and every search that goes by scores finds the same network. What looks at rows (tests
    of independence, replicas of a bootstrap, trees of replicas) is refused.

    Of continuous variables workers make sums of products, which are all that their scores need; no rows stay. The sums
    are exact, so that scores are the same to the last bit however the table is cut; those of a `Dataset`, which rounds
    on the way, differ by about 1e-13 of their size. Variables are all discrete or all continuous.

    Make one with `of`. Use it in a ``with`` block, or `close` it, to end what it has begun.

    Attributes
    ----------
    shards
        What became of each shard: its rows, what it takes, and where it is.
    products
        The sums of products of continuous variables; None for discrete ones.

    Examples
    --------
    >>> from arcwise import learn, load_example
    >>> rows = load_example("cancer").sample(1000, seed=1).to_frame()
    >>> with ShardedDataset.of([rows[:300].lazy(), rows[300:].lazy()]) as data:
    ...     data, learn(data, seed=1).dag == learn(rows, seed=1).dag
    (ShardedDataset(1,000 rows in 2 shards, 5 variables, 2 states each), True)
    """

    shards: tuple[ShardReport, ...]
    products: ProductSums | None
    _keeper: Keeper
    _table: str

    @classmethod
    def of(  # type: ignore[override]
        cls,
        data: Any,
        *,
        executor: Any = None,
        shards: int | None = None,
        memory: int | None = None,
        weights: str | None = None,
        separator: str | None = None,
        header: bool | None = None,
        names: Sequence[str] | None = None,
        missing_tokens: Sequence[str] = MISSING_TOKENS,
        leave_out: str | Sequence[str] | None = None,
        **options: Any,
    ) -> "ShardedDataset":
        """Table in shards, of a table in parts.

        Parameters
        ----------
        data
            What `Dataset.from_parts` takes: a folder, a pattern, a list of paths, lazy frames of polars; or a frame of
            Dask. Workers must be able to read it from where they are.
        executor
            Where shards are kept. None keeps them in this process, and counts on its threads. A number starts so many
            processes. An executor of `concurrent.futures` with one worker, or a list of such; a client of Dask, or the
            address of its scheduler.
        shards
            How many shards the parts are put together to; by default each part is one.
        memory
            Bytes that each worker may use for its shards; nine tenths of what is available there when None. A shard
            that does not fit goes to another worker, and is refused where none has room for it.
        weights
            The name of the column that says how often each row was seen.
        separator, header, names, missing_tokens, leave_out, options
            As for `Dataset.from_parts`; missing values cannot be kept.

        Raises
        ------
        DataError
            If a part cannot be read, a column cannot be coded, or some are continuous and others are not.
        ParameterError
            If a shard does not fit into any worker, with the figure.
        """
        if options.get("missing") in ("keep", "pairwise", "em"):
            raise ParameterError.of("missing", "'error', 'drop' or 'state' for a table in shards", options["missing"])
        parts = parts_of(data, separator=separator, header=header, names=names, missing_tokens=missing_tokens)
        columns = parts[0].names()
        if weights is not None and weights not in columns:
            raise DataError(f"There is no column {quoted(weights)}; there are {listed(columns)}.")
        columns, steps = variables_of([name for name in columns if name != weights], leave_out)
        coding = coding_of(**options)
        n_shards = len(parts) if shards is None else min(count("shards", shards, least=1), len(parts))
        groups = [tuple(group) for group in _groups(parts, n_shards)]
        keeper = Keeper(places_of(executor))
        try:
            found = keeper.for_each(look_through, [(group, columns, coding, weights) for group in groups])
            agreement, profile = _agreed(keeper, groups, found, coding, weights)
            agreement = replace(agreement, steps=(*steps, *agreement.steps))
            return cls._second_pass(agreement, profile, groups, found, keeper, weights=weights, memory=memory)
        except BaseException:
            keeper.close()
            raise

    @classmethod
    def _second_pass(
        cls,
        agreement: Agreement,
        profile: TableProfile,
        groups: Sequence[tuple[Part, ...]],
        profiles: Sequence[TableProfile],
        keeper: Keeper,
        *,
        weights: str | None,
        memory: int | None,
    ) -> "ShardedDataset":
        """Table in shards whose states are agreed on: the second pass.

        Parameters
        ----------
        agreement, profile
            The variables, and what the first pass has found out about all parts.
        groups, profiles
            The parts of each shard, and what was found out about them.
        keeper
            Who keeps the shards.
        weights, memory
            As for `of`.
        """
        table, sums = uuid4().hex, None
        kept = [(group, its.n_kept) for group, its in zip(groups, profiles, strict=True) if its.n_kept]
        if agreement.n_continuous:
            _refuse_mixed(agreement)
            _refuse_many(agreement.n_continuous)
            grid = _grid(profile)
            answers = keeper.for_each(
                products_in, [(group, agreement, n_rows, weights, grid) for group, n_rows in kept]
            )
            reports = [report for report, _ in answers]
            sums = reduce(add, (own for _, own in answers))
        else:
            instructions = _core.instructions("auto")
            keeper.keep(
                [
                    Shard(table, number, group, agreement, n_rows, weights, memory, instructions)
                    for number, (group, n_rows) in enumerate(kept)
                ]
            )
            reports = keeper.load()
        return cls._of(agreement, keeper, table, tuple(reports), profile.n_observations, sums)

    @classmethod
    def _of(
        cls,
        agreement: Agreement,
        keeper: Keeper,
        table: str,
        reports: tuple[ShardReport, ...],
        n_observations: int,
        products: ProductSums | None,
    ) -> "ShardedDataset":
        made = object.__new__(cls)
        made._set(
            names=agreement.names,
            states=agreement.states,
            arities=tuple(map(len, agreement.states)),
            steps=agreement.steps,
            weights=None,
            interventions=None,
            has_gaps=False,
            shards=reports,
            products=products,
            _keeper=keeper,
            _table=table,
            _n_observations=n_observations,
        )
        finalize(made, forget, table)  # where nobody closes it
        return made

    # What it is

    def __getattr__(self, name: str) -> NoReturn:
        if name == "codes":
            self.refuse_shards("This")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def numbers(self) -> None:
        """None for a table without continuous variables, whose rows are refused."""
        if self.products is not None:
            self.refuse_shards("This")

    def refuse_shards(self, what: str) -> NoReturn:
        """Refuse what looks at rows.

        Raises
        ------
        ParameterError
            Always.
        """
        raise ParameterError(
            f"{what} needs the rows in one place, and this table is in shards; read it with Dataset.of, or choose what "
            "goes by scores alone (orders, ges, xges, greedy, exact)"
        )

    def _changed(self, **values: Any) -> NoReturn:
        self.refuse_shards("A bootstrap, a cross-validation or a change of weights")

    @property
    def n_rows(self) -> int:
        """Number of rows in all shards."""
        return sum(shard.n_rows for shard in self.shards)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_observations(self) -> int:
        """Number of rows, each counted as often as its weight says."""
        return int(self.__dict__["_n_observations"])

    @property
    def n_bytes(self) -> int:
        """What all shards take together."""
        return sum(shard.n_bytes for shard in self.shards)

    @property
    def where(self) -> str:
        """Who has read the shards, in words."""
        workers = sorted({shard.worker for shard in self.shards})
        n, k = len(self.shards), len(workers)
        return f"{n:,} shard{'s' * (n != 1)} read by {k:,} worker{'s' * (k != 1)}: {listed(workers, show=str)}"

    @cached_property
    def state_counts(self) -> tuple[tuple[int, ...], ...]:
        """For each variable how many observations have each of its states; none for continuous ones."""
        if self.products is not None:
            return ((),) * self.n_variables
        of_shards = zip(*(shard.counts for shard in self.shards), strict=True)
        return tuple(tuple(np.sum(own, axis=0).tolist()) for own in of_shards)

    def __repr__(self) -> str:
        low, high = min(self.arities), max(self.arities)
        arity = "continuous" if not high else f"{low} states each" if low == high else f"{low} to {high} states"
        weight = "" if self.n_observations == self.n_rows else f" for {self.n_observations:,} observations"
        where = f"in {len(self.shards):,} shard{'s' * (len(self.shards) != 1)}"
        return f"ShardedDataset({self.n_rows:,} rows {where}{weight}, {self.n_variables:,} variables, {arity})"

    # Rows that are elsewhere are not compared.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __reduce__(self) -> NoReturn:
        raise ParameterError("a table in shards cannot be sent to other processes: its rows are with workers already")

    def merged(self) -> Self:
        """Return the table itself: its shards have been merged."""
        return self

    def summary(self) -> DataSummary:
        """Return what is worth knowing about the data without keeping it."""
        heading: list[object] = ["shards", self.names, self.states]
        if self.products is None:
            heading.append([shard.digest for shard in self.shards])
        sums = () if self.products is None else (self.products.high, self.products.low)  # however rows are cut
        return DataSummary(
            hashed(heading, sums),
            self.n_variables,
            self.n_rows,
            self.n_observations,
            self.states,
            counts=self.state_counts,
            steps=tuple(map(str, self.steps)),
        )

    # Counting

    def counts(self, families: Sequence[Family]) -> list[Counts]:
        """Return how often the cells of families occur in all shards.

        Parameters
        ----------
        families
            Children with their parents, by index.

        Returns
        -------
            For each family its cells, one row of the child's states behind the other: for all configurations of the
            parents, the last one fastest, or for those that occur where there are very many.
        """
        sizes = [n_cells(family, self.arities) for family in families]
        answers: list[Counts | None] = [None] * len(families)
        dense = [at for at, size in enumerate(sizes) if size <= MOST_CELLS]
        for piece in _pieces(dense, [sizes[at] for at in dense]):
            counts = self._keeper.counts([Request(tuple(families[at] for at in piece))])
            ends = np.cumsum([sizes[at] for at in piece])[:-1]
            for at, own in zip(piece, np.split(counts, ends), strict=True):
                answers[at] = own
        for at, size in enumerate(sizes):
            if size > MOST_CELLS:  # one at a time, because each may have as many joint states as there are rows
                answers[at] = added_up(self._keeper.rows(families[at]), families[at], self.arities)
        return [own for own in answers if own is not None]

    def counts_of_additions(self, families: Sequence[Family], candidates: Sequence[int]) -> list[list[Counts]]:
        """Return the same for each family with each of the candidates that is not in it, as one more parent."""
        requests = [Request((family,), tuple(candidates)) for family in families]
        sizes = [request.sizes(self.arities) for request in requests]
        totals = [sum(own) for own in sizes]
        answers: list[list[Counts]] = [[] for _ in families]
        dense = [at for at, total in enumerate(totals) if total <= _CELLS_AT_ONCE]
        for piece in _pieces(dense, [totals[at] for at in dense]):
            counts = self._keeper.counts([requests[at] for at in piece])
            begin = 0
            for at in piece:
                answers[at] = (
                    np.split(counts[begin : begin + totals[at]], np.cumsum(sizes[at])[:-1]) if sizes[at] else []
                )
                begin += totals[at]
        for at, total in enumerate(totals):
            if total > _CELLS_AT_ONCE:
                answers[at] = self.counts(list(requests[at].expanded()))
        return answers

    def table_of(self, child: int, parents: Sequence[int]) -> Counts:
        """Return how often each cell of a family occurs: all configurations of the parents, the child fastest."""
        return self._keeper.counts([Request(((child, tuple(parents)),))])

    @property
    def n_lost(self) -> int:
        """How often a worker was lost and its shards were read again."""
        return self._keeper.n_lost

    def close(self) -> None:
        """Have workers give up the shards, and end what was begun for them."""
        self._keeper.forget(self._table)
        self._keeper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _pieces(places: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Put together what is asked for at once."""
    pieces: list[list[int]] = []
    room = 0
    for place, size in zip(places, sizes, strict=True):
        if not pieces or size > room:
            pieces.append([])
            room = _CELLS_AT_ONCE
        pieces[-1].append(place)
        room -= size
    return pieces


def _groups(parts: Sequence[Part], n_groups: int) -> list[Sequence[Part]]:
    """Return the parts in groups of neighbours, about as many in each."""
    ends = [round(i * len(parts) / n_groups) for i in range(n_groups + 1)]
    return [parts[begin:end] for begin, end in pairwise(ends)]


def _agreed(
    keeper: Keeper, groups: Sequence[Sequence[Part]], found: Sequence[TableProfile], coding: Coding, weights: str | None
) -> tuple[Agreement, TableProfile]:
    """Return the states on which all shards agree, and what was found out about all of them."""
    profile = found[0]
    for other in found[1:]:
        profile = profile.with_more(other)
    forms = {column.name: column.dtype for column in profile.columns}

    def points_of(names: Sequence[str]) -> Mapping[str, Points]:
        seen = keeper.for_each(seen_in, [(group, forms, tuple(names), coding, weights) for group in groups])
        return merged_seen(seen)

    return agreement_of(profile, coding, points_of), profile


def _grid(profile: TableProfile) -> Grid:
    least, most = (np.array([getattr(column, which) for column in profile.columns]) for which in ("least", "most"))
    return Grid.of_ranges(least, most)


def _refuse_mixed(agreement: Agreement) -> None:
    continuous = [coder.name for coder in agreement.coders if not coder.labels]
    if len(continuous) < len(agreement.coders):
        raise DataError(
            f"A table in shards has variables of one kind, and of this one {listed(continuous)} would be continuous, "
            "others not; cut them into states with discretise='quantile', leave one kind out, or read the table into "
            "one place with Dataset.of."
        )


def _refuse_many(n_columns: int) -> None:
    """Refuse sums of products that do not fit, before the rows are read for the second time."""
    needed, available = 3 * bytes_of_sums(n_columns), available_memory()
    if needed > available:
        raise ParameterError(
            f"exact sums of products of all pairs of {n_columns:,} columns need about {gigabytes(needed)}, and "
            f"{gigabytes(available)} are available; use fewer variables, or cut them into states with ",
            Setting("discretise", "quantile"),
        )

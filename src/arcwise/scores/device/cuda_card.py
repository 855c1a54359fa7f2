"""A graphics card, by CuPy: bits and bytes, tensor cores for products of bytes, scores where the counts are."""

from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from struct import Struct
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from arcwise.scores.device.card import (
    IMPROVEMENT,
    Array,
    Block,
    Counted,
    Few,
    GaussianMatrix,
    Terms,
)
from arcwise.scores.device.cuda_workspace import AT_ONCE, BYTES_OF_GATHERED, FEW_TO_COPY, HEADER, MOST_FEW, Workspace

__all__ = ["CudaCard", "why_no_card"]

_THREADS = 256
_WARPS = _THREADS // 32
# As in counting.cu: of a few families, the most members, and the stride of counts in a warp.
_MOST_MEMBERS, _LISTED = 8, 34
# Warps that keep a card busy.
_WARPS_OF_CARD = 2048
# Structures of counting.cu, as C lays them out.
_TERMS, _COUNTED, _PLACE = Struct("@QQqd"), Struct("@QQqiiiiiQiiQi0q"), Struct("@QQQQd")
_FEW = Struct(f"@32s5i{3 * _MOST_MEMBERS}i1i")
_GAUSSIAN = Struct("@QQii")
# Of cudaDataType, cublasComputeType_t and cublasGemmAlgo_t.
_INT8, _INT32, _COMPUTE_INT32, _TENSOR_CORES = 3, 10, 72, 99


@cache
def why_no_card() -> str | None:
    """Return why no card can be used, in a sentence; None where one can."""
    if find_spec("cupy") is None:
        return 'CuPy is not installed: pip install "arcwise[gpu]" for CUDA 13, "arcwise[gpu-cuda12]" for CUDA 12'
    try:
        import cupy

        n_cards = cupy.cuda.runtime.getDeviceCount()
        if n_cards:
            cupy.arange(2).sum()  # the compiler of its kernels too
    except Exception as error:  # CuPy raises errors of several libraries, and ImportError where one is missing
        return f"CuPy finds no card that works here ({str(error).splitlines()[0]})"
    return None if n_cards else "CuPy finds no card here"


class CudaCard:
    """The card that CuPy has as its current device.

    Parameters
    ----------
    cupy, cublas
        CuPy, and its binding of cuBLAS.
    """

    def __init__(self, cupy: Any = None, cublas: Any = None) -> None:
        if cupy is None:
            import cupy  # type: ignore[no-redef]
            from cupy_backends.cuda.libs import cublas  # type: ignore[no-redef]

        self._cupy, self._cublas = cupy, cublas
        self.xp: Any = cupy
        self._one, self._zero = np.array(1, dtype=np.int32), np.array(0, dtype=np.int32)
        self._kernels: dict[tuple[str, str], Any] = {}
        self._compiling = Lock()
        self._packed_terms: WeakKeyDictionary[Terms, bytes] = WeakKeyDictionary()
        self.out_of_memory: type[Exception] = cupy.cuda.memory.OutOfMemoryError
        properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        self.name: str = properties["name"].decode()

    def free_bytes(self) -> int:
        """Return the memory that may be taken."""
        free, _ = self._cupy.cuda.Device().mem_info
        return int(free) + int(self._cupy.get_default_memory_pool().free_bytes())

    def give_back(self) -> None:
        """Give memory back that is not in use."""
        self._cupy.get_default_memory_pool().free_all_blocks()

    def put(self, host: Any) -> Array:
        """Bring an array to the card."""
        return self._cupy.asarray(np.ascontiguousarray(host))

    def get(self, array: Array) -> Any:
        """Bring an array from the card."""
        return self._cupy.asnumpy(array)

    def launch(self, name: str, grid: tuple[int, ...], arguments: tuple[Any, ...], **options: Any) -> None:
        """Run a kernel of 256 threads a block: `code` is the type of codes, `shared_mem` what a block shares."""
        code = options.pop("code", "unsigned char")
        kernel = self._kernels.get((name, code))
        if kernel is None:
            with self._compiling:
                source = f"#define CODE {code}\n{_source()}"
                module = self._cupy.RawModule(code=source, options=("--std=c++17", "--fmad=false"))
                kernel = self._kernels[name, code] = module.get_function(name)
        kernel(grid, (_THREADS,), arguments, **options)

    def packed(self, codes: Array, n_states: int, n_bits: int) -> Array:
        """Return a row of bits for each state of each column of codes."""
        n_columns, n_rows = codes.shape
        n_words = n_bits // 32
        bits = self._cupy.empty((n_columns * n_states, n_words), dtype=np.uint32)
        n = bits.size
        arguments = (codes, np.int64(n_rows), np.int32(n_states), np.int64(n_words), np.int64(n), bits)
        code = "unsigned char" if codes.itemsize == 1 else "unsigned short"
        self.launch("pack", (_blocks(n),), arguments, code=code)
        return bits

    def mask_bytes(self, bits: Array, members: Array, weights: Array | None) -> Array:
        """Return for each row of members the bits that all of these rows of bits have, as bytes."""
        (n_masks, n_members), n_words = members.shape, bits.shape[1]
        out = self._cupy.empty((n_masks, 32 * n_words), dtype=np.int8)
        n = n_masks * n_words
        there = np.uint64(0) if weights is None else weights
        arguments = (bits, np.int64(n_words), members, np.int32(n_members), there, np.int64(n), out)
        self.launch("mask_bytes", (_blocks(n),), arguments)
        return out

    def product(self, masks: Array, planes: Array) -> Array:
        """Return the products of all rows of bytes with all others, as 32-bit integers, by tensor cores."""
        (n_masks, n_bytes), n_planes = masks.shape, len(planes)
        counts = self._cupy.empty((n_masks, n_planes), dtype=np.int32)
        handle = self._cupy.cuda.device.get_cublas_handle()
        cublas = self._cublas
        # Columns first, as BLAS has it: the transposed counts are planes, transposed, times masks.
        cublas.gemmEx(
            handle,
            cublas.CUBLAS_OP_T,
            cublas.CUBLAS_OP_N,
            n_planes,
            n_masks,
            n_bytes,
            self._one.ctypes.data,
            planes.data.ptr,
            _INT8,
            n_bytes,
            masks.data.ptr,
            _INT8,
            n_bytes,
            self._zero.ctypes.data,
            counts.data.ptr,
            _INT32,
            n_planes,
            _COMPUTE_INT32,
            _TENSOR_CORES,
        )
        return counts

    def add(self, total: Array | None, part: Array, factor: int) -> Array:
        """Return total + factor * part; None stands for zeros."""
        if total is None and factor == 1:
            return part
        if total is None:
            total = self._cupy.zeros_like(part)
        self.launch("add_times", (_blocks(part.size),), (total, part, np.int32(factor), np.int64(part.size)))
        return total

    def own_scores(self, counted: Counted, terms: Terms, own: Array) -> None:
        """Write the score of each family itself to its place in the batch."""
        where = own if isinstance(own, int) else own.data.ptr
        arguments = (_counted(counted), _value(self._terms(terms)), np.float64(terms.nats_per_unit), np.uint64(where))
        self.launch("own_scores", (_blocks(32 * counted.n_families),), arguments)

    def addition_scores(self, counted: Counted, terms: Terms, out: Array) -> None:
        """Write the score with each candidate into its column; what is in the family stays as it was."""
        its, unit = _value(self._terms(terms)), np.float64(terms.nats_per_unit)
        if grid := _candidates(counted):
            self.launch("addition_scores", grid, (_counted(counted), its, unit, out, np.int64(out.shape[1])))

    def workspace(self) -> Any:
        """Return what one batch at a time needs, for all that come one after the other."""
        return Workspace(self._cupy)

    def begin(self, workspace: Any, n_families: int, most: int) -> Any:
        """Return a place for the scores of so many families, its `own`, and so many improvements."""
        workspace.take(n_families, most)
        return workspace

    def improve(self, place: Any, counted: Counted, terms: Terms, rounding: float) -> None:
        """Note which candidates improve these families by more than rounding; their own scores are there."""
        unit = np.float64(terms.nats_per_unit)
        place.clear()
        if grid := _candidates(counted):
            arguments = (_counted(counted), _value(self._terms(terms)), unit, _place(place, rounding))
            self.launch("improve", grid, arguments)

    def improve_few(
        self, place: Any, bits: Array, digits: Array | None, families: list[Few], blocks: list[Block], rounding: float
    ) -> None:
        """Score a whole batch of a few families, and note what improves them: one copy, and two kernels."""
        n, n_vectors, n_digits = len(families), bits.shape[1] // 4, 1 if digits is None else len(digits)
        place.room_for_few(bits.shape[1])
        asked = place.ask(self._asked(families, n_digits))
        gathered = place.scratch.data.ptr
        totals = gathered + MOST_FEW * BYTES_OF_GATHERED
        unit = np.float64(families[0].own.nats_per_unit)
        everything = blocks[0].totals.data.ptr + 4 * blocks[0].everything
        of_bits = bits, np.int64(n_vectors)
        self.launch(
            "few_masks",
            (max(1, min(64, n_vectors // _THREADS)), n),
            (
                *of_bits,
                np.uint64(0) if digits is None else digits,
                np.int32(n_digits),
                np.uint64(asked),
                place.masks,
                np.uint64(gathered),
                np.uint64(totals),
                np.uint64(everything),
                unit,
                np.uint64(place.own),
                np.uint64(place.n_found),
            ),
        )
        place.is_clear = True  # by this kernel
        of_place = _place(place, rounding)
        for b, block in enumerate(blocks):
            if not len(block.variables):
                continue
            n_planes = 2 if block.states == 2 else block.states - 1
            n_steps = -(-len(block.variables) // (2 if block.states == 2 else 1))
            split = _split(n_steps * n, n_vectors)
            self.launch(
                "few_improve",
                (-(-n_steps * split // _WARPS), n),
                (
                    *of_bits,
                    block.rows,
                    block.totals,
                    block.variables_there,
                    np.int32(len(block.variables)),
                    np.int32(block.states),
                    np.uint64(asked),
                    np.uint64(asked + n * _FEW.size + b * n * _TERMS.size),
                    place.masks,
                    np.uint64(totals),
                    np.int32(n_digits),
                    np.int32(split),
                    unit,
                    of_place,
                ),
                shared_mem=4 * _WARPS // split * n_planes * _LISTED,
            )

    def _asked(self, families: list[Few], n_digits: int) -> bytes:
        """Return the families as counting.cu has them, and then their terms with one more parent, block by block."""
        parts, first_mask = [], 0
        for its in families:
            k = len(its.variables)
            unused = [0] * (_MOST_MEMBERS - k)
            shape = k, its.n_configurations, its.n_states, its.n_listed, first_mask
            members = *its.variables, *unused, *its.rows, *unused, *its.arities, *unused
            parts.append(_FEW.pack(self._terms(its.own), *shape, *members, 0))
            first_mask += its.n_listed * n_digits
        parts += [self._terms(its.additions[b]) for b in range(len(families[0].additions)) for its in families]
        return b"".join(parts)

    def _terms(self, terms: Terms) -> bytes:
        known = self._packed_terms.get(terms)
        if known is None:
            table = 0 if len(terms.cell) == 1 else terms.cell.shape[1]
            known = _TERMS.pack(terms.cell.data.ptr, terms.row.data.ptr, table, terms.constant)
            self._packed_terms[terms] = known
        return known

    def end(self, place: Any) -> tuple[Any, int, Any]:
        """Return the scores of the families, how many improvements there were, and these if the place was enough."""
        place.clear()
        expected = min(place.most, place.expected)
        first = place.fetched(expected)
        n_found = int(first[:8].view(np.uint64)[0])
        if n_found > place.most:
            return None, n_found, None
        if n_found > expected:
            first = place.fetched(n_found)
        place.expected = max(AT_ONCE, 2 * n_found)
        ends = HEADER + 8 * place.n_families
        own = first[HEADER:ends].view(np.float64).copy()
        found = first[ends : ends + n_found * IMPROVEMENT.itemsize].view(IMPROVEMENT)
        if n_found <= FEW_TO_COPY:
            return own, n_found, found.copy()
        place.hand_over()
        return own, n_found, found

    def gaussian_improve(self, place: Any, matrix: GaussianMatrix, families: Any, rounding: float) -> None:
        """Score families of continuous variables, and note what improves them by more than rounding."""
        place.clear()
        self._eliminate(place, place.own, matrix, families, np.uint64(0), rounding)

    def gaussian_additions(self, place: Any, matrix: GaussianMatrix, families: Any, out: Array) -> None:
        """Write the score with each variable into its column; what is in the family stays as it was."""
        self._eliminate(place, place.own, matrix, families, out, 0.0)

    def _eliminate(
        self, place: Any, own: int, matrix: GaussianMatrix, families: Any, out: Any, rounding: float
    ) -> None:
        n, p = len(families), len(matrix.values)
        asked = np.uint64(place.ask(families.tobytes()))
        m = int(families["n_parents"].max()) + 1
        work = self._cupy.empty(n * (m**3 + 2 * m))
        its = _value(_GAUSSIAN.pack(matrix.values.data.ptr, matrix.floors.data.ptr, p, matrix.is_bayesian))
        self.launch("gaussian_factor", (n,), (its, asked, np.int32(m), work, np.uint64(own)))
        most = next(most for most in (0, 2, 4, 8, 16) if most >= m - 1)
        arguments = (its, asked, np.int32(m), work, out, _place(place, rounding))
        self.launch(f"gaussian_candidates_{most}", (_blocks(p), n), arguments)

    def synchronise(self) -> None:
        """Wait until all is done."""
        self._cupy.cuda.get_current_stream().synchronize()


@cache
def _source() -> str:
    return "".join((files("arcwise.scores.device") / name).read_text() for name in ("counting.cu", "gaussian.cu"))


def _blocks(n: int) -> int:
    return max(1, -(-n // _THREADS))


def _split(n_warps: int, n_vectors: int) -> int:
    """Return how many warps share the observations of some candidates: as many as keep the card busy."""
    for split in (1, 2, 4):
        if n_warps * split >= _WARPS_OF_CARD or n_vectors <= 64 * split:
            return split
    return _WARPS


def _candidates(counted: Counted) -> tuple[int, int] | None:
    """Return blocks for all candidates and families; None where there are no candidates."""
    n = len(counted.block.variables)
    return (_blocks(n), counted.n_families) if n else None


def _value(packed: bytes) -> Any:
    """Return a structure that a kernel takes by its value."""
    return np.frombuffer(packed, dtype=f"V{len(packed)}")


def _place(place: Workspace, rounding: float) -> Any:
    return _value(_PLACE.pack(place.n_found, place.most, place.found, place.own, rounding))


def _counted(counted: Counted) -> Any:
    block = counted.block
    return _value(
        _COUNTED.pack(
            counted.counts.data.ptr,
            block.totals.data.ptr,
            counted.counts.shape[1],
            block.everything,
            counted.n_families,
            counted.n_configurations,
            counted.n_states,
            counted.n_listed,
            block.variables_there.data.ptr,
            len(block.variables),
            block.states,
            counted.members.data.ptr,
            counted.members.shape[1] - 1,
        )
    )

"""A graphics card, by CuPy: bits and bytes, tensor cores for products of bytes, scores where the counts are."""

from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from arcwise.scores.device.cuda_source import SOURCE
from arcwise.scores.device.numpy_card import Counted, Terms

__all__ = ["CudaCard", "why_no_card"]

Array = Any
_THREADS = 256
# Improvements that come back with their number, in one copy.
_AT_ONCE = 2048
_IMPROVEMENT = np.dtype([("score", np.float64), ("family", np.int32), ("variable", np.int32)])
_HEADER = 16
# Of cudaDataType, cublasComputeType_t and cublasGemmAlgo_t.
_INT8, _INT32, _COMPUTE_INT32, _TENSOR_CORES = 3, 10, 72, 99


@cache
def why_no_card() -> str | None:
    """Return why no card can be used, in a sentence; None where one can."""
    if find_spec("cupy") is None:
        return (
            'it needs CuPy, which is not installed: pip install "arcwise[gpu]" for CUDA 13, "arcwise[gpu-cuda12]" for '
            "CUDA 12"
        )
    try:
        import cupy

        n_cards = cupy.cuda.runtime.getDeviceCount()
        if n_cards:
            cupy.arange(2).sum()  # the compiler of its kernels too
    except Exception as error:  # CuPy raises errors of several libraries, and ImportError where one is missing
        return f"CuPy finds no card that works here ({str(error).splitlines()[0]})"
    return None if n_cards else "CuPy finds no card here"


class CudaCard:
    """The card that CuPy has as its current device."""

    def __init__(self) -> None:
        import cupy
        from cupy_backends.cuda.libs import cublas

        self._cupy, self._cublas = cupy, cublas
        self.xp: Any = cupy
        self._one, self._zero = np.array(1, dtype=np.int32), np.array(0, dtype=np.int32)
        self._kernels: dict[tuple[str, str], Any] = {}
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

    def _launch(
        self, name: str, grid: tuple[int, ...], arguments: tuple[Any, ...], code: str = "unsigned char"
    ) -> None:
        kernel = self._kernels.get((name, code))
        if kernel is None:
            module = self._cupy.RawModule(code=SOURCE.replace("CODE", code), options=("--std=c++17",))
            kernel = self._kernels[name, code] = module.get_function(name)
        kernel(grid, (_THREADS,), arguments)

    def packed(self, codes: Array, n_states: int, n_bits: int) -> Array:
        """Return a row of bits for each state of each column of codes."""
        n_columns, n_rows = codes.shape
        n_words = n_bits // 32
        bits = self._cupy.empty((n_columns * n_states, n_words), dtype=np.uint32)
        n = bits.size
        arguments = (codes, np.int64(n_rows), np.int32(n_states), np.int64(n_words), np.int64(n), bits)
        self._launch("pack", (_blocks(n),), arguments, "unsigned char" if codes.itemsize == 1 else "unsigned short")
        return bits

    def intersections(self, bits: Array, members: Any) -> Array:
        """Return for each row of members the bits that all of these rows of bits have."""
        n_masks, n_members = members.shape
        n_vectors = bits.shape[1] // 4
        masks = self._cupy.empty((n_masks, bits.shape[1]), dtype=np.uint32)
        n = n_masks * n_vectors
        arguments = (
            bits,
            np.int64(n_vectors),
            self.put(members.astype(np.int32)),
            np.int32(n_members),
            np.int64(n),
            masks,
        )
        self._launch("intersect", (_blocks(n),), arguments)
        return masks

    def spread(self, bits: Array, rows: Array, weights: Array | None) -> Array:
        """Return rows of bits as rows of bytes: the weight of each observation where the bit is set, else 0."""
        is_all = isinstance(rows, slice)
        n_rows, n_words = (len(bits) if is_all else len(rows)), bits.shape[1]
        out = self._cupy.empty((n_rows, 32 * n_words), dtype=np.int8)
        n = n_rows * n_words
        nothing = np.uint64(0)
        arguments = (
            bits,
            np.int64(n_words),
            nothing if is_all else rows,
            nothing if weights is None else weights,
            np.int64(n),
            out,
        )
        self._launch("spread", (_blocks(n),), arguments)
        return out

    def common_bits(self, masks: Array, bits: Array, rows: Array) -> Array:
        """Return how many bits each mask has in common with each of these rows."""
        n_masks, n_rows = len(masks), len(rows)
        counts = self._cupy.empty((n_masks, n_rows), dtype=np.int32)
        few = next(few for few in (1, 2, 4, 8) if few >= min(n_masks, 8))
        arguments = (
            bits,
            np.int64(bits.shape[1] // 4),
            rows,
            np.int32(n_rows),
            masks,
            np.int32(n_masks),
            counts,
            np.int64(n_rows),
        )
        self._launch(f"common_bits_{few}", (-(-n_rows // (2 * _THREADS // 32)), -(-n_masks // few)), arguments)
        return counts

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
        self._launch("add_times", (_blocks(part.size),), (total, part, np.int32(factor), np.int64(part.size)))
        return total

    def own_scores(self, counted: Counted, terms: Terms) -> Array:
        """Return the score of each family itself."""
        own = self._cupy.empty(counted.n_families, dtype=np.float64)
        arguments = (
            counted.counts,
            np.int64(counted.counts.shape[1]),
            np.int32(counted.everything),
            np.int32(counted.n_families),
            np.int32(counted.n_configurations),
            np.int32(counted.n_states),
            *_terms(terms),
            own,
        )
        self._launch("own_scores", (_blocks(counted.n_families),), arguments)
        return own

    def addition_scores(self, counted: Counted, terms: Terms, out: Array) -> None:
        """Write the score with each candidate into its column; NaN for those that are in the family."""
        grid = (_blocks(counted.n_candidates), counted.n_families)
        self._launch("addition_scores", grid, (*_families(counted), *_terms(terms), out, np.int64(out.shape[1])))

    def matrix(self, n_rows: int, n_columns: int) -> Array:
        """Return a matrix of NaN."""
        return self._cupy.full((n_rows, n_columns), np.nan)

    def begin(self, most: int) -> Any:
        """Return a place for so many improvements."""
        place = self._cupy.empty(_HEADER + most * _IMPROVEMENT.itemsize, dtype=np.uint8)
        place.data.memset_async(0, _HEADER)
        return place

    def improve(self, place: Any, counted: Counted, terms: Terms, own: Array, rounding: float) -> None:
        """Note which candidates improve these families by more than rounding."""
        most = (place.size - _HEADER) // _IMPROVEMENT.itemsize
        arguments = (
            *_families(counted),
            *_terms(terms),
            own,
            np.float64(rounding),
            counted.places,
            place,
            np.uint64(most),
            place[_HEADER:],
        )
        self._launch("improve", (_blocks(counted.n_candidates), counted.n_families), arguments)

    def end(self, place: Any) -> tuple[int, Any, Any, Any]:
        """Return how many improvements there were; and families, variables and scores, if the place was enough."""
        most = (place.size - _HEADER) // _IMPROVEMENT.itemsize
        first = self.get(place[: _HEADER + min(most, _AT_ONCE) * _IMPROVEMENT.itemsize])
        n_found = int(first[:8].view(np.uint64)[0])
        if n_found > most:
            return n_found, None, None, None
        if n_found > _AT_ONCE:
            first = self.get(place[: _HEADER + n_found * _IMPROVEMENT.itemsize])
        found = first[_HEADER:].view(_IMPROVEMENT)[:n_found]
        return n_found, found["family"], found["variable"], found["score"]

    def synchronise(self) -> None:
        """Wait until all is done."""
        self._cupy.cuda.get_current_stream().synchronize()


def _blocks(n: int) -> int:
    return max(1, -(-n // _THREADS))


def _terms(terms: Terms) -> tuple[Any, ...]:
    table = 0 if len(terms.cell) == 1 else terms.cell.shape[1]
    return terms.cell, terms.row, np.int64(table), np.float64(terms.constant), np.float64(terms.nats_per_unit)


def _families(counted: Counted) -> tuple[Any, ...]:
    return (
        counted.counts,
        np.int64(counted.counts.shape[1]),
        np.int32(counted.everything),
        np.int32(counted.n_configurations),
        np.int32(counted.n_states),
        counted.candidates,
        np.int32(counted.n_candidates),
        np.int32(counted.candidate_states),
        counted.members,
        np.int32(counted.n_members),
    )

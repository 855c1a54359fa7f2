"""Memory for batches on a graphics card: pinned here, and there."""

from typing import Any

import numpy as np

from arcwise.scores.device.card import IMPROVEMENT

__all__ = ["AT_ONCE", "BYTES_OF_GATHERED", "FEW_TO_COPY", "HEADER", "MOST_CELLS", "MOST_FEW", "Workspace"]

# Improvements that come back with their number, in one copy, at least.
AT_ONCE = 256
HEADER = 16
# So few improvements are copied once more; with others goes the memory that they are in.
FEW_TO_COPY = 4096
# As in counting.cu: of a few families, the stride of their totals, and what their blocks add up.
MOST_CELLS = 64
BYTES_OF_GATHERED = 4 * (MOST_CELLS + 1)
# Masks, and so families, of a batch that is counted by bits.
MOST_FEW = 32


class Workspace:
    """Memory that batches use one after the other: pinned here, and on the card."""

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy
        self._host: Any = None
        self._there: Any = None
        self._questions: Any = None
        self._questions_there: Any = None
        self.n_found = self.own = self.found = self.n_families = self.most = 0
        self.expected, self.is_clear = AT_ONCE, False
        self.masks: Any = None
        self.scratch: Any = None

    def take(self, n_families: int, most: int) -> None:
        """Have a place for so many scores and improvements; it begins with how many there are."""
        n_bytes = HEADER + 8 * n_families + most * IMPROVEMENT.itemsize
        if self._there is None or self._there.size < n_bytes:
            self._there = self._cupy.empty(n_bytes, dtype=np.uint8)
        pointer = self._there.data.ptr
        self.n_found, self.own, self.found = pointer, pointer + HEADER, pointer + HEADER + 8 * n_families
        self.n_families, self.most, self.is_clear = n_families, most, False

    def clear(self) -> None:
        """Note that nothing was found, if that was not done before."""
        if not self.is_clear:
            self._there.data.memset_async(0, HEADER)
            self.is_clear = True

    def fetched(self, n_found: int) -> Any:
        """Return header, scores and so many improvements as bytes, here."""
        n_bytes = HEADER + 8 * self.n_families + n_found * IMPROVEMENT.itemsize
        if self._host is None or len(self._host) < n_bytes:
            self._host = self._pinned(1 << (2 * n_bytes - 1).bit_length())  # of a size that comes again
        runtime = self._cupy.cuda.runtime
        stream = self._cupy.cuda.get_current_stream()
        runtime.memcpyAsync(self._host.ctypes.data, self.n_found, n_bytes, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        return self._host[:n_bytes]

    def hand_over(self) -> None:
        """Leave the memory of what was fetched to whoever has it: it is free again when that is forgotten."""
        self._host = None

    def ask(self, questions: bytes) -> int:
        """Bring what is asked to the card, and return where it is."""
        n = len(questions)
        if self._questions is None or len(self._questions) < n:
            self._questions = self._pinned(max(n, 1 << 15))
            self._questions_there = self._cupy.empty(len(self._questions), dtype=np.uint8)
        self._questions[:n] = np.frombuffer(questions, dtype=np.uint8)
        runtime, there = self._cupy.cuda.runtime, int(self._questions_there.data.ptr)
        stream = self._cupy.cuda.get_current_stream().ptr
        runtime.memcpyAsync(there, self._questions.ctypes.data, n, runtime.memcpyHostToDevice, stream)
        return there

    def _pinned(self, n_bytes: int) -> Any:
        memory = self._cupy.cuda.alloc_pinned_memory(n_bytes)
        return np.frombuffer(memory, dtype=np.uint8, count=n_bytes)

    def room_for_few(self, n_words: int) -> None:
        """Have a place for the masks and counts of a few families."""
        if self.masks is None or self.masks.shape[1] != n_words:
            self.masks = self._cupy.empty((MOST_FEW, n_words), dtype=np.uint32)
            self.scratch = self._cupy.zeros(MOST_FEW * (BYTES_OF_GATHERED + 4 * MOST_CELLS), dtype=np.uint8)

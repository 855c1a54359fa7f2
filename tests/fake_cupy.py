"""A module like CuPy on a machine without a card: arrays of numpy, and kernels that run thread by thread."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

_HERE = Path(__file__).parent
_DECLARED = re.compile(r'extern "C" __global__ void (\w+)\(')


class FakeArray(np.ndarray):
    """An array whose `data` is an address, as on a card."""

    @property
    def data(self) -> Any:
        address = self.ctypes.data

        def memset_async(value: int, n_bytes: int) -> None:
            ctypes.memset(address, value, n_bytes)

        return SimpleNamespace(ptr=address, memset_async=memset_async)


def _fake(array: Any) -> Any:
    return np.ascontiguousarray(array).view(FakeArray)


class _Kernel:
    def __init__(self, library: Any, name: str) -> None:
        self._library, self._name = library, name

    def __call__(
        self, grid: tuple[int, ...], block: tuple[int], arguments: tuple[Any, ...], shared_mem: int = 0
    ) -> None:
        values = [self._value(argument) for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
        gx, gy = (*grid, 1)[:2]
        assert min(gx, gy, *block) > 0
        assert shared_mem <= 4 << 16
        assert self._library.run_kernel(self._name.encode(), gx, gy, block[0], pointers) == 0, self._name

    @staticmethod
    def _value(argument: Any) -> Any:
        if isinstance(argument, FakeArray):
            return np.array([argument.ctypes.data], dtype=np.uint64)
        assert isinstance(argument, np.generic) or argument.size == 1  # as CuPy takes them
        return np.ascontiguousarray(argument)


class FakeCupy:
    """What `CudaCard` uses of CuPy.

    Parameters
    ----------
    folder
        Where kernels are compiled.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._libraries: dict[str, Any] = {}  # CuPy too compiles a source once
        runtime = SimpleNamespace(
            memcpyAsync=lambda to, of, n_bytes, kind, stream: ctypes.memmove(to, of, n_bytes),
            memcpyDeviceToHost=2,
            memcpyHostToDevice=1,
            getDeviceProperties=lambda _: {"name": b"no card"},
        )
        pool = SimpleNamespace(free_bytes=lambda: 0, free_all_blocks=lambda: None)
        stream = SimpleNamespace(ptr=0, synchronize=lambda: None)
        self.get_default_memory_pool = lambda: pool
        self.cuda = SimpleNamespace(
            runtime=runtime,
            memory=SimpleNamespace(OutOfMemoryError=MemoryError),
            Device=lambda: SimpleNamespace(id=0, mem_info=(1 << 30, 1 << 30)),
            device=SimpleNamespace(get_cublas_handle=lambda: 0),
            get_current_stream=lambda: stream,
            alloc_pinned_memory=bytearray,
        )
        self.asnumpy = np.asarray
        self.asarray = lambda array: _fake(np.array(array))

    def __getattr__(self, name: str) -> Any:
        made = getattr(np, name)
        return lambda *arguments, **options: _fake(made(*arguments, **options))

    def RawModule(self, *, code: str, options: tuple[str, ...]) -> Any:  # noqa: N802
        """Compile kernels for the processor."""
        assert "--fmad=false" in options
        if code not in self._libraries:
            self._libraries[code] = self._compiled(code)
        library = self._libraries[code]
        return SimpleNamespace(get_function=lambda kernel: _Kernel(library, kernel))

    def _compiled(self, code: str) -> Any:
        names = [name for name in _DECLARED.findall(code) if "#" not in name]
        names += [f"gaussian_candidates_{most}" for most in re.findall(r"^GAUSSIAN_CANDIDATES\((\d+)\)", code, re.M)]
        plain = code.replace("extern __shared__", "extern").replace("__shared__", "static")
        table = "\n".join(f'{{"{name}", cuda_threads::launch_of(&{name})}},' for name in names)
        source = f"""#include "{_HERE / "cuda_threads.hpp"}"
{plain}
extern "C" int run_kernel(const char *name, unsigned x, unsigned y, unsigned n_threads, void **arguments) {{
    static const std::map<std::string, cuda_threads::Launch> kernels{{{table}}};
    const auto found = kernels.find(name);
    if (found == kernels.end()) return 1;
    cuda_threads::run(found->second, x, y, n_threads, arguments);
    return 0;
}}
"""
        name = f"kernels{len(self._libraries)}"
        (self._folder / f"{name}.cpp").write_text(source)
        compiler = shutil.which("g++") or shutil.which("c++")
        assert compiler is not None
        built = self._folder / f"{name}.so"
        flags = ["-std=c++20", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w"]
        subprocess.run([compiler, *flags, "-o", built, self._folder / f"{name}.cpp"], check=True)
        return ctypes.CDLL(str(built))


class FakeCublas:
    """The product of bytes."""

    CUBLAS_OP_T, CUBLAS_OP_N = 1, 0

    @staticmethod
    def gemmEx(*arguments: Any) -> None:  # noqa: N802
        """Multiply rows of bytes, as `CudaCard.product` asks for it."""
        n_planes, n_masks, n_bytes = arguments[3:6]
        planes, masks, counts = arguments[7], arguments[10], arguments[14]

        def bytes_at(address: int, n_rows: int) -> Any:
            kind = ctypes.c_int8 * (n_rows * n_bytes)
            return np.frombuffer(kind.from_address(address), dtype=np.int8).reshape(n_rows, n_bytes).astype(np.int64)

        product = (bytes_at(masks, n_masks) @ bytes_at(planes, n_planes).T).astype(np.int32)
        ctypes.memmove(counts, product.ctypes.data, product.nbytes)

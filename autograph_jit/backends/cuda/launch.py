"""Compiles kernels once for each content, and starts them on grids that fit their work."""

from __future__ import annotations

import functools
import importlib
import linecache
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numba
import numba.core.types
import numba.np.numpy_support

from autograph_jit.backends.cuda.kernel_text import Kernel
from autograph_jit.backends.cuda.memory import DeviceArray
from autograph_jit.backends.cuda.namespace import namespace
from autograph_jit.backends.cuda.provider import provider


def define(kernel: Kernel) -> Any:
    """The Python function of a kernel; its text is found by tracebacks."""
    filename = f"<kernel {abs(hash(kernel.source)):x}>"
    linecache.cache[filename] = (len(kernel.source), None, kernel.source.splitlines(True), filename)
    scope = dict(namespace())
    exec(compile(kernel.source, filename, "exec"), scope)
    return scope["kernel"]


@functools.lru_cache(maxsize=4096)
def compiled(kernel: Kernel) -> Any:
    """A kernel ready to launch."""
    return provider().jit(define(kernel), signature_of(kernel))


def signature_of(kernel: Kernel) -> Any:
    """The types of a kernel's parameters, as numba's."""
    numbers = [(numba.np.numpy_support.from_dtype(dtype), is_vector) for _, dtype, is_vector in kernel.parameters]
    return numba.core.types.void(*(numba.core.types.Array(number, 1, "C") if is_vector else number for number, is_vector in numbers))


def launch_kernel(kernel: Kernel, blocks: int, block: Any, arguments: Mapping[str, Any]) -> None:
    """Launch a kernel with arguments by name; vectors are given as arrays over the buffer."""
    ordered = [arguments[name].buffer.vector(dtype) if is_vector else arguments[name] for name, dtype, is_vector in kernel.parameters]
    provider().launch(compiled(kernel), max(1, min(blocks, provider().max_blocks)), block, ordered)


def array_arguments(name: str, array: DeviceArray, strides: tuple[int, ...]) -> dict[str, Any]:
    """What `KernelText.array` declares, for an array walked with these strides in elements."""
    return {name: array, f"{name}_at": array.start, **{f"{name}_by{axis}": stride for axis, stride in enumerate(strides)}}


def size_arguments(prefix: str, sizes: tuple[int, ...]) -> dict[str, int]:
    """What `split_index` declares: all sizes but the first."""
    return {f"{prefix}{axis}_size": size for axis, size in enumerate(sizes) if axis}


def compile_to_ptx(kernel: Kernel, capability: tuple[int, int] = (7, 5)) -> str:
    """The PTX of a kernel, which needs NVVM and no GPU."""
    with stand_in_device(capability) as cuda:
        text, _ = cuda.compile_ptx(define(kernel), signature_of(kernel), cc=capability)
    return text


@contextmanager
def stand_in_device(capability: tuple[int, int]) -> Iterator[Any]:
    """`numba.cuda`, where a device answers for its capability: numba asks one when it compiles the functions that a kernel calls, and
    the CUDA runtime, which need not be installed, for what NVVM can compile for."""
    cuda: Any = importlib.import_module("numba.cuda")
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
    if cuda.is_available():
        yield cuda
        return
    config: Any = numba.config
    asked, forced = dispatcher.get_current_device, config.FORCE_CUDA_CC
    dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)
    config.FORCE_CUDA_CC = capability
    try:
        yield cuda
    finally:
        dispatcher.get_current_device, config.FORCE_CUDA_CC = asked, forced

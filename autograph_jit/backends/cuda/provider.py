"""One face for what compiles and runs CUDA kernels: numba's own `numba.cuda`, the package numba-cuda, or numba's simulator.

The package numba-cuda takes the place of `numba.cuda` when it is installed, so that one import finds either. Which one it is, and
whether NVVM comes from a CUDA toolkit or from the wheel nvidia-nvvm, matters nowhere else.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np

from autograph_jit.backends.once import once
from autograph_jit.errors import DeviceError, layout
from autograph_jit.records import dataclass

PADDING_BYTES = 16
numba_config: Any = numba.config


@dataclass(frozen=True, slots=True)
class Provider:
    """What runs kernels.

    name         for `explain` and `doctor`
    cuda         the module `numba.cuda`
    threads      threads of a block, a power of two
    tile         edge of the square blocks of matrix products
    max_blocks   blocks of a grid; further elements are reached by striding
    """

    name: str
    cuda: Any
    is_simulator: bool
    threads: int
    tile: int
    max_blocks: int

    def allocate(self, size_bytes: int) -> Any:
        """Device memory as bytes, not initialised."""
        return self.cuda.device_array(padded(size_bytes), np.uint8)

    def upload(self, host: np.ndarray, device: Any) -> None:
        """Copy bytes into device memory of `allocate`; the rest of the padding is zeroed."""
        if host.size != device.size:
            host = np.concatenate([host, np.zeros(device.size - host.size, np.uint8)])
        device.copy_to_device(host)

    def download(self, device: Any, size_bytes: int) -> np.ndarray:
        """The first bytes of device memory as a host array."""
        return device[:size_bytes].copy_to_host() if size_bytes else np.empty(0, np.uint8)

    def address(self, device: Any) -> int:
        """Where device memory starts."""
        return device._ary.ctypes.data if self.is_simulator else device.__cuda_array_interface__["data"][0]

    def layout_of(self, leaf: Any) -> tuple[np.dtype, int, tuple[int, ...], tuple[int, ...]]:
        """dtype, address, shape and strides in bytes of another library's device array."""
        if self.is_simulator:
            return leaf.dtype, leaf._ary.ctypes.data, leaf.shape, leaf.strides
        interface = leaf.__cuda_array_interface__
        dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        array = self.cuda.as_cuda_array(leaf)
        return dtype, interface["data"][0], shape, tuple(array.strides)

    def bytes_at(self, leaf: Any, address: int, size_bytes: int) -> Any:
        """The bytes of another library's device memory, which `leaf` keeps alive."""
        if self.is_simulator:
            content = np.asarray(DeviceSpan("__array_interface__", leaf, address, (size_bytes,)))
            return type(leaf)(content)
        return self.cuda.as_cuda_array(DeviceSpan("__cuda_array_interface__", leaf, address, (size_bytes,)))

    def typed(self, device: Any, dtype: np.dtype) -> Any:
        """The same device memory as a vector of a dtype."""
        if self.is_simulator:
            return type(device)(device._ary.view(dtype))
        return device.view(dtype)

    def jit(self, function: Any, signature: Any) -> Any:
        """A compiled kernel; the simulator runs the function as it is. DeviceError where the driver is older than NVVM."""
        if self.is_simulator:
            return self.cuda.jit(function)
        try:
            return self.cuda.jit(signature)(function)
        except Exception as error:
            if "UNSUPPORTED_PTX_VERSION" not in str(error):
                raise
            why = f"The GPU's driver does not know the PTX version that NVVM writes (NVVM comes from: {find_nvvm()})."
            remedy = "Update the driver, or install the release of nvidia-nvvm that belongs to the driver's CUDA version."
            raise DeviceError(layout("a kernel cannot be loaded", None, why, remedy)) from error

    def launch(self, kernel: Any, grid: Any, block: Any, arguments: list[Any]) -> None:
        """Run a kernel; it may still run when this returns."""
        with self.quiet():
            kernel[grid, block](*arguments)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Without NumPy's warnings about overflow in the simulator, and numba's about small grids."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield

    def export(self, device: Any, dtype: np.dtype, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
        """Part of device memory as an array of numba's, which keeps the memory alive."""
        if self.is_simulator:
            return type(device)(np.ndarray(shape, dtype, device._ary, offset, strides))
        span = DeviceSpan("__cuda_array_interface__", device, self.address(device) + offset, shape, dtype.str, strides)
        return self.cuda.as_cuda_array(span)


class DeviceSpan:
    """Device memory under the attribute by which libraries exchange arrays."""

    def __init__(
        self, protocol: str, owner: Any, address: int, shape: tuple[int, ...], typestr: str = "|u1", strides: tuple[int, ...] | None = None
    ) -> None:
        self.owner = owner
        setattr(self, protocol, {"data": (address, False), "shape": shape, "typestr": typestr, "strides": strides, "version": 3})


def padded(size_bytes: int) -> int:
    """A size that every element size divides, never zero."""
    return max(-(-size_bytes // PADDING_BYTES), 1) * PADDING_BYTES


@once
def provider() -> Provider:
    """The provider of this machine; DeviceError where kernels cannot run."""
    cuda = importlib.import_module("numba.cuda")
    if numba_config.ENABLE_CUDASIM:
        return Provider(f"numba {numba.__version__} CUDA simulator", cuda, True, 4, 2, 2)
    find_nvvm()
    missing = missing_part(cuda)
    if missing is not None:
        why, remedy = missing
        raise DeviceError(layout('device="cuda" cannot be used here', None, why, remedy))
    return Provider(f"{cuda.__name__} of {version_of(cuda)}", cuda, False, 256, 16, 1024)


def version_of(cuda: Any) -> str:
    """The package that gives `numba.cuda`, with its version."""
    if "numba_cuda" in str(cuda.__file__):
        return f"numba-cuda {getattr(cuda, '__version__', '')}".strip()
    return f"numba {numba.__version__}"


def missing_part(cuda: Any) -> tuple[str, str] | None:
    """Why kernels cannot run and what to do, or None where they can."""
    simulate = "or set NUMBA_ENABLE_CUDASIM=1 before Python starts to run kernels in numba's simulator"
    error = cuda.cuda_error()
    if error is not None and str(error).strip():
        reason = " ".join(str(error).split())
        return f"No CUDA driver answers: {reason}", f'Run on a machine with an NVIDIA GPU and its driver, {simulate}, or use device="cpu".'
    if not cuda.is_available():
        return (
            "NVVM, NVIDIA's compiler library, is not found.",
            f'Install it with `pip install "autograph-jit[cuda]"` (the wheel nvidia-nvvm), set CUDA_HOME to a CUDA toolkit, {simulate}.',
        )
    return None


def find_nvvm() -> str:
    """Point numba at the wheel nvidia-nvvm for what no CUDA toolkit gives; says where NVVM comes from.

    A toolkit comes first: it fits the machine's driver, while the newest wheel may write PTX that the driver does not know.
    """
    paths: dict[str, Any] = importlib.import_module("numba.cuda.cuda_paths").get_cuda_paths()
    library, device_code = ("nvvm64*.dll" if sys.platform == "win32" else "libnvvm.so*"), "libdevice*.bc"
    if paths["nvvm"].info is None and not is_loadable("libnvvm.so"):
        use_wheel(paths, "nvvm", library)
    if paths["libdevice"].info is None:
        use_wheel(paths, "libdevice", device_code)
    return str(paths["nvvm"].by)


def is_loadable(library: str) -> bool:
    """Whether the system's loader finds a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def use_wheel(paths: dict[str, Any], part: str, pattern: str) -> None:
    """Enter a file of a wheel among numba's paths, if there is one."""
    found = find_in_wheels(pattern)
    if found is not None:
        paths[part] = type(paths[part])("wheel nvidia-nvvm", str(found))


def find_in_wheels(pattern: str) -> Path | None:
    """A file of NVIDIA's wheels, the newest version."""
    spec = importlib.util.find_spec("nvidia")
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return max((path for folder in folders for path in Path(folder).rglob(pattern)), default=None)


def has_nvvm() -> bool:
    """Whether kernels can be compiled to PTX on this machine, with or without a GPU."""
    if numba_config.ENABLE_CUDASIM:
        return False
    find_nvvm()
    nvvm = importlib.import_module("numba.cuda.cudadrv.nvvm")
    try:
        nvvm.NVVM()
    except nvvm.NvvmSupportError:
        return False
    return True

"""Arrays on the device: descriptors of shared memory, as NumPy's views are, so that aliasing keeps its meaning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph_jit.backends.cuda.provider import provider
from autograph_jit.errors import DeviceError, layout
from autograph_jit.records import dataclass


class Buffer:
    """Device memory: bytes, seen as a vector of any dtype.

    address     of its first byte on the device
    is_written  whether a kernel may have written it since it was last equal to the host memory that it mirrors
    owner       the object of another library whose memory it is, or None
    """

    __slots__ = ("device", "size_bytes", "address", "is_written", "vectors", "owner")

    def __init__(self, device: Any, size_bytes: int, owner: Any = None) -> None:
        self.device, self.size_bytes, self.owner = device, size_bytes, owner
        self.address = provider().address(device)
        self.is_written = False
        self.vectors: dict[np.dtype, Any] = {}

    def vector(self, dtype: np.dtype) -> Any:
        """The memory as a vector of a dtype, for a kernel."""
        if dtype not in self.vectors:
            self.vectors[dtype] = provider().typed(self.device, dtype)
        return self.vectors[dtype]

    def download(self) -> np.ndarray:
        """A copy of the bytes on the host."""
        return provider().download(self.device, self.size_bytes)

    def upload(self, content: np.ndarray) -> None:
        """Replace the bytes."""
        provider().upload(content, self.device)


def allocate_buffer(size_bytes: int) -> Buffer:
    """Fresh device memory."""
    return Buffer(provider().allocate(size_bytes), size_bytes)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceArray:
    """A strided view of a buffer; offset and strides in bytes."""

    buffer: Buffer
    dtype: np.dtype
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def start(self) -> int:
        """The offset in elements."""
        return self.offset // self.dtype.itemsize

    def element_strides(self) -> tuple[int, ...]:
        """Strides in elements."""
        return tuple(stride // self.dtype.itemsize for stride in self.strides)

    def bounds(self) -> tuple[int, int]:
        """Addresses of the first byte and of the end; equal for an empty array."""
        low, high = extent(self.shape, self.strides, self.dtype.itemsize)
        base = self.buffer.address + self.offset
        return base + low, base + high

    def shadow(self) -> np.ndarray:
        """A host array of the same layout over memory that must not be read: NumPy's own rules for views apply to it."""
        return np.lib.stride_tricks.as_strided(np.empty(1, self.dtype), self.shape, self.strides)

    def view_like(self, shadow: np.ndarray, view: np.ndarray) -> DeviceArray:
        """The view of this array that `view` is of its shadow."""
        offset = self.offset + address_of(view) - address_of(shadow)
        return DeviceArray(self.buffer, view.dtype, offset, view.shape, view.strides)

    def host_view(self, content: np.ndarray, first: int = 0) -> np.ndarray:
        """The array over bytes that stand for the buffer from byte `first` on."""
        return np.ndarray(self.shape, self.dtype, content, self.offset - first, self.strides)

    def is_same(self, other: DeviceArray) -> bool:
        """Whether two arrays have the same pointer, shape and strides."""
        same = self.buffer.address + self.offset == other.buffer.address + other.offset
        return same and (self.shape, self.strides) == (other.shape, other.strides)

    def overlaps(self, other: DeviceArray) -> bool:
        """Whether the memory bounds of two arrays overlap."""
        (low, high), (other_low, other_high) = self.bounds(), other.bounds()
        return low < other_high and other_low < high


@dataclass(frozen=True, slots=True, eq=False)
class DeviceScalar:
    """A number that a kernel computed and that the host has not read yet: the only element of a buffer that nothing else names."""

    array: DeviceArray

    def read(self) -> Any:
        return read_element(self.array, ())


def address_of(array: np.ndarray) -> int:
    """The host address of an array's first element."""
    return array.__array_interface__["data"][0]


def extent(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """The bytes that a layout reaches, relative to its first element: from, to."""
    if 0 in shape:
        return 0, 0
    reach = [(size - 1) * stride for size, stride in zip(shape, strides)]
    return sum(step for step in reach if step < 0), sum(step for step in reach if step > 0) + itemsize


def c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides of C order, as NumPy gives them to a fresh array."""
    strides = []
    stride = itemsize
    for size in reversed(shape):
        strides.append(stride)
        stride *= max(size, 1)
    return tuple(reversed(strides))


def allocate(shape: tuple[int, ...], dtype: np.dtype) -> DeviceArray:
    """A fresh array in C order, not initialised."""
    return DeviceArray(allocate_buffer(math.prod(shape) * dtype.itemsize), dtype, 0, shape, c_strides(shape, dtype.itemsize))


def upload(values: Any) -> DeviceArray:
    """A fresh device array with the values of a host array."""
    content = np.array(values, order="C")
    result = allocate(content.shape, content.dtype)
    result.buffer.upload(content.reshape(-1).view(np.uint8) if content.size else np.zeros(0, np.uint8))
    return result


def download(array: DeviceArray) -> np.ndarray:
    """A fresh host array with the values of a device array."""
    return np.array(array.host_view(array.buffer.download()), order="C")


def read_element(array: DeviceArray, index: tuple[int, ...]) -> Any:
    """One element as a NumPy scalar."""
    position = array.start + sum(i * stride for i, stride in zip(index, array.element_strides()))
    return array.dtype.type(array.buffer.vector(array.dtype)[position])


def write_element(array: DeviceArray, index: tuple[int, ...], value: Any) -> None:
    """Write one element."""
    position = array.start + sum(i * stride for i, stride in zip(index, array.element_strides()))
    array.buffer.vector(array.dtype)[position : position + 1].copy_to_device(np.array([value], array.dtype))
    array.buffer.is_written = True


def adopt(leaf: Any) -> DeviceArray:
    """A descriptor of a device array that another library made (`__cuda_array_interface__`); its memory is used in place."""
    dtype, address, shape, strides = provider().layout_of(leaf)
    low, high = extent(shape, strides, dtype.itemsize)
    if any(stride % dtype.itemsize for stride in strides):
        raise unaligned(dtype)
    return DeviceArray(Buffer(provider().bytes_at(leaf, address + low, high - low), high - low, leaf), dtype, -low, shape, strides)


def unaligned(dtype: np.dtype) -> DeviceError:
    """Memory that a kernel cannot address as a vector of a dtype."""
    return DeviceError(
        layout(
            f"an array of {dtype} cannot be used on the device",
            None,
            "Its elements do not lie at multiples of their size.",
            "Pass a copy: np.ascontiguousarray(x).",
        )
    )

"""Which host memory a device buffer mirrors, and when the two are made equal.

Arguments are mirrored from the call's entry to its end; arrays given to Python during the call, from then on while Python holds
them. Before Python runs, what kernels wrote is copied to the host; after it, the host's memory is copied to the device.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_jit.backends.cuda.memory import Buffer, DeviceArray, address_of, allocate_buffer, extent, unaligned
from autograph_jit.records import dataclass

# References to an array that only a residence holds: its tuple, its content or its owner, a local name, an argument.
OWN_REFERENCES = 4


class HostSpan:
    """Host memory of an array's owner, as NumPy's array interface: bytes from the lowest to the highest that its views reach."""

    def __init__(self, low: int, size_bytes: int, owner: Any, readonly: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (low, readonly), "shape": (size_bytes,), "typestr": "|u1", "version": 3}


@dataclass(slots=True, eq=False)
class Residence:
    """Host memory that a buffer mirrors.

    content     its bytes; those of the buffer start at `first`
    arrays      the arrays whose elements are copied back; what lies between them is left alone
    is_kept     whether it lasts until the call's end although Python may have dropped the arrays
    """

    buffer: Buffer
    content: np.ndarray
    first: int
    arrays: tuple[np.ndarray, ...]
    is_kept: bool

    def copy_to_host(self) -> None:
        """Give the host what kernels wrote."""
        if not self.buffer.is_written:
            return
        copied, low = self.buffer.download(), address_of(self.content)
        for array in self.arrays:
            start = address_of(array) - low + self.first
            np.copyto(array, np.ndarray(array.shape, array.dtype, copied, start, array.strides))
        self.buffer.is_written = False

    def copy_to_device(self) -> None:
        """Give the device what the host wrote."""
        self.buffer.upload(np.concatenate([np.zeros(self.first, np.uint8), self.content]))
        self.buffer.is_written = False

    def is_needed(self) -> bool:
        """Whether Python can still see the memory."""
        return self.is_kept or any(array.base is not None or sys.getrefcount(array) > OWN_REFERENCES for array in self.arrays)


class Residences:
    """The residences of one call."""

    def __init__(self) -> None:
        self.all: list[Residence] = []

    def enter(self, arrays: Sequence[np.ndarray], is_kept: bool) -> list[DeviceArray]:
        """Mirror host arrays; those whose memory overlaps share a buffer."""
        for group in overlapping_groups(arrays):
            self.all.append(mirror_host(group, is_kept))
        return [self.find(array) for array in arrays]

    def find(self, array: np.ndarray) -> DeviceArray:
        """The device array of a mirrored host array."""
        low, high = extent(array.shape, array.strides, array.itemsize)
        start = address_of(array)
        for residence in self.all:
            base = address_of(residence.content)
            if base <= start + low and start + high <= base + residence.content.size and fits(residence, array, base):
                return DeviceArray(residence.buffer, array.dtype, start - base + residence.first, array.shape, array.strides)
        return self.enter([array], False)[0]

    def host_array(self, array: DeviceArray) -> np.ndarray:
        """The host array of a device array, over the memory that its buffer mirrors."""
        for residence in self.all:
            if residence.buffer is array.buffer:
                break
        else:
            content = array.buffer.download()
            array.buffer.is_written = False
            residence = Residence(array.buffer, content, 0, (content,), False)
            self.all.append(residence)
        for known in residence.arrays:
            if is_mirror(known, array, residence):
                return known
        return array.host_view(residence.content, residence.first)

    def copy_to_host(self) -> None:
        """Make every host array equal to its buffer."""
        for residence in self.all:
            residence.copy_to_host()

    def copy_to_device(self) -> None:
        """Make every buffer equal to its host memory, and forget memory that Python cannot see any more."""
        for residence in self.all:
            residence.copy_to_device()
        self.all = [residence for residence in self.all if residence.is_needed()]


def fits(residence: Residence, array: np.ndarray, base: int) -> bool:
    """Whether a kernel can address the array inside the buffer; an empty array fits anywhere it starts."""
    offset = address_of(array) - base + residence.first
    return not any(number % array.itemsize for number in (offset, *array.strides))


def is_mirror(known: np.ndarray, array: DeviceArray, residence: Residence) -> bool:
    """Whether a device array is exactly a mirrored host array."""
    offset = address_of(known) - address_of(residence.content) + residence.first
    return (known.dtype, known.shape, known.strides, offset) == (array.dtype, array.shape, array.strides, array.offset)


def overlapping_groups(arrays: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
    """Arrays by the memory that they reach: those of one group are connected by overlaps."""
    groups: list[list[np.ndarray]] = []
    reach = -1
    for array in sorted(arrays, key=lambda array: address_of(array) + extent(array.shape, array.strides, array.itemsize)[0]):
        low, high = extent(array.shape, array.strides, array.itemsize)
        if groups and address_of(array) + low < reach:
            groups[-1].append(array)
        else:
            groups.append([array])
        reach = max(reach, address_of(array) + high)
    return groups


def mirror_host(arrays: list[np.ndarray], is_kept: bool) -> Residence:
    """Copy the memory that arrays reach to the device, so placed that the widest elements lie at multiples of their size."""
    ends = [(address_of(array), *extent(array.shape, array.strides, array.itemsize)) for array in arrays]
    low = min(start + below for start, below, _ in ends)
    high = max(start + above for start, _, above in ends)
    widest = max(arrays, key=lambda array: array.itemsize)
    first = (low - address_of(widest)) % widest.itemsize
    readonly = not any(array.flags.writeable for array in arrays)
    content = np.asarray(HostSpan(low, high - low, arrays, readonly)) if high > low else empty_at(arrays)
    residence = Residence(allocate_buffer(first + high - low), content, first, tuple(arrays), is_kept)
    if not all(fits(residence, array, low) for array in arrays):
        raise unaligned(widest.dtype)
    residence.copy_to_device()
    return residence


def empty_at(arrays: list[np.ndarray]) -> np.ndarray:
    """No bytes, at the address of arrays without elements."""
    return np.ndarray((0,), np.uint8, arrays[0])

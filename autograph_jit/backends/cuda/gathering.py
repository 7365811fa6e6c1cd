"""Reading and writing at places that index arrays tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.backends.cuda.domains import Strides, broadcast, broadcasts_to, merge_axes, walk
from autograph_jit.backends.cuda.kernel_text import gather_kernel, scatter_kernel
from autograph_jit.backends.cuda.launch import array_arguments, size_arguments
from autograph_jit.backends.cuda.memory import DeviceArray, allocate
from autograph_jit.backends.cuda.rules import rule
from autograph_jit.backends.cuda.run import Run
from autograph_jit.ir.graph import Operation

I64 = np.dtype(np.int64)
ATOMIC_DTYPES = {
    "add": ("int32", "int64", "uint32", "uint64", "float32", "float64"),
    "subtract": ("int32", "int64", "uint32", "uint64", "float32", "float64"),
    "min": ("int32", "int64", "uint32", "uint64"),
    "max": ("int32", "int64", "uint32", "uint64"),
}


class Subscript:
    """A subscript of index arrays and full slices on one array: its domain and how the domain walks what takes part."""

    def __init__(self, array: DeviceArray, items: tuple[tuple[str, ...], ...], indices: list[DeviceArray]) -> None:
        shape = broadcast([index.shape for index in indices])
        assert shape is not None
        self.array, self.indices = array, indices
        self.axes = [axis for axis, item in enumerate(items) if item[0] == "array"]
        full = [axis for axis, item in enumerate(items) if item[0] == "full"]
        adjacent = self.axes == list(range(self.axes[0], self.axes[0] + len(self.axes)))
        before = [axis for axis in full if adjacent and axis < self.axes[0]]
        self.order: list[int | None] = [*before, *([None] * len(shape)), *(axis for axis in full if axis not in before)]
        self.first, self.index_shape = len(before), shape
        sizes = [*(array.shape[axis] for axis in before), *shape, *(array.shape[axis] for axis in full if axis not in before)]
        self.domain = tuple(sizes)

    def place_walk(self, strides: Strides) -> Strides:
        """How the domain walks an array of the subscripted array's shape; the axes of the index arrays are added by the kernel."""
        return tuple(0 if axis is None else strides[axis] for axis in self.order)

    def index_walks(self) -> list[Strides]:
        after = len(self.domain) - self.first - len(self.index_shape)
        return [(0,) * self.first + walk(index, self.index_shape) + (0,) * after for index in self.indices]

    def index_arguments(self, walks: list[Strides]) -> dict[str, Any]:
        """What `gathered_place` declares."""
        strides = self.array.element_strides()
        arguments: dict[str, Any] = {}
        for k, (index, axis, steps) in enumerate(zip(self.indices, self.axes, walks)):
            arguments |= array_arguments(f"index{k}", index, steps)
            arguments |= {f"size{k}": self.array.shape[axis], f"stride{k}": strides[axis]}
        return arguments

    @property
    def count(self) -> int:
        return int(np.prod(self.domain, dtype=np.int64))


def subscript_of(run: Run, operation: Operation, first: int) -> Subscript | None:
    """The subscript of an operation whose operands from `first` on are its indices; None for one that the host is to judge."""
    array = run.array(operation.operands[0])
    indices = [run.values[value] for value in operation.operands[first:]]
    if not indices or not all(isinstance(index, DeviceArray) for index in indices) or broadcast([index.shape for index in indices]) is None:
        return None
    found = Subscript(array, operation.attributes["items"], indices)
    return found if found.count else None


def takes_gather(run: Run, operation: Operation) -> bool:
    """Whether a gather has index arrays that fit each other, and a result with elements."""
    return subscript_of(run, operation, 1) is not None


@rule("gather")
def run_gather(run: Run, operation: Operation) -> tuple[Any, ...]:
    found = subscript_of(run, operation, 1)
    assert found is not None
    result = allocate(found.domain, found.array.dtype)
    walks = [result.element_strides(), found.place_walk(found.array.element_strides()), *found.index_walks()]
    sizes, (out_walk, place_walk, *index_walks) = merge_axes(found.domain, walks)
    arguments = {
        **size_arguments("i", sizes),
        **array_arguments("out", result, out_walk),
        **array_arguments("x", found.array, place_walk),
        **found.index_arguments(index_walks),
        "site": run.expect_failure(operation),
    }
    run.launch_elements(gather_kernel(result.dtype, len(found.indices), len(sizes)), found.count, arguments)
    return (result,)


def takes_scatter(run: Run, operation: Operation) -> bool:
    """Whether the device can scatter: indices and value that fit, and for accumulation an atomic operation."""
    found, mode = subscript_of(run, operation, 2), operation.attributes["mode"]
    if found is None or (mode != "set" and found.array.dtype.name not in ATOMIC_DTYPES.get(mode, ())):
        return False
    value = run.values[operation.operands[1]]
    return not isinstance(value, DeviceArray) or broadcasts_to(value.shape, found.domain)


@rule("scatter")
def run_scatter(run: Run, operation: Operation) -> tuple[Any, ...]:
    """All places are checked before the first is written; of duplicates the last wins, or all are accumulated."""
    found, mode = subscript_of(run, operation, 2), operation.attributes["mode"]
    assert found is not None
    target = found.array
    found.indices = [run.fresh_copy(index) if index.overlaps(target) else index for index in found.indices]
    value = run.values[operation.operands[1]]
    if isinstance(value, DeviceArray) and value.overlaps(target):
        value = run.fresh_copy(value)
    bound = run.bind([value], [target.dtype], found.domain)
    owner = target
    if mode == "set":
        owner = allocate(target.shape, I64)
        run.copy_into(owner, np.int64(-1))
    walks = [*bound.walks, found.place_walk(target.element_strides()), found.place_walk(owner.element_strides()), *found.index_walks()]
    sizes, (value_walk, place_walk, owner_walk, *index_walks) = merge_axes(found.domain, walks)
    shared = {**size_arguments("i", sizes), **found.index_arguments(index_walks), "site": run.expect_failure(operation)}
    writing = {**shared, **array_arguments("y", target, place_walk), **bound.arguments([value_walk])}
    for step in ("check", "claim", mode) if mode == "set" else ("check", mode):
        arguments = writing
        if step == "claim":
            strides = {f"stride{k}": owner.element_strides()[axis] for k, axis in enumerate(found.axes)}
            arguments = {**shared, **array_arguments("y", owner, owner_walk), **strides}
        elif step == "set":
            strides = {f"owner_stride{k}": owner.element_strides()[axis] for k, axis in enumerate(found.axes)}
            arguments = {**writing, **array_arguments("owner", owner, owner_walk), **strides}
        kernel = scatter_kernel(target.dtype, step, bound.leaves[0], len(found.indices), len(sizes))
        run.launch_elements(kernel, found.count, arguments)
    target.buffer.is_written = True
    return ()

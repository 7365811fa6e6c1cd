"""Sizes of slices that are proved to lie inside their array: `x[2 * i : 2 * i + 2]` has two elements wherever `2 * i + 2 <= n`.

Staging labels such a size by its expression; here every mention of the label is replaced by the size that is proved. What a branch
says of the bounds is not used, since the same label may stand outside the branch.
"""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.dims import Dim, Size, combine, scale
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.inequalities import is_single_atom
from autograph_jit.ir.types import ArrayType, Type
from autograph_jit.kernels.ranges import Ranges, names_in


def settle_slice_sizes(graph: Graph, ranges: Ranges) -> bool:
    """Put proved sizes in the place of labels in all types and attributes of a graph; whether there was any."""
    found: dict[str, Size] = {}
    for operation in graph.walk():
        if operation.name == "basic_index":
            found.update(proved_sizes(operation, ranges))
    if found:
        replace_sizes(graph.block, found)
    return bool(found)


def has_labels(graph: Graph) -> bool:
    """Whether a slice has a size that is a label of its own."""
    slices = (operation.result.type for operation in graph.walk() if operation.name == "basic_index")
    return any(isinstance(type_, ArrayType) and any(map(is_label, type_.dims)) for type_ in slices)


def is_label(size: Size) -> bool:
    """Whether a size is one label of what was computed while tracing (`tracing.arrays.sizes`), as that of a slice."""
    return is_single_atom(size) and str(size).startswith("d:")


def proved_sizes(operation: Operation, ranges: Ranges) -> dict[str, Size]:
    """The sizes by label of the slices that one operation takes."""
    source, result = operation.operands[0].type, operation.result.type
    assert isinstance(source, ArrayType) and isinstance(result, ArrayType)
    numbers, dims, axes = iter(operation.operands[1:]), iter(result.dims), iter(source.dims)
    found = {}
    for kind, *present in operation.attributes["items"]:
        size = None if kind == "newaxis" else next(axes)
        bounds = [next(numbers) if there else None for there in present] if kind == "slice" else []
        if kind == "int":
            next(numbers)
            continue
        label = next(dims)
        if kind == "slice" and size is not None and is_label(label) and bounds[2] is None:
            length = proved_length(ranges, bounds[0], bounds[1], size)
            if length is not None and not any(name.startswith("v") for name in names_in(length)):
                found[str(label)] = length
    return found


def proved_length(ranges: Ranges, start: Value | None, stop: Value | None, size: Size) -> Size | None:
    """stop - start where 0 <= start <= stop <= size is proved."""
    low, high = 0 if start is None else ranges.affine(start), size if stop is None else ranges.affine(stop)
    inside = (low, combine(high, low, -1), combine(size, high, -1))
    return inside[1] if all(ranges.is_surely_nonnegative(way, None) for way in inside) else None


def replace_sizes(block: Block, found: dict[str, Size]) -> None:
    for value in block.args:
        value.type = replaced_type(value.type, found)
    for operation in block.operations:
        for value in operation.results:
            value.type = replaced_type(value.type, found)
        for name in ("dims", "results"):
            if name in operation.attributes:
                operation.attributes[name] = tuple(replaced_entry(entry, found) for entry in operation.attributes[name])
        for region in operation.regions:
            replace_sizes(region, found)


def replaced_entry(entry: Any, found: dict[str, Size]) -> Any:
    """A size or a type of an attribute with its labels replaced."""
    return replaced_size(entry, found) if isinstance(entry, int | Dim) else replaced_type(entry, found)


def replaced_type(type: Type, found: dict[str, Size]) -> Type:
    return ArrayType(type.dtype, tuple(replaced_size(dim, found) for dim in type.dims)) if isinstance(type, ArrayType) else type


def replaced_size(size: Size, found: dict[str, Size]) -> Size:
    for name, coefficient in size.terms if isinstance(size, Dim) else ():
        if name in found:
            size = combine(combine(size, scale(Dim(((name, 1),)), coefficient), -1), scale(found[name], coefficient), 1)
    return size

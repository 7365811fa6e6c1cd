"""Index domains: how arrays are walked by the axes of a domain, and how axes are merged that every array walks as one."""

from __future__ import annotations

from autograph_jit.backends.cuda.memory import DeviceArray

Strides = tuple[int, ...]


def walk(array: DeviceArray, domain: tuple[int, ...]) -> Strides:
    """Strides in elements of an array that is broadcast to a domain; leading axes of size 1 that the domain lacks are dropped."""
    extra = len(array.shape) - len(domain)
    shape, strides = array.shape[max(extra, 0) :], array.element_strides()[max(extra, 0) :]
    repeated = tuple(0 if size == 1 else stride for size, stride in zip(shape, strides))
    return (0,) * max(-extra, 0) + repeated


def merge_axes(sizes: tuple[int, ...], walks: list[Strides]) -> tuple[tuple[int, ...], list[Strides]]:
    """The same domain, in C order, with as few axes as the strides allow, at least one."""
    merged: list[int] = []
    columns: list[list[int]] = []
    for axis, size in enumerate(sizes):
        if size == 1:
            continue
        steps = [strides[axis] for strides in walks]
        if merged and all(outer == step * size for outer, step in zip(columns[-1], steps)):
            merged[-1] *= size
            columns[-1] = steps
        else:
            merged.append(size)
            columns.append(steps)
    if not merged:
        return (1,), [(0,) for _ in walks]
    return tuple(merged), [tuple(column[k] for column in columns) for k in range(len(walks))]


def broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The shape that shapes broadcast to, or None where they do not."""
    rank = max((len(shape) for shape in shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if size != 1 and result[axis] not in (1, size):
                return None
            if size != 1:
                result[axis] = size
    return tuple(result)


def broadcasts_to(shape: tuple[int, ...], domain: tuple[int, ...]) -> bool:
    """Whether an array of this shape can be assigned to one of the domain's shape."""
    extra = max(len(shape) - len(domain), 0)
    if any(size != 1 for size in shape[:extra]):
        return False
    return all(size in (1, wanted) for size, wanted in zip(reversed(shape[extra:]), reversed(domain)))


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as NumPy's messages have it."""
    return str(shape).replace(" ", "")


def accepts_shape(shape: tuple[int, ...], strides: Strides, wanted: tuple[int, ...]) -> Strides | None:
    """Strides of a view of `wanted` shape on memory of this layout, or None where NumPy's reshape must copy."""
    if 0 in shape:
        return None
    runs = [(size, stride) for size, stride in zip(shape, strides) if size != 1]
    found: list[int] = []
    left = [size for size in wanted if size != 1]
    while runs:
        old, new = [runs.pop(0)], [left.pop(0)]
        old_size, new_size = old[0][0], new[0]
        while old_size != new_size:
            if new_size < old_size:
                new.append(left.pop(0))
                new_size *= new[-1]
            else:
                old.append(runs.pop(0))
                old_size *= old[-1][0]
        if any(outer[1] != inner[1] * inner[0] for outer, inner in zip(old, old[1:])):
            return None
        steps = [old[-1][1]]
        for size in reversed(new[1:]):
            steps.append(steps[-1] * size)
        found += reversed(steps)
    return insert_ones(wanted, found, strides[-1] if strides else 0)


def insert_ones(wanted: tuple[int, ...], found: list[int], last: int) -> Strides:
    """The strides of axes that are not 1, completed as NumPy completes them."""
    rest = list(found)
    result: list[int] = []
    for size in reversed(wanted):
        result.append(rest.pop() if size != 1 else (result[-1] if result else last))
    return tuple(reversed(result))

"""Where slices lie in the array that they are slices of, as far as it is known when a program is compiled."""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, Value, literal_of
from autograph_jit.ir.rotations import dims_of

FARTHEST = 8  # elements between the ends of two slices: what one of them has alone is walked element by element
Starts = tuple[int, ...]


def place_of(value: Value) -> tuple[Value, Starts | None]:
    """The array that a value is a slice of, with step 1 on every axis, and where it starts; None where that is not known."""
    operation = value.owner
    if not isinstance(operation, Operation) or operation.name != "basic_index":
        return value, (0,) * len(dims_of(value))
    numbers = iter(operation.operands[1:])
    starts = []
    for kind, *present in operation.attributes["items"]:
        bounds = [next(numbers) if there else None for there in present] if kind == "slice" else [None, None, None]
        if kind not in ("slice", "full") or bounds[2] is not None:
            return value, (0,) * len(dims_of(value))
        start = 0 if bounds[0] is None else literal_of(bounds[0])
        if start is None or start < 0:
            return value, None
        starts.append(start)
    return operation.operands[0], tuple(starts)


def are_near(values: list[Value]) -> bool:
    """Whether all are slices of one array, or the array, that begin a few elements apart; one alone is near itself."""
    (array, first), *others = map(place_of, values)
    return all(other is array and begin_near(first, starts) for other, starts in others)


def begin_near(x: Starts | None, y: Starts | None) -> bool:
    """Whether two slices are known to begin a few elements apart."""
    return x is not None and y is not None and all(abs(start - other) <= FARTHEST for start, other in zip(x, y))

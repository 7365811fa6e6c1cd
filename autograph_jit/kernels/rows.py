"""Rows of one array whose numbers differ by a constant: they have no element in common.

kept[i + 1][1:-1] = f(kept[i])      needs no temporary
"""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, Value, constant_of


def are_different_rows(x: Value, y: Value) -> bool:
    """Whether two arrays are parts of different rows of an array, by numbers that are in bounds."""
    rows = dict(rows_around(x))
    return any(any(map(is_far_from, rows.get(array, ()), numbers)) for array, numbers in rows_around(y))


def rows_around(value: Value) -> list[tuple[Value, list[Value]]]:
    """The arrays that a value is in a row of, innermost first, with the numbers of the row."""
    found = []
    while isinstance(value.owner, Operation) and value.owner.name == "basic_index":
        array, *numbers = value.owner.operands
        items = value.owner.attributes["items"]
        count = next((place for place, item in enumerate(items) if item[0] != "int"), len(items))
        if count and value.owner.attributes.get("proved"):
            found.append((array, numbers[:count]))
        value = array
    return found


def is_far_from(x: Value, y: Value) -> bool:
    """Whether one number is another one and a constant, which is not zero."""
    return is_next(x, y) or is_next(y, x)


def is_next(x: Value, y: Value) -> bool:
    """Whether the second number is the first one and a constant, which is not zero."""
    owner = y.owner
    if not isinstance(owner, Operation) or owner.name != "add" or x not in owner.operands:
        return False
    other = owner.operands[1] if owner.operands[0] is x else owner.operands[0]
    return bool(constant_of(other))

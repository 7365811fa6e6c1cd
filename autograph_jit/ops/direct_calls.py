"""Host calls that need nothing between a backend and the function: given operands and constants, they give an object or a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.records import dataclass

NEXT_LEVEL = "recursive call of "  # how the label of a call begins that goes on with a recursion in Python
READS_INSTANCES = "attributes of instances"  # the label of the host calls that read them in
PYTHON_NUMBERS: dict[Any, type] = {np.dtype(np.int64): int, np.dtype(np.float64): float, np.dtype(np.bool_): bool}


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """One argument: the operand of a number, as an object or as a number of the type `convert`; a tuple of such `items`; or a constant."""

    operand: int | None = None
    convert: Callable[[Any], Any] | None = None
    items: tuple[Given, ...] | None = None
    constant: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class DirectCall:
    """What may be called instead of a host call's `fn`. Where the host call gives a bool, it is what Python takes the result for, where it
    gives another number, the one that the result is; where it has no result, that of the function is dropped."""

    function: Callable[..., Any]
    arguments: tuple[Given, ...]


def direct_call(fn: Callable[..., Any]) -> DirectCall | None:
    """The direct form of a host call's function, where it has one."""
    return getattr(fn, "direct", None)


def item_of(items: Any, key: Any) -> Any:
    """An item of a list of the run, or of an array that is gone through."""
    return list.__getitem__(items, key) if isinstance(items, list) else items[key]


def append_item(items: list[Any], item: Any) -> None:
    """Make a list of the run longer."""
    list.append(items, item)

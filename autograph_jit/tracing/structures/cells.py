"""Captured variables that change, as instances of a class that stands for the variable: of each call of the function that has it, one.

Before: counters in a list, each with `nonlocal n`
After:  a native list of what `n` holds in each call, where the functions hold the number of the row
"""

from __future__ import annotations

from typing import ClassVar
from weakref import WeakValueDictionary

from autograph_jit.source import Variable

IN_CELLS = "cells"  # a decision, with the variable
CLASSES: WeakValueDictionary[Variable, type] = WeakValueDictionary()


class Cell:
    """Base of these classes."""

    variable: ClassVar[Variable]


def cell_class(variable: Variable) -> type:
    """The class of the cells of a variable."""
    found = CLASSES.get(variable)
    if found is None:
        filename, line, name = variable
        entries = {"variable": variable, "__module__": filename, "__qualname__": f"cell of {name} at {line}"}
        found = CLASSES[variable] = type("cell", (Cell,), entries)
    return found


def is_cell(kind: type) -> bool:
    """Whether a class stands for a variable."""
    return issubclass(kind, Cell)

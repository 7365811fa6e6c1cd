"""Special methods that a program calls by name on an array or number: `x.__add__(y)`, `n.__float__()`, `x.__iadd__(1)`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.sequences.operand_texts import like
from autograph_jit.tracing.values.abstract import SYMBOLS, StagedArray, StagedScalar
from autograph_jit.tracing.values.language import language

COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
UNARY = {"neg": "-", "pos": "+", "abs": "abs", "invert": "~"}
BUILTINS: dict[str, Any] = {kind.__name__: kind for kind in (len, int, float, complex, bool, str, repr, round, hash, format)}


def arithmetic(symbol: str, name: str, swapped: bool = False, inplace: bool = False) -> Callable[..., Any]:
    """The method of a binary operator; NotImplemented where the class of a number leaves the operation to the other operand."""

    def method(x: Any, other: Any) -> Any:
        if isinstance(x, StagedScalar) and isinstance(other, (StagedScalar, int, float, complex, str, type(None))):
            example = like(other) if isinstance(other, StagedScalar) or other is None else type(other)(1)
            if getattr(like(x), name)(example) is NotImplemented:
                return NotImplemented
        if inplace:
            return language.inplace(symbol, x, other)
        return language.binary(symbol, *((other, x) if swapped else (x, other)))

    return method


def unary(symbol: str) -> Callable[..., Any]:
    return lambda x: language.unary(symbol, x)


def builtin(function: Any) -> Callable[..., Any]:
    return lambda x, *rest: language.call(function, (x, *rest), None)


METHODS: dict[str, Callable[..., Any]] = {
    "__getitem__": lambda x, key: language.getitem(x, key),
    "__setitem__": lambda x, key, value: language.setitem(x, key, value),
    "__contains__": lambda x, item: language.compare("in", item, x),
    "__index__": builtin(operator.index),
}
METHODS |= {f"__{name}__": builtin(function) for name, function in BUILTINS.items()}
METHODS |= {f"__{name}__": unary(symbol) for name, symbol in UNARY.items()}
METHODS |= {f"__{name}__": arithmetic(symbol, f"__{name}__") for name, symbol in (SYMBOLS | COMPARISONS).items()}
METHODS |= {f"__r{name}__": arithmetic(symbol, f"__r{name}__", swapped=True) for name, symbol in SYMBOLS.items()}
METHODS |= {f"__i{name}__": arithmetic(symbol, f"__i{name}__", inplace=True) for name, symbol in SYMBOLS.items() if name != "divmod"}


def has_attribute(kind: type, name: str) -> bool:
    """Whether instances of a class of Python's or NumPy's have an attribute."""
    return any(name in vars(base) for base in kind.__mro__)


def explicit_method(x: StagedArray | StagedScalar, name: str) -> Callable[..., Any] | None:
    """The form of a special method that the type of x has; None where there is none."""
    kind = np.ndarray if isinstance(x, StagedArray) else x.python_type
    return METHODS.get(name) if has_attribute(kind, name) else None

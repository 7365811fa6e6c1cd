"""The definition of one operation, complete in one place: types, eager rule, kernel description, effect."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from autograph_jit.ir.derivative import Rule
from autograph_jit.ir.types import Type
from autograph_jit.records import dataclass

Attributes = Mapping[str, Any]


class Effect(enum.Enum):
    """What an operation does to memory and to the world."""

    PURE = "pure"  # reads its array operands, makes fresh results; may be removed, merged, moved across anything but writes
    VIEW = "view"  # its result is a view of operand 0: no memory is read
    WRITE = "write"  # writes memory that operand 0 refers to
    HOST = "host"  # calls Python: ordered, may read and write anything it is given
    DRAW = "draw"  # advances a stream of random numbers: ordered among its like, touches no memory of the program
    CONTROL = "control"  # has regions, ends a block or counts: the effects of its regions


@dataclass(frozen=True, slots=True)
class Pointwise:
    """Elementwise: `expression(*operands, **attributes)` over `ir.scalar` expressions, one per operand; broadcasting is implied."""

    expression: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Reduction:
    """Over `ir.scalar` expressions, `op` being the operation's attribute: `init(op, dtype)` is the identity, or None where an empty
    reduction is an error; `combine(op, total, x)` takes in one element."""

    init: Callable[[str, Any], Any]
    combine: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ViewMap:
    """A new descriptor of the same memory."""


@dataclass(frozen=True, slots=True)
class Library:
    """A routine of the backend's library, or a host call where the backend has none."""


@dataclass(frozen=True, slots=True)
class Structured:
    """Lowered by a rule of its own in each backend: control flow, memory, lists, host calls."""


Kernel = Pointwise | Reduction | ViewMap | Library | Structured


@dataclass(frozen=True, slots=True)
class OpDef:
    """One operation.

    infer       (operand types, attributes) -> result types; raises GraphError on operands that do not fit
    eager       (*operands, **attributes) -> result or tuple of results, on NumPy values: the meaning of the operation
    kernel      data that describes the computation to a backend
    effect      what it does to memory and to the world
    may_fail    whether it can leave the program with an exception
    vjp, jvp    the derivative in reverse and in forward mode, or why there is none: see `ir.derivative`
    fails       (operand types, attributes) -> whether this use of it can; None where every use of an op that may fail can
    """

    name: str
    infer: Callable[[tuple[Type, ...], Attributes], tuple[Type, ...]]
    eager: Callable[..., Any]
    kernel: Kernel
    effect: Effect
    may_fail: bool
    vjp: Rule
    jvp: Rule
    fails: Callable[[tuple[Type, ...], Attributes], bool] | None = None

    def can_fail(self, types: tuple[Type, ...], attributes: Attributes) -> bool:
        """Whether the operation on operands of these types can leave the program with an exception."""
        return self.may_fail and (self.fails is None or self.fails(types, attributes))

    def __repr__(self) -> str:
        return f"<op {self.name}>"


@dataclass(frozen=True, slots=True)
class ErrorSpec:
    """An exception that an operation raises when it fails: `exception(template.format(*payload))`, payload being scalar operands."""

    exception: type[Exception]
    template: str

    def build(self, payload: tuple[Any, ...] = ()) -> Exception:
        return self.exception(self.template.format(*payload))

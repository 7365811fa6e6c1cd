"""Operators of Python on objects: the functions of its C interface in the place of those of the module `operator`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.signatures import I32, I64, PTR, SIGNATURES
from autograph_jit.ops.direct_calls import append_item, item_of
from autograph_jit.records import dataclass


class Gives(Enum):
    """What a function of the C interface returns: a new reference, a status, a truth value, a number; null and -1 where an exception
    is pending."""

    OBJECT = "object"
    STATUS = "status"
    TRUTH = "truth"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Operator:
    """One function: its name, how many objects it takes, what it returns, and a number that it takes behind them."""

    name: str
    arity: int
    gives: Gives = Gives.OBJECT
    option: int | None = None


NUMBERS = {
    "Add": (operator.add, operator.iadd),
    "Subtract": (operator.sub, operator.isub),
    "Multiply": (operator.mul, operator.imul),
    "TrueDivide": (operator.truediv, operator.itruediv),
    "FloorDivide": (operator.floordiv, operator.ifloordiv),
    "Remainder": (operator.mod, operator.imod),
    "MatrixMultiply": (operator.matmul, operator.imatmul),
    "And": (operator.and_, operator.iand),
    "Or": (operator.or_, operator.ior),
    "Xor": (operator.xor, operator.ixor),
    "Lshift": (operator.lshift, operator.ilshift),
    "Rshift": (operator.rshift, operator.irshift),
}
COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)  # in the order of their numbers
OPERATORS: dict[Callable[..., Any], Operator] = {
    operator.neg: Operator("PyNumber_Negative", 1),
    operator.pos: Operator("PyNumber_Positive", 1),
    operator.invert: Operator("PyNumber_Invert", 1),
    operator.getitem: Operator("PyObject_GetItem", 2),
    operator.setitem: Operator("PyObject_SetItem", 3, Gives.STATUS),
    operator.delitem: Operator("PyObject_DelItem", 2, Gives.STATUS),
    operator.contains: Operator("PySequence_Contains", 2, Gives.TRUTH),
    bool: Operator("PyObject_IsTrue", 1, Gives.TRUTH),
    len: Operator("PyObject_Size", 1, Gives.NUMBER),
    getattr: Operator("PyObject_GetAttr", 2),
    setattr: Operator("PyObject_SetAttr", 3, Gives.STATUS),
    item_of: Operator("PyObject_GetItem", 2),
    append_item: Operator("PyList_Append", 2, Gives.STATUS),
}
for name, (plain, in_place) in NUMBERS.items():
    OPERATORS[plain] = Operator(f"PyNumber_{name}", 2)
    OPERATORS[in_place] = Operator(f"PyNumber_InPlace{name}", 2)
for number, comparison in enumerate(COMPARISONS):
    OPERATORS[comparison] = Operator("PyObject_RichCompare", 2, option=number)


RETURNED: dict[Gives, ir.Type] = {Gives.OBJECT: PTR, Gives.NUMBER: I64}
BY_IDENTITY = {id(function): form for function, form in OPERATORS.items()}


def operator_for(function: Any, arity: int, gives: Gives) -> Operator | None:
    """The function of the C interface that does what a function of Python's does; an object may be asked for its truth,
    or for the number that it is."""
    found = BY_IDENTITY.get(id(function))
    if found is None or found.arity != arity:
        return None
    return found if found.gives is gives or found.gives is Gives.OBJECT and gives is not Gives.STATUS else None


def signature_of(form: Operator) -> tuple[ir.Type, list[ir.Type]]:
    return RETURNED.get(form.gives, I32), [PTR] * form.arity + ([I32] if form.option is not None else [])


SIGNATURES.update({form.name: signature_of(form) for form in OPERATORS.values()})

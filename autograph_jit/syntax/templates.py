"""Short builders for gast nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast

from autograph_jit.source import OPERATORS


class Loop(gast.For):
    """A `for` whose `extra_test` (an expression or None) says before every trip whether to go on."""

    _fields = (*gast.For._fields, "extra_test")


class Attempt(gast.Try):
    """A `try` whose `override` (a variable name or None) is true after a jump out of its `finally` part."""

    _fields = (*gast.Try._fields, "override")


def load(name: str) -> gast.Name:
    """A read of a variable."""
    return gast.Name(name, gast.Load(), None, None)


def store(name: str) -> gast.Name:
    """A variable as the target of an assignment."""
    return gast.Name(name, gast.Store(), None, None)


def parameter(name: str) -> gast.Name:
    """A parameter of a function."""
    return gast.Name(name, gast.Param(), None, None)


def const(value: Any) -> gast.Constant:
    """A literal."""
    return gast.Constant(value, None)


def attribute(value: gast.AST, name: str) -> gast.Attribute:
    """A read of an attribute."""
    return gast.Attribute(value, name, gast.Load())


def operator(name: str) -> gast.Attribute:
    """`ag__.name`."""
    return attribute(load(OPERATORS), name)


def native_call(function: gast.AST, *args: gast.AST) -> gast.Call:
    """A call that is not converted any further."""
    return gast.Call(function, list(args), [])


def op(name: str, *args: gast.AST) -> gast.Call:
    """A call of an operator: `ag__.name(*args)`."""
    return native_call(operator(name), *args)


def tuple_of(elements: Iterable[gast.AST]) -> gast.Tuple:
    """A tuple display."""
    return gast.Tuple(list(elements), gast.Load())


def parameters(names: Sequence[str]) -> gast.arguments:
    """Positional parameters without defaults."""
    return gast.arguments([parameter(n) for n in names], [], None, [], [], None, [])


def thunk(value: gast.AST) -> gast.Lambda:
    """`lambda: value`."""
    return gast.Lambda(parameters(()), value)


def assign(name: str, value: gast.AST) -> gast.Assign:
    """`name = value`."""
    return gast.Assign([store(name)], value, None)


def undefined(name: str) -> gast.Assign:
    """`name = ag__.Undefined("name")`: a variable without a value."""
    return assign(name, op("Undefined", const(name)))


def expression(value: gast.AST) -> gast.Expr:
    """An expression as a statement."""
    return gast.Expr(value)


def function(name: str, params: Sequence[str], body: list[gast.stmt]) -> gast.FunctionDef:
    """A function without decorators, defaults or annotations."""
    return gast.FunctionDef(name, parameters(params), body or [gast.Pass()], [], None, None, [])


def branch(test: gast.AST, body: list[gast.stmt], orelse: list[gast.stmt] | None = None) -> gast.If:
    """An `if` statement."""
    return gast.If(test, body or [gast.Pass()], orelse or [])


def negation(value: gast.AST) -> gast.UnaryOp:
    """`not value`."""
    return gast.UnaryOp(gast.Not(), value)


def any_of(names: Sequence[str]) -> gast.AST:
    """`a or b or c`, for at least one name."""
    reads = [load(n) for n in names]
    return reads[0] if len(reads) == 1 else gast.BoolOp(gast.Or(), reads)

"""The user's own code of the functions inside a converted function: each converted code object carries it among its constants.

A converted function that Python calls, outside of a trace, only does more slowly what the user's own code does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph_jit.records import dataclass

SCOPES_OF_PYTHON = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<generic parameters")


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """The code of a function as the user wrote it, among the constants of its conversion."""

    code: CodeType


def with_originals(code: CodeType, original: CodeType) -> CodeType:
    """The code of a converted function in which all functions know the code inside `original` that they stem from."""
    consts: list[object] = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found = counterpart(const, original)
            const = with_originals(const, original if found is None else found)
            if found is not None and set(found.co_freevars) <= set(const.co_freevars):
                const = const.replace(co_consts=(*const.co_consts, Original(found)))
        consts.append(const)
    return code.replace(co_consts=tuple(consts))


def counterpart(code: CodeType, original: CodeType) -> CodeType | None:
    """The function or class inside `original` from which this one was converted; None for a function that conversion added, and where it
    could be several."""
    found = [inner for inner in functions_in(original) if (inner.co_name, inner.co_firstlineno) == (code.co_name, code.co_firstlineno)]
    if code.co_name == "<lambda>":  # there may be several on the line, and conversion adds others
        found = [inner for inner in found if start_of(inner) == start_of(code)]
    return found[0] if found and all(other == found[0] for other in found) else None


def functions_in(code: CodeType) -> Iterator[CodeType]:
    """The functions and classes directly inside a function, and inside its comprehensions."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            if const.co_name.startswith(SCOPES_OF_PYTHON):
                yield from functions_in(const)


def start_of(code: CodeType) -> tuple[int, int]:
    """The first line and column of a function's body: lambdas on one line differ in it."""
    places = [(line, column) for line, _, column, _ in code.co_positions() if line and column]
    return min(places, default=(0, 0))


def original_code(code: CodeType) -> CodeType | None:
    """The user's own code for that of a function defined in converted code."""
    last = code.co_consts[-1] if code.co_consts else None
    return last.code if isinstance(last, Original) else None


def with_code(fn: FunctionType, code: CodeType, more: Mapping[str, CellType] | None = None) -> FunctionType:
    """A function with this code and everything else from `fn`, its variables by their names, and `more` of them."""
    cells = {**dict(zip(fn.__code__.co_freevars, fn.__closure__ or ())), **(more or {})}
    new: Any = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, tuple(cells[name] for name in code.co_freevars))
    new.__kwdefaults__ = fn.__kwdefaults__
    new.__qualname__, new.__module__, new.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
    if getattr(fn, "__annotate__", None) is None:
        new.__annotations__ = fn.__annotations__
    else:  # from Python 3.14 on they are computed when somebody asks, and may name what is not there yet
        new.__annotate__ = fn.__annotate__  # type: ignore[attr-defined]
    new.__dict__.update(fn.__dict__)
    if hasattr(fn, "__type_params__"):
        new.__type_params__ = fn.__type_params__
    return new

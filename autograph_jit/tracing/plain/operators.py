"""The operators that converted code calls, with the meaning that Python gives them.

Converted code reaches this module as `ag__`; tracing overlays versions with the same signatures.
"""

from __future__ import annotations

import builtins
import operator
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar

from autograph_jit.errors import AutographJitError, ConversionError
from autograph_jit.source import is_machinery
from autograph_jit.tracing.plain.calls import MISFIT, Misfit, call, converted, generator, lambda_, merge_keywords, set_converter
from autograph_jit.tracing.plain.frames import call_in_frame
from autograph_jit.tracing.plain.patterns import match_class, match_mapping, match_sequence
from autograph_jit.tracing.plain.undefined import Undefined

__all__ = [
    "Undefined", "and_", "assert_stmt", "call", "call_in_frame", "compare", "compare_chain", "converted", "decorator",
    "delattr_", "deleted",
    "delitem", "except_groups", "for_stmt", "fstring", "generator", "genexp", "getattr_", "getitem", "global_del", "global_load",
    "global_store", "if_exp",
    "if_stmt", "iop", "lambda_", "ld", "ld_free", "list_append", "look_up",
    "match_class", "match_mapping", "match_sequence", "merge_keywords",
    "modulo", "new_dict", "new_dict_of", "new_list", "new_set", "new_tuple", "not_", "or_", "outer",
    "raised", "returned", "set_add", "set_converter", "setattr_",
    "setitem", "len_of_two", "made_here", "slice",
    "spread", "spread_arguments", "spread_items", "spread_keywords", "spread_mapping", "state_of",
    "try_stmt", "unpack", "while_stmt", "with_stmt",
]  # fmt: skip

T = TypeVar("T")
WITH_LENGTH_IN_TEXT = (tuple, list, dict)
State = tuple[Any, ...]
GetState = Callable[[], State]
SetState = Callable[[State], None]
Names = tuple[str, ...]
Thunk = Callable[[], Any]
Handler = tuple[Thunk | None, Callable[[BaseException], None]]

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "is not": operator.is_not,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip
INPLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "@": operator.imatmul, "/": operator.itruediv, "%": operator.imod,
    "<<": operator.ilshift, ">>": operator.irshift, "|": operator.ior, "^": operator.ixor, "&": operator.iand, "//": operator.ifloordiv,
    "**": operator.ipow,
}  # fmt: skip
CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}

slice = builtins.slice
getattr_ = getattr
setattr_ = setattr
delattr_ = delattr
getitem = operator.getitem
setitem = operator.setitem
delitem = operator.delitem
not_ = operator.not_
look_up = call
list_append: Callable[[list, Any], None] = list.append
set_add: Callable[[set, Any], None] = set.add


def if_stmt(cond: Any, body: Thunk, orelse: Thunk, get_state: GetState, set_state: SetState, names: Names) -> None:
    """Run one of two branches."""
    if cond:
        body()
    else:
        orelse()


def while_stmt(test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, names: Names) -> None:
    """Run the body as long as the test holds; `test` is evaluated before every trip."""
    while test():
        body()


def for_stmt(
    iterable: Iterable[Any], extra_test: Thunk | None, body: Callable[[Any], None], get_state: GetState, set_state: SetState, names: Names
) -> None:
    """Run the body with each item; `extra_test`, asked after every trip, ends the loop before another item is taken."""
    for item in iterable:
        body(item)
        if extra_test is not None and not extra_test():
            break


def except_groups() -> None:
    """What stands before a `try` with `except*`."""


def try_stmt(
    body: Thunk, handlers: tuple[Handler, ...], orelse: Thunk | None, finalbody: Thunk | None,
    get_state: GetState, set_state: SetState, names: Names,
) -> None:  # fmt: skip
    """Run the parts of a `try`; a true value from `finalbody` says that a jump out of it drops the pending exception."""
    if finalbody is None:
        _guarded(body, handlers, orelse)
        return
    try:
        _guarded(body, handlers, orelse)
    except BaseException:
        if not finalbody():
            raise
    else:
        finalbody()


def _guarded(body: Thunk, handlers: tuple[Handler, ...], orelse: Thunk | None) -> None:
    try:
        body()
    except BaseException as error:
        for kind, handler in handlers:
            if _is_caught(error, BaseException if kind is None else kind()):
                handler(error)
                break
        else:
            raise
    else:
        if orelse is not None:
            orelse()


def _is_caught(error: BaseException, kinds: Any) -> bool:
    """Python's own rule for `except kinds`, with its TypeError for what is not an exception class. A refusal of this package, which
    without a tape would not have been raised, is caught by its own name only: to go on would be silently wrong."""
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    classes = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(error, ConversionError) and not is_programs(error):
        classes = tuple(kind for kind in classes if issubclass(kind, AutographJitError))
    return any(kind in type(error).__mro__ for kind in classes)


def is_programs(error: BaseException) -> bool:
    """Whether the user's own code raised an exception: its traceback ends there."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return not is_machinery(frame.f_code.co_filename)


def with_stmt(context: Thunk, body: Callable[[Any], None], get_state: GetState, set_state: SetState, names: Names) -> None:
    """Run the body with the value that entering the context gives."""
    with context() as entered:
        body(entered)


def if_exp(cond: Any, a: Thunk, b: Thunk) -> Any:
    """`a() if cond else b()`."""
    return a() if cond else b()


def and_(*operands: Thunk) -> Any:
    """The first false operand, else the last one."""
    value: Any = True
    for operand in operands:
        value = operand()
        if operand is not operands[-1] and not value:
            break
    return value


def or_(*operands: Thunk) -> Any:
    """The first true operand, else the last one."""
    value: Any = False
    for operand in operands:
        value = operand()
        if operand is not operands[-1] and value:
            break
    return value


def compare(symbol: str, a: Any, b: Any) -> Any:
    """One comparison."""
    return COMPARISONS[symbol](a, b)


def compare_chain(first: Any, *links: tuple[str, Thunk]) -> Any:
    """`first < a < b ...`: stops at the first false link, evaluates each operand at most once."""
    left, result = first, None
    for i, (symbol, operand) in enumerate(links):
        right = operand()
        result = COMPARISONS[symbol](left, right)
        if i == len(links) - 1 or not result:
            break
        left = right
    return result


def modulo(a: Any, b: Any) -> Any:
    """`a % b`: the remainder, or text with values filled in."""
    return a % b


def made_here(x: Any) -> Any:
    """What an operator has made."""
    return x


def len_of_two(a: Any, b: Any, is_common: bool) -> int:
    """`len(a & b)`, or `len(a | b)`."""
    return len(a & b if is_common else a | b)


def iop(symbol: str, old: Any, value: Any) -> Any:
    """`old op= value`, returning what is to be stored."""
    return INPLACE[symbol](old, value)


def state_of(read: Thunk, name: str) -> Any:
    """The value of a variable, or `Undefined` where it has none."""
    try:
        return read()
    except NameError:
        return Undefined(name)


def ld(value: T, name: str) -> T:
    """A read of a local variable that may be unbound."""
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
    return value


def ld_free(value: T, name: str) -> T:
    """A read, by an inner function, of a variable of the function around it that may be unbound."""
    if isinstance(value, Undefined):
        raise NameError(f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope")
    return value


def deleted(value: Any, name: str) -> Undefined:
    """`del name`: the value that marks the variable unbound."""
    ld(value, name)
    return Undefined(name)


def outer(read: Thunk, name: str) -> Any:
    """A read of a global or of a variable of a function that is not converted; NameError passes through."""
    return read()


def global_load(names: dict[str, Any], name: str) -> Any:
    """A read of a name declared `global`."""
    if name in names:
        return names[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise NameError(f"name '{name}' is not defined", name=name)


def global_store(names: dict[str, Any], name: str, value: T) -> T:
    """An assignment to a name declared `global`; returns the value."""
    names[name] = value
    return value


def global_del(names: dict[str, Any], name: str) -> None:
    """`del name` of a name declared `global`."""
    if name not in names:
        raise NameError(f"name '{name}' is not defined", name=name)
    del names[name]


def returned(do_return: Any, retval: Any) -> Any:
    """What a function with an early return gives: None where no `return` was reached."""
    return retval if do_return else None


def decorator(fn: Any) -> Any:
    """What is applied to a function or class defined in converted code."""
    return fn


def new_list(items: list) -> list:
    """A list display."""
    return items


def new_dict(items: dict) -> dict:
    """A dict display."""
    return items


def new_dict_of(*parts: Any) -> dict:
    """A dict display with keys that are not literals: `(key, value)`, and `[mapping]` for `**mapping`."""
    made: dict[Any, Any] = {}
    for part in parts:
        if isinstance(part, tuple):
            made[part[0]] = part[1]
        else:
            made |= {**part[0]}
    return made


def new_set(items: Iterable[Any]) -> set:
    """A set display."""
    return set(items)


def new_tuple(items: Iterable[Any]) -> tuple:
    """A tuple display with `*items`."""
    return tuple(items)


def spread(items: Iterable[T]) -> Iterable[T]:
    """The items of `*items` in a display or a call."""
    return items


def spread_items(items: Iterable[T]) -> Iterable[T]:
    """The items of `*items` in a list display or among the arguments of a call."""
    return items


def spread_arguments(items: Iterable[T]) -> Iterable[T]:
    """The items of `*items` where that is all that a call has in front of its keywords: a misfit where there are none to be had."""
    if hasattr(type(items), "__iter__"):
        return items
    try:
        return iter(items)
    except TypeError:
        return (Misfit(items),)  # type: ignore[return-value]


def spread_mapping(items: Mapping[Any, T]) -> Mapping[Any, T]:
    """The items of `**items` in a dict display."""
    return items


def spread_keywords(items: Mapping[str, T]) -> Mapping[str, T]:
    """The items of `**items` in a call: a misfit where there are none to be had."""
    return items if hasattr(items, "keys") else {MISFIT: Misfit(items)}  # type: ignore[dict-item]


def genexp(lazy: Callable[[Any], Any], eager: Callable[[Any], list], first: Any, is_used_up: bool, is_late: bool) -> Any:
    """A generator expression: `lazy` makes the generator, `eager` a list of the same items; whether all are asked for at once."""
    return lazy(first)


def too_many_text(kind: type, expected: int, found: str) -> str:
    """What this Python says of too many values to unpack; from 3.14 on it counts those of some types."""
    counts = sys.version_info >= (3, 14) and kind in WITH_LENGTH_IN_TEXT
    return f"too many values to unpack (expected {expected}, got {found})" if counts else f"too many values to unpack (expected {expected})"


def unpack(value: Any, before: int, after: int | None) -> tuple:
    """The parts of an unpacking assignment; with a star (`after` is not None) its part is a list."""
    if type(value) in (tuple, list) and after is None and len(value) == before:
        return tuple(value)
    try:
        items = iter(value)
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        () = value  # raises what Python says
    parts: list[Any] = []
    for item in items:
        if len(parts) == before and after is None:
            kind = getattr(type(value), "__rebuilt_type__", type(value))
            raise ValueError(too_many_text(kind, before, str(len(value)) if kind in WITH_LENGTH_IN_TEXT else ""))
        parts.append(item)
    least = before + (after or 0)
    if len(parts) < least:
        raise ValueError(f"not enough values to unpack (expected {'at least ' if after is not None else ''}{least}, got {len(parts)})")
    if after is None:
        return tuple(parts)
    end = len(parts) - after
    return (*parts[:before], parts[before:end], *parts[end:])


def fstring(*parts: str | tuple[Any, Literal["", "r", "s", "a"], str]) -> str:
    """An f-string: literal text and (value, conversion, format specification)."""
    out = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
            continue
        value, conversion, spec = part
        out.append(format(CONVERSIONS[conversion](value) if conversion else value, spec))
    return "".join(out)


def assert_stmt(cond: Any, message: Thunk | None) -> None:
    """An assertion whose condition is evaluated already."""
    if not cond:
        raise AssertionError(message()) if message is not None else AssertionError


def raised(error: T) -> T:
    """The operand of `raise`."""
    return error


def hooks() -> Mapping[str, Any]:
    """Every operator by its name, for a module that overlays some of them."""
    return {name: globals()[name] for name in __all__}

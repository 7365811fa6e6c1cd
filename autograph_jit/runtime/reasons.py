"""Why a call needs a program of its own: the guards that fail, in the user's names, with what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.types import SHORT_NAMES
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.structures.guards import Guard
from autograph_jit.tracing.structures.peeking import READ_ERRORS, peek

MAX_TEXT = 60
MAX_FAILURES = 3


def positional_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's positional parameters, as far as they are known."""
    code = getattr(function, "__code__", None)
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def static_names(function: Callable[..., Any], wanted: Sequence[str], arguments: Args) -> frozenset[str]:
    """The arguments that `static_argnames` makes constants, under the names the trace gives them."""
    if not wanted:
        return frozenset()
    names = function.__code__.co_varnames if hasattr(function, "__code__") else ()
    positions = {name: f"arg{index}" for index, name in enumerate(names[: len(arguments) - 1])}
    return frozenset(positions.get(name, name) for name in wanted)


def with_user_names(text: str, names: Sequence[str]) -> str:
    """The text with `arg0` replaced by the name of the first parameter, and so on."""

    def name(match: re.Match[str]) -> str:
        index = int(match.group(1))
        return names[index] if index < len(names) else match.group(0)

    return re.sub(r"\barg(\d+)\b", name, text)


def describe(x: Any) -> str:
    """A value in a few words."""
    if isinstance(x, np.ndarray):
        return f"{SHORT_NAMES.get(x.dtype.name, x.dtype.name)}[{', '.join(map(str, x.shape))}]"
    if isinstance(x, list | tuple | dict | set):
        return f"a {type(x).__name__} of {len(x)}"
    text = repr(x) if isinstance(x, bool | int | float | complex | str | bytes | None | np.generic) else f"an object of {type(x).__name__}"
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."


def found_text(guard: Guard, arguments: Args) -> str:
    """What a guard finds in these arguments."""
    try:
        return describe(peek(guard.getter, arguments))
    except READ_ERRORS:
        return "nothing"


def failed_guards(program: Program, arguments: Args, names: Sequence[str]) -> list[str]:
    """The guards of a program that do not hold, each with what it finds."""
    form = program.expects(arguments)
    if form:
        return [form]
    return [f"{with_user_names(guard.text, names)}: found {found_text(guard, arguments)}" for guard in failing(program, arguments)]


def failing(program: Program, arguments: Args) -> list[Guard]:
    """The guards of a program that do not hold for a call of the form that it is for; none for another form."""
    return [] if program.expects(arguments) else [guard for guard in program.guards if not is_seen_to_hold(guard, arguments)]


def is_seen_to_hold(guard: Guard, arguments: Args) -> bool:
    """Whether a guard holds, as far as that can be told without those before it."""
    try:
        return guard.accepts(peek(guard.getter, arguments))
    except READ_ERRORS:
        return False


def too_many(programs: Sequence[Program], arguments: Args, function: Callable[..., Any], name: str) -> ConversionError:
    """The error of one program too many: what changed between this call and the last program."""
    expected = "; ".join(failed_guards(programs[-1], arguments, positional_names(function))) or "other arguments"
    what = f"{name} was compiled {len(programs)} times and this call needs another: the last program expects {expected}"
    remedy = "pass changing values as array elements or numbers, not as constants; ag.config(max_programs=...) raises the limit"
    return ConversionError(what, None, "every call so far needed a program of its own", remedy)


def recompile_reason(programs: Sequence[Program], arguments: Args, names: Sequence[str]) -> str:
    """Why none of the programs runs this call: the guards that fail in the one with the fewest."""
    if not programs:
        return "first call"
    failures = [failed_guards(program, arguments, names) for program in programs]
    number, fewest = min(enumerate(failures, 1), key=lambda item: (len(item[1]), -item[0]))
    more = f"; and {len(fewest) - MAX_FAILURES} more" if len(fewest) > MAX_FAILURES else ""
    return f"program {number} expects " + ("; ".join(fewest[:MAX_FAILURES]) or "other arguments") + more

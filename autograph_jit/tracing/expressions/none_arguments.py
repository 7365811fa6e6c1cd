"""Arguments that may be None, where Python's function takes no None: what it says then, when the program runs."""

from __future__ import annotations

import builtins
import cmath
import math
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.choices import is_mixed
from autograph_jit.tracing.values.abstract import Staged, StagedArray, StagedScalar, content_of, may_be_none

NUMBERS = "int float complex abs round range divmod pow chr bin hex oct"
ITEMS = "len list tuple dict enumerate zip reversed max min sum any all sorted iter"
FUNCTIONS = {getattr(builtins, name) for name in f"{NUMBERS} {ITEMS}".split()}
FUNCTIONS |= {value for module in (math, cmath) for value in vars(module).values() if isinstance(value, BuiltinFunctionType)}


def contents_for(fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a function of Python's, those that may be None as what they are otherwise: None is the function's own error."""
    if not any(is_doubtful(arg) for arg in args) or not isinstance(fn, (type, BuiltinFunctionType)) or fn not in FUNCTIONS:
        return args
    with_none = [None if is_doubtful(arg) else arg for arg in args]
    if any(isinstance(arg, Staged) and not isinstance(arg, (StagedArray, StagedScalar)) for arg in with_none):
        return args
    try:
        text = text_with_stand_ins(fn, *with_none)
    except Exception:  # it is no error with these values in the places of stand-ins
        return args
    return tuple(content_of(arg, TypeError, text) if is_doubtful(arg) else arg for arg in args)


def is_doubtful(x: Any) -> bool:
    """Whether only the run knows if a value is None."""
    return may_be_none(x) and (isinstance(x.content, Staged) or is_mixed(x.content))

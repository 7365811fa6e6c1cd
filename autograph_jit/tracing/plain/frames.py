"""Calls whose result depends on the frame of their caller, made from converted code: the frames that conversion added do not count."""

import __future__

import enum
import sys
import warnings
from collections import namedtuple
from collections.abc import Callable
from types import FrameType
from typing import Any

from autograph_jit.tracing import ACTING
from autograph_jit.tracing.plain.identity import entry_of, is_one_of
from autograph_jit.tracing.plain.undefined import Undefined

# No `from __future__ import annotations` here: `exec` and `eval` would hand it on to the user's code.

CALLS = {"call", "call_in_frame"}


def user_frame(depth: int) -> FrameType | None:
    """The frame of the function that made the present call (depth 0), of its caller (1), and so on, as if nothing were converted."""
    frame, _ = _skip_machinery(sys._getframe(1))
    newest = frame
    while frame is not None:
        below, crossed = _skip_machinery(frame.f_back)
        is_function = crossed or below is frame.f_back
        if is_function and depth == 0:
            return newest
        if is_function:
            depth, newest = depth - 1, below
        frame = below
    return None


def _skip_machinery(frame: FrameType | None) -> tuple[FrameType | None, bool]:
    """The next frame that is not an operator's, and whether a call lies between (otherwise the frames belong to one function)."""
    crossed = False
    while frame is not None and frame.f_globals.get("__name__", "").startswith(ACTING):
        crossed = crossed or frame.f_code.co_name in CALLS
        frame = frame.f_back
    return frame, crossed


def _get_frame(depth: int = 0) -> FrameType:
    frame = user_frame(depth)
    if frame is None:
        raise ValueError("call stack is not deep enough")
    return frame


def _module_name(depth: int = 0) -> str:
    frame = user_frame(depth)
    return frame.f_globals.get("__name__", "__main__") if frame is not None else "__main__"


def _warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **more: Any) -> None:
    frame = user_frame(max(stacklevel, 1) - 1)
    if frame is None or more:
        warnings.warn(message, category, stacklevel, source, **more)
        return
    kind = type(message) if isinstance(message, Warning) else category or UserWarning
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__") or "<unknown>"
    warnings.warn_explicit(message, kind, frame.f_code.co_filename, frame.f_lineno, module, registry, frame.f_globals, source)


def _named_tuple(*args: Any, **kwargs: Any) -> type:
    kwargs.setdefault("module", _module_name())
    return namedtuple(*args, **kwargs)  # type: ignore[call-overload, no-any-return]


READERS: dict[Any, Callable[..., Any]] = {sys._getframe: _get_frame, warnings.warn: _warn, namedtuple: _named_tuple}
if hasattr(sys, "_getframemodulename"):
    READERS[sys._getframemodulename] = _module_name


def frame_reader(fn: Any, args: tuple, kwargs: dict | None) -> Callable[..., Any] | None:
    """What to call instead of `fn` where it looks at its caller's frame, else None."""
    if isinstance(fn, enum.EnumType):
        if len(args) > 1 and "module" not in (kwargs or {}):
            return lambda *a, **k: fn(*a, module=_module_name(), **k)
        return None
    return entry_of(READERS, fn)


def call_in_frame(fn: Any, args: tuple, kwargs: dict | None, names: dict[str, Any], local_names: Callable[[], dict[str, Any]]) -> Any:
    """A call of a name that usually is a builtin which looks at its caller's frame: `locals`, `globals`, `vars`, `dir`, `eval`, `exec`."""
    if fn is globals and not args:
        return names
    if not is_one_of(fn, (locals, vars, dir, eval, exec)) or (args and is_one_of(fn, (vars, dir))):
        return fn(*args, **(kwargs or {}))
    if is_one_of(fn, (eval, exec)) and args:
        return _execute(fn, args, kwargs or {}, names, local_names)
    here = _defined(local_names())
    return sorted(here) if fn is dir else here


def _defined(names: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in names.items() if not isinstance(value, Undefined)}


def _execute(fn: Any, args: tuple, kwargs: dict, names: dict[str, Any], local_names: Callable[[], dict[str, Any]]) -> Any:
    code, *scopes = args
    if names.get("annotations") is __future__.annotations and isinstance(code, (str, bytes)):
        text = code.lstrip() if fn is eval else code
        code = compile(text, "<string>", fn.__name__, flags=__future__.annotations.compiler_flag, dont_inherit=True)
    module, local = (*scopes, None, None)[:2]
    if module is None and not kwargs.keys() & {"globals", "locals"}:
        scopes = [names, _defined(local_names()) if local is None else local]
    return fn(code, *scopes, **kwargs)

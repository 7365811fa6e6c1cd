"""Exceptions of compiled code with the user's lines: traceback entries at the failing operation and at the calls that led there."""

from __future__ import annotations

import ast
import functools
import linecache
from types import CodeType, TracebackType
from typing import NoReturn

from autograph_jit.errors import RAISED_BY_PROGRAM
from autograph_jit.source import SourceSpan, is_machinery

MOST_PLACES = 1000  # of which the code is kept


def raise_at(exception: BaseException, span: SourceSpan) -> NoReturn:
    """Raise `exception` with a frame for each of the user's functions under way at `span`, and those that Python itself was in."""
    entries = user_entries(exception.__traceback__)
    for place in (span, *span.callers):
        entries = entry_at(place, entries)
    raise exception.with_traceback(entries)


def raise_at_span(exception: Exception) -> NoReturn:
    """Raise an exception of compiled code at the user's line, where it has one."""
    span = getattr(exception, "__autograph_span__", None)
    link: BaseException | None = exception
    while link is not None:
        for name in ("__autograph_span__", RAISED_BY_PROGRAM):
            vars(link).pop(name, None)
        link = link.__cause__
    if span is None:
        raise exception
    raise_at(exception, span)


def user_entries(entry: TracebackType | None) -> TracebackType | None:
    """The entries of a traceback that are not this package's; there may be as many as Python's stack is deep."""
    found, rest = [], None
    while entry is not None:
        found.append(entry)
        entry = entry.tb_next
    for entry in reversed(found):
        if not is_machinery(entry.tb_frame.f_code.co_filename):
            rest = TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rest


def entry_at(span: SourceSpan, rest: TracebackType | None) -> TracebackType | None:
    """A traceback entry at a place in the user's file: a frame that really was there for a moment."""
    try:
        exec(raising_code(span), {})
    except ZeroDivisionError as error:
        entry = error.__traceback__
        assert entry is not None and entry.tb_next is not None
        return TracebackType(rest, entry.tb_next.tb_frame, entry.tb_next.tb_lasti, span.lineno)
    return rest


def raising_code(span: SourceSpan) -> CodeType:
    """Code that raises at a place in the user's file; it spans the whole line, so that no part of it is underlined."""
    line = linecache.getline(span.filename, span.lineno).rstrip()
    return code_at(span.filename, span.function, span.lineno, len(line) - len(line.lstrip()), len(line.encode()))


@functools.lru_cache(maxsize=MOST_PLACES)
def code_at(filename: str, function: str, lineno: int, start: int, end: int) -> CodeType:
    """Code that raises between two columns of a line; made once, for who raises at a place often does so again."""
    tree = ast.parse("1 / 0")
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = lineno
            node.col_offset, node.end_col_offset = start, end
    return compile(tree, filename, "exec").replace(co_name=function, co_qualname=function)

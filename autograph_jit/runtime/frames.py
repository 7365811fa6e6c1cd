"""Exceptions of compiled code with the user's line: a traceback entry is made at the place of the failing operation."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from autograph_jit.source import SourceSpan


def raise_at(exception: BaseException, span: SourceSpan | None) -> Any:
    """Raise `exception` with a frame of the user's function at `span`."""
    if span is None:
        raise exception
    exec(raising_code(span), {"__exception__": exception.with_traceback(None)})
    return None


def raising_code(span: SourceSpan) -> CodeType:
    """Code that raises at a place in the user's file."""
    tree = ast.parse("raise __exception__")
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = span.lineno  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = span.col_offset  # type: ignore[attr-defined]
    return compile(tree, span.filename, "exec").replace(co_name=span.function, co_qualname=span.function)

"""Tracebacks of compiled code, however long."""

from __future__ import annotations

import sys

from autograph_jit.runtime.frames import raising_code, user_entries
from autograph_jit.source import SourceSpan


def test_a_traceback_as_deep_as_the_stack_is_walked() -> None:
    def descend() -> None:
        descend()

    try:
        descend()
    except RecursionError as error:
        entries = user_entries(error.__traceback__)
    depth = 0
    while entries is not None:
        assert entries.tb_frame.f_code.co_filename == __file__
        depth, entries = depth + 1, entries.tb_next
    assert depth > sys.getrecursionlimit() // 2


def test_code_for_an_entry_is_made_once_for_a_place() -> None:
    span = SourceSpan(__file__, 3)
    assert raising_code(span) is raising_code(span) is not raising_code(SourceSpan(__file__, 5))

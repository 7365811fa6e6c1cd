"""Tracebacks of compiled code, however long."""

from __future__ import annotations

import sys

from autograph_jit.runtime.frames import user_entries


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

"""Locks across `os.fork`: a child has none of its parent's other threads, so a lock that one of them held would stay held for ever."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any


def hold_across_forks(lock: AbstractContextManager[Any]) -> None:
    """Have a fork wait until the thread that forks holds the lock: what the lock guards is whole in the child, and the lock is free.

    Where a thread takes one such lock while it holds another, the inner one is registered first: a fork takes the last one first.
    """

    def release() -> None:
        lock.__exit__(None, None, None)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.__enter__, after_in_parent=release, after_in_child=release)

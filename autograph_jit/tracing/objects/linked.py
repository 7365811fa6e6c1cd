"""The caller's instances that hold instances of their own class: a linked list, a tree.

Before: each step along a list was one more object that the trace knows, with guards of its own, so that a program fitted one length
After:  the first instance is a row of a table, and all that are found from it are rows, too (`callers_instances.py`)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph_jit.tracing.aliasing.row_classes import as_row_too, may_be_rows
from autograph_jit.tracing.structures.templates import is_user_instance
from autograph_jit.tracing.values.trace import Restart

LONGEST_CHAIN = 2  # instances of one class, each found in the one before, that a trace knows


def expect_no_chain(inputs: Any, owner: Any, x: Any) -> None:
    """An instance was read from an attribute of another one: a restart where many of its class may follow."""
    if not is_user_instance(x) or id(x) in inputs.origins:
        return
    inputs.reads["found in", id(x)] = x, owner
    chain = [each for each in holders_of(inputs, x) if type(each) is type(x)]
    if len(chain) > LONGEST_CHAIN and may_be_rows(inputs.trace, type(x)) and as_row_too(chain[-1]) not in inputs.trace.decisions:
        raise Restart(as_row_too(chain[-1]))


def holders_of(inputs: Any, x: Any) -> Iterator[Any]:
    """An instance, the one in which it was found, the one in which that was found, and so on."""
    while x is not None:
        yield x
        _, x = inputs.reads.get(("found in", id(x)), (None, None))

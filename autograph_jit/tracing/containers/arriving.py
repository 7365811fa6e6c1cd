"""Items that are put into a container while they come: what gives them may ask for the container in between.

Before: `xs.extend(x for x in xs if len(xs) < 9)`: the generator gave all its items, then they were appended
After:  each item is appended before the generator goes on, as in Python
"""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.containers.entries import dict_of
from autograph_jit.tracing.objects.descriptors import method_in_python
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.sequences.indexed import Mapped
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.own_marks import is_marked


def runs_code(x: Any) -> bool:
    """Whether the program's code runs when an iterator is asked for an item."""
    return is_marked(x, "is_generator") or isinstance(x, Cursor) and isinstance(x.source, Mapped)


def as_it_comes(x: Any) -> Any:
    """What a loop over items goes through that are put in one by one: all of them, unless the program's code makes each."""
    return x if runs_code(x) or method_in_python(x, "__iter__") is not None else language.collected(x)


def put_pairs(target: Any, pairs: Any) -> None:
    """`target.update(pairs)` of a mapping or of pairs that are known, or that a generator makes."""
    if not runs_code(pairs):
        for key, value in dict_of(pairs).items():
            target[key] = value
        return

    def put(pair: Any) -> None:
        if isinstance(pair, tuple) and len(pair) != 2:
            raise ValueError(f"dictionary update sequence element #0 has length {len(pair)}; 2 is required")
        target[language.getitem(pair, 0)] = language.getitem(pair, 1)

    language.for_each(pairs, put)

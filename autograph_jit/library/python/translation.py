"""`str.maketrans` and `translate`: of what the trace knows letters are exchanged by a table, of anything else by Python."""

from __future__ import annotations

import sys
from typing import Any

from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.outside import contents_of
from autograph_jit.tracing.expressions.calls import native
from autograph_jit.tracing.expressions.register import builtin
from autograph_jit.tracing.expressions.text_methods import by_python, tabled
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts import letters, splitting
from autograph_jit.tracing.texts.text import Text


def known_entries(x: Any) -> dict[Any, Any] | None:
    """The entries of a dict that are known while tracing; None where they are not, or of anything else."""
    if isinstance(x, TracedDict):
        note_read(x)
        return dict(dict.items(x)) if x.dynamic is None and not contains_staged(x) else None
    found = contents_of(x)
    return found if type(found) is dict else None


@builtin(str.maketrans)
def table_of_letters(x: Any, *others: Any) -> Any:
    """`str.maketrans(x, *others)`; Python takes a dict alone, and none of a class of its own."""
    entries = x if others else known_entries(x)
    if entries is None or contains_staged((entries, others)):
        return native(str.maketrans, (x, *others), {})
    return TracedDict.made(str.maketrans(entries, *others))


def translate(x: Text, table: Any, /, *delete: Any, **named: Any) -> Any:
    """`x.translate(table)` by a dict that is known while tracing, whose values are letters or None."""
    entries = None if delete or named else known_entries(table)
    if entries is None or not all(type(key) is int and is_letter_or_none(value) for key, value in entries.items()):
        return by_python(x, "translate", table, *delete, **named)
    return tabled(x, "translate", splitting.translated, letters.table_of_translation(entries), given=(table,))


def is_letter_or_none(x: Any) -> bool:
    """Whether a value of a table for `translate` is a text, the code of a letter, or None."""
    return x is None or type(x) is str or type(x) is int and 0 <= x <= sys.maxunicode


Text.methods["translate"] = translate

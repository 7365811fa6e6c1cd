"""Containers of a module, a class or a closure of which only the run knows what is asked of them: read in when the call begins.

Before: `NEXT[k]` of a list of 300 numbers, a branch for each
After:  one input, the list; what it holds is only read
"""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.containers import outside
from autograph_jit.tracing.containers.copied_rows import has_written_rows
from autograph_jit.tracing.containers.native_lists import kind_of_rows
from autograph_jit.tracing.inputs.containers import key_of, key_of_rows, kind_of_table, list_argument, table_argument, tuple_argument
from autograph_jit.tracing.sequences.dynamic import decided
from autograph_jit.tracing.structures.getters import Getter, Named, Positional
from autograph_jit.tracing.structures.item_parts import kind_of_entries
from autograph_jit.tracing.values.trace import at_the_beginning, is_inside
from autograph_jit.tracing.values.types import ListOf, TableOf, stays_as_it_is


def found_as_data(inputs: Any, x: Any) -> Any:
    """A container of the caller's, not an argument, of which only the run knows what is asked of it; None where that is Python's."""
    origin = inputs.origins.get(id(x))
    if origin is None or origin[0] is not x or decided(inputs.trace, key_of(origin[2])) is not None or not is_inside(inputs.trace):
        return None
    if type(x) is frozenset and isinstance(origin[1], (Positional, Named)):  # each call brings its own, to be guarded by what it holds
        return None
    if ("as data", id(x)) not in inputs.reads:
        before = len(inputs.trace.graph.block.args)
        inputs.reads["as data", origin[2]] = True
        with at_the_beginning(inputs.trace):
            inputs.reads["as data", id(x)] = data_found(inputs, x, *origin[1:])
        inputs.lengths_outside |= dict.fromkeys(inputs.trace.graph.block.args[before:], len(x))
    return inputs.reads["as data", id(x)]


def data_found(inputs: Any, x: Any, getter: Getter, name: str) -> Any:
    """The same, read in: what holds numbers, texts and tuples of these, and lists, dicts and sets of such that are only read."""
    is_sequence = type(x) in (list, tuple)
    kind = kind_of_entries(x) if is_sequence else kind_of_table(x)
    content = kind.content if isinstance(kind, TableOf) and not is_sequence else kind
    rows = [row for row in (x.values() if isinstance(x, dict) else x) if isinstance(row, outside.CHANGEABLE)]
    is_flat = content is not None and (stays_as_it_is(content) if is_sequence or rows else content.is_flat)
    if not is_flat and not (rows and type(x) is not tuple and isinstance(content, (ListOf, TableOf))):
        return None
    if rows and decided(inputs.trace, key_of_rows(name)) not in (None, kind_of_rows(content)):  # type: ignore[arg-type]
        return None
    if rows and (has_written_rows(inputs.trace, name) or any(outside.is_changed(inputs.trace, row) for row in rows)):
        return None
    read = tuple_argument if type(x) is tuple else list_argument if is_sequence else table_argument
    return read(inputs, x, getter, name, kind)  # type: ignore[arg-type]

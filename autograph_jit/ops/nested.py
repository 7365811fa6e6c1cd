"""Python's lists, dicts and tuples of those that are rows of tables: all at once, since each may hold any other.

What an item is made of is told by a form: `("none or", form)`, `("one of", forms)`, `("tuple", forms)`, `("number", letters, has_whole)` by
NumPy's letters for its types, `("text",)`, `("letter",)`, and `("row", place)` of a list (0), a dict (1) or a tuple (2). A form takes the
parts of its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE
from autograph_jit.ir.opdef import Attributes
from autograph_jit.ir.types import OBJECT
from autograph_jit.ops.inference import Types, expect_list
from autograph_jit.ops.registry import define_op
from autograph_jit.ops.tables import HEAD

Form = tuple[Any, ...]
MOST_KNOWN = 4096
KNOWN: dict[int, tuple[Any, Any]] = {}  # first parts and what was made of them lately: several operations of a call give one object
PLACES = ("items", "entries", "tuples", "root")
TUPLES, ROOT = 2, 3  # the places of what is made with all that it holds, and of what is no row
CONVERSIONS = {"b": bool, "i": int, "f": float, "c": complex}


def count_parts(form: Form) -> int:
    """How many parts an item of a form has."""
    if form[0] == "number":
        return 1 + (len(form[1]) > 1) + form[2]
    inner = form[1] if form[0] in ("one of", "tuple") else form[1:] if form[0] == "none or" else ()
    return (form[0] != "tuple") + sum(map(count_parts, inner))


def infer_nested_objects(types: Types, attributes: Attributes) -> Types:
    """The parts of the lists that are rows, those of the dicts and tuples, and those of a list or dict that holds rows. `PLACES` are the
    names of their forms: one of what lists and tuples hold, two of keys and values, none where there are no such."""
    counts = [count_all_parts(attributes[name]) for name in PLACES]
    if sum(counts) != len(types):
        raise GraphError(f"nested_objects takes {sum(counts)} lists of parts, not {len(types)}")
    for found in types[: sum(counts[:ROOT])]:
        expect_list("nested_objects", expect_list("nested_objects", found).elem)
    return (OBJECT,)


def count_all_parts(forms: tuple[Form, ...]) -> int:
    """How many parts a list, or a dict with its index, has."""
    return sum(map(count_parts, forms)) + (len(forms) == 2)


def objects_of(*parts: Any, **forms_of: Any) -> list[list[Any]]:
    """The list of each row, the dict of each row, the tuple of each row, and what is no row; rows that are one list give one object. Tuples
    come before what holds them: each is made of those in front of it, and of lists and dicts that are filled afterwards."""
    start, rows, waiting = 0, list[list[Any]](), list[tuple[Any, ...]]()
    if len(KNOWN) > MOST_KNOWN:
        KNOWN.clear()
    for place, forms in enumerate(map(forms_of.__getitem__, PLACES)):
        columns: Any = parts[start : start + count_all_parts(forms)]
        start += count_all_parts(forms)
        if place == TUPLES:
            rows.append(made_tuples := [])
            for row in zip(*columns):
                items = tuple(read_item(forms[0], iter(row), index, rows) for index in range(len(row[0])))
                made_tuples.append(KNOWN.setdefault(id(row[0]), (row[0], items))[1])
            continue
        columns = columns if place < ROOT else [[column] for column in columns]
        made = dict if len(forms) == 2 else list
        rows.append([KNOWN.setdefault(id(first), (first, made()))[1] for column in columns[:1] for first in column])
        waiting += [(object_, forms, [column[row] for column in columns]) for row, object_ in enumerate(rows[-1])]
    for object_, forms, columns in waiting:
        if len(forms) == 1:
            object_[:] = [read_item(forms[0], iter(columns), place, rows) for place in range(len(columns[0]))]
            continue
        index, *columns = columns
        for position in sorted(position for position in index[HEAD:] if position >= 0):
            given = iter(columns)
            name = read_item(forms[0], given, position, rows)
            object_[name] = read_item(forms[1], given, position, rows)
    return rows


def read_item(form: Any, columns: Iterator[Any], index: int, rows: list[list[Any]]) -> Any:
    """One item: all parts that the form takes are gone through."""
    if form[0] == "tuple":
        return tuple([read_item(each, columns, index, rows) for each in form[1]])
    part = next(columns)[index]
    if form[0] == "none or":
        found = read_item(form[1], columns, index, rows)
        return found if part else None
    if form[0] == "one of":
        options = [read_item(each, columns, index, rows) for each in form[1]]
        return options[int(part)]
    if form[0] == "number":
        tag = int(next(columns)[index]) if len(form[1]) > 1 else 0
        whole = next(columns)[index] if form[2] else part
        return CONVERSIONS[form[1][tag]](whole if form[1][tag] in "bi" else part)
    if form[0] == "row":
        return rows[form[1]][int(part)] if int(part) < len(rows[form[1]]) else None  # of what is no row, anything
    return chr(int(part)) if form[0] == "letter" else part


nested_objects = define_op("nested_objects", infer=infer_nested_objects, eager=objects_of, derivative=BY_STRUCTURE)

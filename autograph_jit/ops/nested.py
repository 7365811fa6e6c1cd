"""Python's lists, dicts and tuples of those that are rows of tables: all at once, since each may hold any other.

`tables` tells for each table what its rows are made into and the forms. A "list" or "dict" has lists of parts in each row, and one form of
what it holds, or two of keys and values; a "tuple" has its items in lists of parts, and a form for each; "" has no rows.
A form is `("none or", form)`, `("one of", forms)` by a number, `("told", forms)` by the row of the last one, `("tuple", forms)`,
`("number", letters, has_whole)` by NumPy's letters for its types, `("text",)`, `("letter",)`, `("empty",)` of a tuple or `("row", place)`
by the place of its table. It takes the parts of its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
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
KNOWN: dict[Any, tuple[Any, Any]] = {}  # first parts and what was made of them lately: several operations of a call give one object
MUTABLE: dict[str, Callable[[], Any]] = {"list": list, "dict": dict}
CONVERSIONS = {"b": bool, "i": int, "f": float, "c": complex}


def count_parts(form: Form) -> int:
    """How many parts an item of a form has."""
    if form[0] == "number":
        return 1 + (len(form[1]) > 1) + form[2]
    inner = form[1] if form[0] in ("one of", "told", "tuple") else form[1:] if form[0] == "none or" else ()
    return (form[0] not in ("told", "tuple")) + sum(map(count_parts, inner))


def infer_nested_objects(types: Types, attributes: Attributes) -> Types:
    """The parts of all tables, and with `has_root` those of a list or dict that is no row but holds some, which is the last."""
    tables = attributes["tables"]
    counts = [count_all_parts(made, forms) for made, forms in tables]
    if sum(counts) != len(types):
        raise GraphError(f"nested_objects takes {sum(counts)} lists of parts, not {len(types)}")
    given = iter(types)
    for place, (count, (made, _)) in enumerate(zip(counts, tables)):
        is_flat = made == "tuple" or attributes["has_root"] and place == len(tables) - 1
        for found in islice(given, count):
            elem = expect_list("nested_objects", found).elem
            if not is_flat:
                expect_list("nested_objects", elem)
    return (OBJECT,)


def count_all_parts(made: str, forms: tuple[Form, ...]) -> int:
    """How many parts a table has: a dict has an index, too."""
    return sum(map(count_parts, forms)) + (made == "dict")


class Rows:
    """The objects of all tables, by the places of the tables and the numbers of the rows; rows that are one list give one object."""

    def __init__(self, parts: tuple[Any, ...], tables: Any, has_root: bool) -> None:
        given = iter(parts)
        self.tables = tables
        self.columns: list[Any] = [list(islice(given, count_all_parts(made, forms))) for made, forms in tables]
        if has_root:
            self.columns[-1] = [[column] for column in self.columns[-1]]
        self.made: list[list[Any]] = [[None] * len(columns[0]) if columns else [] for columns in self.columns]

    def all_objects(self) -> list[list[Any]]:
        for place, (made, _) in enumerate(self.tables):
            if made in MUTABLE:
                self.made[place] = [KNOWN.setdefault(id(first), (first, MUTABLE[made]()))[1] for first in self.columns[place][0]]
        for place, rows in enumerate(self.made):
            for row, _ in enumerate(rows):
                self.take(place, row)
                self.fill(place, row)
        return self.made

    def take(self, place: int, row: int) -> Any:
        """The object of a row; a tuple is made where it is asked for first."""
        if self.made[place][row] is None:
            (_, forms), columns = self.tables[place], self.columns[place]
            given = iter(columns)
            items = tuple([read_item(form, given, row, self) for form in forms])
            self.made[place][row] = KNOWN.setdefault((id(columns[0]), row), (columns, items))[1]
        return self.made[place][row]

    def fill(self, place: int, row: int) -> None:
        """Put into a list or dict what it holds."""
        (made, forms), object_ = self.tables[place], self.made[place][row]
        if made not in MUTABLE:
            return
        columns = [each[row] for each in self.columns[place]]
        if made == "list":
            object_[:] = [read_item(forms[0], iter(columns), k, self) for k in range(len(columns[0]))]
        elif made == "dict":
            index, *columns = columns
            for position in sorted(position for position in index[HEAD:] if position >= 0):
                given = iter(columns)
                name = read_item(forms[0], given, position, self)
                object_[name] = read_item(forms[1], given, position, self)


def objects_of(*parts: Any, tables: Any, has_root: bool) -> list[list[Any]]:
    """The object of each row of each table, and what is no row."""
    if len(KNOWN) > MOST_KNOWN:
        KNOWN.clear()
    return Rows(parts, tables, has_root).all_objects()


def read_item(form: Any, columns: Iterator[Any], index: int, rows: Rows) -> Any:
    """One item: all parts that the form takes are gone through."""
    if form[0] == "tuple":
        return tuple([read_item(each, columns, index, rows) for each in form[1]])
    if form[0] == "told":
        given = list(islice(columns, count_parts(form)))
        return read_among(form[1], iter(given), index, rows, len(form[1]) - 1 if given[-1][index] >= 0 else 0)
    part = next(columns)[index]
    if form[0] == "none or":
        return read_among(form[1:], columns, index, rows, 0 if part else None)
    if form[0] == "one of":
        return read_among(form[1], columns, index, rows, int(part))
    if form[0] == "number":
        tag = int(next(columns)[index]) if len(form[1]) > 1 else 0
        whole = next(columns)[index] if form[2] else part
        return CONVERSIONS[form[1][tag]](whole if form[1][tag] in "bi" else part)
    if form[0] == "empty":
        return ()
    if form[0] == "row":
        return rows.take(form[1], int(part))
    return chr(int(part)) if form[0] == "letter" else part


def read_among(forms: Any, columns: Iterator[Any], index: int, rows: Rows, chosen: int | None) -> Any:
    """The one item that is there; the parts of the others are gone over."""
    found = None
    for place, form in enumerate(forms):
        given = list(islice(columns, count_parts(form)))
        found = read_item(form, iter(given), index, rows) if place == chosen else found
    return found


nested_objects = define_op("nested_objects", infer=infer_nested_objects, eager=objects_of, derivative=BY_STRUCTURE)

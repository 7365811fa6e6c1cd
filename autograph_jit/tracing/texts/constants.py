"""The constants of a trace that are texts of the caller's: where the program uses one as data, the trace is made again with it as one."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.identity import is_one_of
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, current

TEXT, CONSTANT = "text", "constant text"  # the decisions that a text of the caller's is data, or is none in any case
LOOKING = (enumerate, zip, reversed, len, list, tuple, map, filter, sorted, iter, min, max, set, frozenset, Counter, ord, int, float)
TEXT_TYPES = (str, bytes)
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
NUMBER = re.compile(r"\[\d+\]")
DERIVED = frozenset(("lower", "upper", "strip", "lstrip", "rstrip", "title", "casefold", "capitalize", "swapcase"))  # may be options still


def note_text(inputs: Any, x: Any, name: Any) -> None:
    """This constant stands for a text of the caller's."""
    inputs.reads.setdefault((TEXT, "constants"), {})[id(x)] = x, name


def note_derived(x: Any, made: Any) -> None:
    """What a method made of a constant stands for the caller's text that this is."""
    trace = current()
    if type(made) in TEXT_TYPES and trace is not None and trace.inputs is not None:
        constants = trace.inputs.reads.get((TEXT, "constants"), {})
        if id(x) in constants:
            constants.setdefault(id(made), (made, constants[id(x)][1]))


def has_one_source(x: Any) -> bool:
    """Whether a constant text stands in one variable of the caller's at most: two may hold different objects in a later call."""
    trace = current()
    guards = trace.inputs.guards if trace is not None and trace.inputs is not None else []
    return len({guard.text for guard in guards if guard.kind == "value" and guard.expected is x}) <= 1


def expect_data(x: Any, whole: bool = False) -> None:
    """The program looks into a text, or computes with it: where it is the caller's, or has one in it (not if `whole`), trace again with
    it as data."""
    trace = current()
    if type(x) not in TEXT_TYPES or trace is None or trace.inputs is None:
        return
    constants = trace.inputs.reads.get((TEXT, "constants"), {})
    found = [name for known, name in constants.values() if known is x]
    if not found and len(x) > 1 and not whole:
        found = [name for known, name in constants.values() if type(known) is type(x) and len(known) and known in x]
    if found:  # and with it the other arguments that are texts, and what stands at its place in other rows: most likely they are data, too
        places = set(map(place_of, found))
        others = (name for _, name in constants.values() if type(name) is str and ("[" not in name or place_of(name) in places))
        raise Restart(*((TEXT, name) for name in {*found, *others}))


def expect_all_data(values: list[Any]) -> None:
    """Only the run knows which of several values it is: the caller's texts among them are data, all of them at once."""
    trace = current()
    texts = [x for x in values if type(x) in TEXT_TYPES]
    if trace is None or trace.inputs is None or len(set(texts)) < 2:
        return
    constants = trace.inputs.reads.get((TEXT, "constants"), {})
    if found := {constants[id(x)][1] for x in texts if id(x) in constants}:
        raise Restart(*((TEXT, name) for name in found))


def compared_as(x: Any) -> Any:
    """A text of another class, as of an enumeration, as Python's own where it is compared as such; any other value as it is."""
    kind = next((kind for kind in TEXT_TYPES if isinstance(x, kind)), None)
    if kind is None or type(x) is kind:
        return x
    is_alike = isinstance(x, np.character) or all(getattr(type(x), name) is getattr(kind, name) for name in COMPARISONS)
    return (str.__str__(x) if kind is str else bytes.__getitem__(x, slice(None))) if is_alike else x


def place_of(name: Any) -> Any:
    """The name of a part of an argument without its numbers: one for all rows."""
    return NUMBER.sub("[]", name) if type(name) is str else name


def constants_instead(trace: Any) -> set[tuple[str, Any]]:
    """The decisions that make constants again of the texts of the caller's that are data."""
    return {(CONSTANT, decision[1]) for decision in trace.decisions if decision[0] == TEXT}


def is_data_method(name: str) -> bool:
    """Whether a method looks into a text, other than to write an option in another way."""
    if type(name) is not str or name.startswith("_"):
        return False
    return name not in DERIVED and name not in ("startswith", "endswith", "format", "join")


def expect_constant(x: Any) -> None:
    """The trace has to know a text: where it is the caller's own, trace again with it as a constant under guard."""
    if is_marked(x, "kind_of_text") and x.origin is not None:
        raise Restart((CONSTANT, x.origin))


def expect_data_for(function: Any, args: tuple[Any, ...]) -> None:
    """The texts that a builtin, or a regular expression, looks through are data."""
    if not any(type(arg) in TEXT_TYPES for arg in args):
        return
    if is_one_of(function, LOOKING) or isinstance(getattr(function, "__self__", None), re.Pattern):
        for arg in args:
            expect_data(arg)

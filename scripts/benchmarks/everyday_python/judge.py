"""What differs between two values of Python: types, order of keys, attributes, aliases; only floats may differ in their last bits."""

from __future__ import annotations

import cmath
import io
import random
import re
from collections import deque
from typing import Any

import numpy as np

ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
RTOL = 1e-12  # a sum that is made in another order, a math function's last bit


def difference(got: Any, want: Any, where: str = "result", seen: dict[int, tuple[Any, Any]] | None = None) -> str:
    """The first place where two values differ, in words, or an empty string; `seen` has for each object its pair."""
    seen = {} if seen is None else seen
    if got is want:
        return ""
    if type(got) is not type(want):
        return f"{where}: {names_of(type(got))} instead of {names_of(type(want))}"
    if isinstance(want, float | complex):
        return "" if is_close(got, want) else f"{where}: {got!r} instead of {want!r}"
    if not isinstance(want, str | bytes | int | tuple | frozenset | None):
        known = seen.get(id(got)) or seen.get(id(want))
        if known is not None:  # an instance may lead back to itself; what is one object there is one here
            return "" if known[0] is got and known[1] is want else f"{where}: an alias of another object than in Python"
        seen[id(got)] = seen[id(want)] = got, want
    mine, other = parts_of(got, where), parts_of(want, where)
    if not mine and not other:
        return "" if got == want or are_alike(got, want) else f"{where}: {got!r} instead of {want!r}"
    if [place for place, _ in mine] != [place for place, _ in other]:
        return f"{where}: {got!r} instead of {want!r}"
    return next(filter(None, (difference(a, b, place, seen) for (place, a), (_, b) in zip(mine, other))), "")


def are_alike(got: Any, want: Any) -> bool:
    """Whether two objects have one text and only their places tell them apart."""
    by_place = callable(want) or type(want).__eq__ is object.__eq__
    return by_place and ADDRESS.sub("", repr(got)) == ADDRESS.sub("", repr(want))


def names_of(kind: type) -> str:
    """A class and what it derives from: one may call itself `list` that is none."""
    return " of ".join(base.__name__ for base in kind.__mro__[:-1])


def is_close(got: complex, want: complex) -> bool:
    return got == want or (got != got and want != want) or cmath.isclose(got, want, rel_tol=RTOL)


def parts_of(value: Any, where: str) -> list[tuple[str, Any]]:
    """What a value consists of, each part with its place; nothing for a number, a text, a set, a function."""
    if isinstance(value, list | tuple | deque):
        return [(f"{where}[{k}]", part) for k, part in enumerate(value)]
    if isinstance(value, dict):
        return [(f"keys of {where}", list(value)), *((f"{where}[{key!r}]", part) for key, part in value.items())]
    if isinstance(value, np.ndarray):
        return [(f"dtype of {where}", str(value.dtype)), (f"shape of {where}", value.shape), (where, value.tolist())]
    if isinstance(value, random.Random) and not isinstance(value, random.SystemRandom):
        return [(f"state of {where}", value.getstate())]
    if isinstance(value, io.StringIO | io.BytesIO) and not value.closed:
        return [(f"content of {where}", value.getvalue()), (f"place in {where}", value.tell())]
    if isinstance(value, np.random.Generator):
        return [(f"state of {where}", repr(value.bit_generator.state))]
    if isinstance(value, type) or callable(value):
        return []
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) if hasattr(value, name)]
    attributes = {name: getattr(value, name) for name in slots if not name.startswith("__")}
    own = getattr(value, "__dict__", {})  # what stands for a module of a library may answer to any name
    return [(f"{where}.{name}", part) for name, part in (attributes | (own if isinstance(own, dict) else {})).items()]

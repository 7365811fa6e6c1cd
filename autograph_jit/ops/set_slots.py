"""The slots of a set of Python's: read from its memory as the index of a table, and filled so that a new set has its items in an order."""

from __future__ import annotations

import ctypes
import sys
from itertools import islice
from typing import Any, cast

import numpy as np

from autograph_jit.ir.derivative import BY_STRUCTURE
from autograph_jit.ir.opdef import Attributes
from autograph_jit.ir.types import OBJECT
from autograph_jit.ops.inference import Types, expect_count, expect_type
from autograph_jit.ops.registry import define_op
from autograph_jit.ops.tables import ENTRIES, FILL, FINGER, FIRST, GIVEN_UP, HEAD, INDEX, MASK, UNUSED, USED, expect_column

SLOT = 2 * np.dtype(np.intp).itemsize  # a reference and a hash
CHANGED = "Set changed size during iteration"  # by another thread, since its items were read
SIZE = ctypes.sizeof(ctypes.c_void_p)
CLASS, FROZEN = object.__basicsize__ - SIZE, id(frozenset).to_bytes(SIZE, sys.byteorder)
FIELDS = ctypes.c_ssize_t * 6  # of `PySetObject`: fill, used, mask, the address of the slots, hash, finger; the same from 3.11 to 3.14


def index_of_set(x: set[Any], items: list[Any]) -> list[int]:
    """The index of a table whose keys are the items of a set, in the order in which Python goes through them."""
    fill, used, mask, address, _, finger = FIELDS.from_address(id(x) + object.__basicsize__)
    if used != len(items):
        raise RuntimeError(CHANGED)
    slots = np.frombuffer(ctypes.string_at(address, (mask + 1) * SLOT), np.intp).reshape(-1, 2)
    index = np.full(HEAD + mask + 1, UNUSED)
    index[[MASK, FILL, USED, ENTRIES, FINGER, FIRST]] = mask, fill, used, used, finger, 0
    references, hashes = slots.T
    index[HEAD:][references != 0] = GIVEN_UP
    index[HEAD:][(references != 0) & (hashes != -1)] = np.arange(used)  # no hash is -1, but that of a slot that was given up
    return index.tolist()


class Stone:
    """What holds a slot until an item comes there."""

    def __init__(self, slot: int) -> None:
        self.slot = slot

    def __hash__(self) -> int:
        return self.slot


def set_in_slots(items: list[Any], *places: int) -> set[Any]:
    """A set with each item in its slot. `places` are the slots of the items, others on the way to them, and the last slot of all.

    Those that have the slot of their hash come first, and stones hold the other slots. CPython puts an item into the last slot that was
    given up on its way to an unused one: that of the one stone that is taken away."""
    *taken, last = places
    more = max(0, (last + 1) // 4 + 1 - len(taken))  # room for twice as many makes so many slots
    free = sorted(set(range(last + 1)).difference(taken))[:more] if more else []
    held: dict[int, Any] = {slot: Stone(slot) for slot in (*taken[len(items) :], *free)}
    away = []
    for item, slot in zip(items, taken):
        is_home = hash(item) & last == slot
        held[slot] = item if is_home else Stone(slot)
        if not is_home:
            away.append((slot, item))
    most = (last - 1) // 2
    found: set[Any] = set()
    found.update(dict.fromkeys(islice(held.values(), most)))
    found.update(list(held.values())[most:])
    for slot, item in away:
        found.discard(held.pop(slot))
        found.add(item)
    for x in held.values():
        if type(x) is Stone:
            found.discard(x)
    return found


def retyped(x: set[Any]) -> frozenset[Any]:
    """A set that nobody else has, as a frozenset with the same slots: both are a `PySetObject`, whose class stands last in what every
    object begins with. A frozenset that Python makes of a set has slots of its own."""
    ctypes.memmove(id(x) + CLASS, FROZEN, SIZE)
    return cast("frozenset[Any]", x)


def infer_of_set(types: Types, attributes: Attributes) -> Types:
    """A set of Python's, and a column of its items, give an index."""
    expect_count("table_of_set", types, 2)
    expect_type("table_of_set", types[0], OBJECT)
    expect_column("table_of_set", types[1])
    return (INDEX,)


table_of_set = define_op("table_of_set", infer=infer_of_set, eager=index_of_set, derivative=BY_STRUCTURE)

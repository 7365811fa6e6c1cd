"""Hash tables over columns of keys: an index, which is a growable list of i32, finds the position at which a key stands in the columns.

A key is one number or a tuple; its numbers stand at one position of one list each (the columns), which the program fills by itself: the
index holds positions only. The attribute `form` says how the numbers make the key: `x` is a number, `t` a reference to a text, `(xx)` a
pair, `(x(xx))` a pair of a number and a pair, `[x]` a tuple of numbers of which only the run knows how long it is, in lists that nobody
writes to any more. The index is empty, or begins with HEAD words, and goes on with a power of two of slots.
Hashing, probing and growing are CPython's for sets (`Objects/setobject.c`), so that a walk through the slots gives the order of a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE
from autograph_jit.ir.opdef import Attributes, Effect
from autograph_jit.ir.types import BOOL, I64, TEXT_REFERENCES, ListType, ScalarType, Type
from autograph_jit.ops.inference import Types, expect_array, expect_count, expect_list, expect_type
from autograph_jit.ops.registry import define_op

MASK, FILL, USED, ENTRIES = range(4)  # slots less one; slots in use or given up; keys; positions given out
FINGER, FIRST, HEAD = range(4, 7)  # where `set.pop` looks; a position in front of which there is no key
UNUSED, GIVEN_UP = -1, -2  # what a slot holds beside positions
LINEAR_PROBES, PERTURB_SHIFT, MIN_SLOTS, LARGE = 9, 5, 8, 50000  # CPython's, the same from 3.11 to 3.14
I32 = ScalarType(np.dtype(np.int32))
INDEX = ListType(I32)
KEY_DTYPES = frozenset(map(np.dtype, ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8")))


def count_of_numbers(form: str) -> int:
    """How many numbers and references make a key."""
    return form.count("x") + form.count("t")


def expect_index(name: str, types: Types) -> None:
    """The first operand is an index."""
    if not types or types[0] != INDEX:
        raise GraphError(f"{name} takes an index of a table, list[i32], not {types[0] if types else 'nothing'}")


def expect_key(name: str, types: Types, attributes: Attributes) -> None:
    """An index, its columns, and a number of the key for each."""
    expect_index(name, types)
    count = count_of_numbers(attributes["form"])
    expect_count(name, types, 1 + 2 * count)
    for column, number in zip(types[1 : 1 + count], types[1 + count :]):
        expect_type(name, number, expect_column(name, column))


def expect_column(name: str, column: Type) -> Type:
    """What a list of parts of keys holds."""
    found = expect_list(name, column)
    if found.number.dtype not in KEY_DTYPES and found.number not in TEXT_REFERENCES:
        raise GraphError(f"{name} has no keys of {found.number}")
    return found.elem


def infer_find(types: Types, attributes: Attributes) -> Types:
    """A position."""
    expect_key("table_find", types, attributes)
    return (I64,)


def infer_insert(types: Types, attributes: Attributes) -> Types:
    """A position, and whether it is a new one."""
    expect_key("table_insert", types, attributes)
    return (I64, BOOL)


def infer_remove(types: Types, attributes: Attributes) -> Types:
    """A position."""
    expect_key("table_remove", types, attributes)
    return (I64,)


def infer_count(types: Types, attributes: Attributes) -> Types:
    """A number of keys or positions."""
    expect_count("table_len", types, 1)
    expect_index("table_len", types)
    return (I64,)


def infer_pop(types: Types, attributes: Attributes) -> Types:
    """An index, with its columns where the last key is meant, gives a position."""
    expect_index("table_pop", types)
    expect_count("table_pop", types, 1 + count_of_numbers(attributes.get("form", "")))
    return (I64,)


def infer_order(types: Types, attributes: Attributes) -> Types:
    """A list of positions."""
    expect_count("table_order", types, 1)
    expect_index("table_order", types)
    return (ListType(I64),)


def infer_reserve(types: Types, attributes: Attributes) -> Types:
    """An index, its columns, a number of keys."""
    expect_index("table_reserve", types)
    expect_count("table_reserve", types, 2 + count_of_numbers(attributes["form"]))
    expect_type("table_reserve", types[-1], I64)
    return ()


def infer_common(types: Types, attributes: Attributes) -> Types:
    """Two indices with their columns give a list of positions."""
    half = 1 + count_of_numbers(attributes["form"])
    expect_count("table_common", types, 2 * half)
    expect_index("table_common", types)
    for found, expected in zip(types[half:], types[:half]):
        expect_type("table_common", found, expected)
    return (ListType(I64),)


def infer_renumber(types: Types, attributes: Attributes) -> Types:
    """An index and the positions that stay."""
    expect_index("table_renumber", types)
    expect_type("table_renumber", types[1], ListType(I64))
    return ()


def infer_index(types: Types, attributes: Attributes) -> Types:
    """The columns of keys give an index."""
    expect_count("table_index", types, count_of_numbers(attributes["form"]))
    for column in types:
        expect_column("table_index", column)
    return (INDEX,)


def infer_adopt(types: Types, attributes: Attributes) -> Types:
    """An index, the columns of another one and that give a bool."""
    expect_count("table_adopt", types, 2 + count_of_numbers(attributes["form"]))
    expect_index("table_adopt", types)
    expect_index("table_adopt", types[-1:])
    return (BOOL,)


def infer_put(types: Types, attributes: Attributes) -> Types:
    """A list, a position, whether it is a new one, an element."""
    expect_count("list_put", types, 4)
    elem = expect_list("list_put", types[0]).elem
    for found, expected in zip(types[1:], (I64, BOOL, elem)):
        expect_type("list_put", found, expected)
    return ()


def infer_keep(types: Types, attributes: Attributes) -> Types:
    """A list, an array of positions, the length before."""
    expect_list("list_keep", types[0])
    order = expect_array("list_keep", types[1])
    if order.dtype != I64.dtype or order.rank != 1:
        raise GraphError(f"list_keep takes a vector of positions, not {order}")
    expect_type("list_keep", types[2], I64)
    return ()


def key_of(form: str, numbers: Any) -> Any:
    """The Python key that numbers make."""

    def parts(text: Iterator[str], left: Iterator[Any]) -> Iterator[Any]:
        for letter in text:
            if letter == ")":
                return
            if letter == "[":
                inner = up_to_end(text)
                columns = list(islice(left, count_of_numbers(inner)))
                yield tuple(key_of(inner, row) for row in zip(*columns))
            else:
                yield tuple(parts(text, left)) if letter == "(" else next(left) if letter == "t" else np.asarray(next(left)).item()

    return next(parts(iter(form), iter(numbers)))


def up_to_end(text: Iterator[str]) -> str:
    """The form of the items of a tuple of any length, taken from the letters behind its `[`."""
    found, depth = "", 1
    while depth:
        letter = next(text)
        depth += (letter == "[") - (letter == "]")
        found += letter
    return found[:-1]


def hash_of(key: Any) -> int:
    """CPython's hash; 0 for nan, whose hash is that of the object."""
    if isinstance(key, tuple):
        return hash(tuple(Hashed(hash_of(part)) for part in key))
    return 0 if key != key else hash(key)


class Hashed:
    """Something of a given hash."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __hash__(self) -> int:
        return self.value


def probes(mask: int, code: int) -> Iterator[int]:
    """The slots at which a key of a hash may stand, in the order in which CPython looks at them."""
    perturb, start = code % 2**64, code % 2**64 & mask
    while True:
        yield from range(start, start + (LINEAR_PROBES if start + LINEAR_PROBES <= mask else 0) + 1)
        perturb >>= PERTURB_SHIFT
        start = (start * 5 + 1 + perturb) & mask


def find_slot(index: list[Any], form: str, operands: Any) -> int | None:
    """The slot of a key; None where it is not there."""
    count = count_of_numbers(form)
    columns, numbers = operands[:count], operands[count:]
    if not index:
        return None
    for slot in probes(index[MASK], hash_of(key_of(form, numbers))):
        position = index[HEAD + slot]
        if position == UNUSED:
            return None
        if position >= 0 and all(column[position] == number for column, number in zip(columns, numbers)):
            return slot
    return None


def find_position(index: list[Any], *operands: Any, form: str) -> np.int64:
    """Where a key stands; -1 where it is not there."""
    slot = find_slot(index, form, operands)
    return np.int64(-1 if slot is None else index[HEAD + slot])


def insert_key(index: list[Any], *operands: Any, form: str) -> tuple[np.int64, np.bool_]:
    """Where a key stands, at a new position if it was not there."""
    found = find_position(index, *operands, form=form)
    if found >= 0:
        return found, np.False_
    start_slots(index)
    count = count_of_numbers(form)
    code, position = hash_of(key_of(form, operands[count:])), index[ENTRIES]
    slot = free_slot(index, code)
    is_unused = index[HEAD + slot] == UNUSED
    index[HEAD + slot] = position
    for word in (USED, ENTRIES, *((FILL,) if is_unused else ())):
        index[word] += 1
    if is_unused and index[FILL] * 5 >= index[MASK] * 3:
        resize(index, operands[:count], form, grown(index), {position: code})
    return np.int64(position), np.True_


def start_slots(index: list[Any]) -> None:
    """Slots for an index that has none yet."""
    if not index:
        index.extend([MIN_SLOTS - 1, *[0] * (HEAD - 1), *[UNUSED] * MIN_SLOTS])


def grown(index: list[Any]) -> int:
    """How many slots a table of these keys needs at least where it is to have room for more."""
    return index[USED] * (2 if index[USED] > LARGE else 4)


def free_slot(index: list[Any], code: int) -> int:
    """Where a new key goes: the last slot that was given up on the way to the first unused one, or that."""
    free = None
    for slot in probes(index[MASK], code):
        if index[HEAD + slot] == UNUSED:
            return slot if free is None else free
        free = slot if index[HEAD + slot] == GIVEN_UP else free
    raise AssertionError


def resize(index: list[Any], columns: Any, form: str, least: int, known: dict[int, int]) -> None:
    """More than `least` slots; `known` are hashes of keys that are not in the columns yet."""
    slots = MIN_SLOTS
    while slots <= least:
        slots *= 2
    old = [position for position in index[HEAD:] if position >= 0]
    index[HEAD:] = [UNUSED] * slots
    index[MASK], index[FILL] = slots - 1, index[USED]
    for position in old:
        code = known[position] if position in known else hash_of(key_of(form, [column[position] for column in columns]))
        index[HEAD + next(slot for slot in probes(slots - 1, code) if index[HEAD + slot] == UNUSED)] = position


def remove_key(index: list[Any], *operands: Any, form: str) -> np.int64:
    """Where a key stood that is not there any more; -1 where it was not there."""
    slot = find_slot(index, form, operands)
    if slot is None:
        return np.int64(-1)
    position, index[HEAD + slot] = index[HEAD + slot], GIVEN_UP
    index[USED] -= 1
    return np.int64(position)


def number_of_keys(index: list[Any], of: str) -> np.int64:
    """How many keys there are, or positions that removed keys have left behind."""
    return np.int64(0 if not index else index[USED] if of == "keys" else index[ENTRIES] - index[USED])


def positions_of(index: list[Any], by: str) -> list[np.int64]:
    """The positions of keys, as they lie in the slots or ascending: in the order of a set or of a dict. By "place" the former, then the
    slots of these keys, those that were given up, and how many slots there are less one."""
    found = [np.int64(position) for position in index[HEAD:] if position >= 0]
    if by == "place" and index:
        given_up = [slot for slot, position in enumerate(index[HEAD:]) if position == GIVEN_UP]
        slots = [slot for slot, position in enumerate(index[HEAD:]) if position >= 0]
        found += map(np.int64, [*slots, *given_up, index[MASK]])
    return sorted(found) if by == "position" else found


def reserve_slots(index: list[Any], *operands: Any, form: str) -> tuple[()]:
    """Room for more keys at once, as CPython makes it before it merges sets; for -1 fewer slots, where many were given up, as it does
    behind a difference."""
    *columns, more = operands
    if more < 0:
        if index and index[FILL] - index[USED] > index[MASK] // 4:
            resize(index, columns, form, grown(index), {})
        return ()
    start_slots(index)
    if (index[FILL] + int(more)) * 5 >= index[MASK] * 3:
        resize(index, columns, form, (index[USED] + int(more)) * 2, {})
    return ()


def common_positions(index: list[Any], *operands: Any, form: str, there: bool) -> list[np.int64]:
    """The positions of those keys, in the order of a set, that another table has, or has not."""
    count = count_of_numbers(form)
    columns, other, others = operands[:count], operands[count], operands[count + 1 :]
    return [
        position
        for position in positions_of(index, "slot")
        if (find_position(other, *others, *(column[position] for column in columns), form=form) >= 0) == there
    ]


def made_index(*columns: Any, form: str) -> list[Any]:
    """A new index of the keys that stand in columns, all different."""
    index: list[Any] = []
    reserve_slots(index, *columns, np.int64(len(columns[0])), form=form)
    for numbers in zip(*columns):
        insert_key(index, *columns, *numbers, form=form)
    return index


def adopt_slots(index: list[Any], *operands: Any, form: str) -> np.bool_:
    """Where an index is empty, it takes over the keys of another one: CPython copies the slots where they are as many and none was given
    up, else puts in the keys as they lie there. Tells whether it did."""
    *columns, other = operands
    more = int(other[USED]) if other else 0
    if not more or index and index[FILL]:
        return np.False_
    own, slots = int(index[MASK]) if index else MIN_SLOTS - 1, MIN_SLOTS
    least = own if more * 5 < own * 3 else more * 2
    while slots <= least:
        slots *= 2
    index[:] = other
    index[FINGER] = 0
    if slots - 1 != other[MASK] or other[FILL] != more:
        resize(index, columns, form, least, {})
    return np.True_


def renumber(index: list[Any], order: list[Any]) -> tuple[()]:
    """Number the positions of `order`, which ascend and are all that there are, from 0."""
    ranks = {int(position): rank for rank, position in enumerate(order)}
    index[HEAD:] = [ranks[slot] if slot >= 0 else slot for slot in index[HEAD:]]
    if index:
        index[ENTRIES], index[FIRST] = len(order), 0
    return ()


def first_position(index: list[Any], *columns: Any, form: str) -> np.int64:
    """Where the first key stands, which is noted; -1 where there is none."""
    if not index or not index[USED]:
        return np.int64(-1)
    index[FIRST] = min(position for position in index[HEAD:] if position >= 0)
    return np.int64(index[FIRST])


def pop_slot(index: list[Any], *columns: Any, form: str = "") -> np.int64:
    """Remove the key that CPython's `set.pop` would remove, or, given the columns, the last one, where positions end then: its position,
    -1 where there is none."""
    if not index or not index[USED]:
        return np.int64(-1)
    slot = int(np.argmax(index[HEAD:])) if form else index[FINGER] & index[MASK]
    while index[HEAD + slot] < 0:
        slot = (slot + 1) & index[MASK]
    position, index[HEAD + slot] = index[HEAD + slot], GIVEN_UP
    index[USED] -= 1
    index[ENTRIES if form else FINGER] = position if form else slot + 1
    return np.int64(position)


def put_item(items: list[Any], position: Any, is_new: Any, item: Any, keeps: bool = False) -> tuple[()]:
    """Append an item, or write it over the one at a position, or leave that."""
    if is_new:
        items.append(item)
    elif not keeps:
        items[int(position)] = item
    return ()


def keep_items(items: list[Any], order: Any, length: Any = None) -> tuple[()]:
    """Leave the items at ascending positions only; `length` is how many there are, which the derivative needs."""
    items[:] = [items[int(position)] for position in order]
    return ()


table_find = define_op("table_find", infer=infer_find, eager=find_position, derivative=BY_STRUCTURE)
table_insert = define_op("table_insert", infer=infer_insert, eager=insert_key, effect=Effect.WRITE, derivative=BY_STRUCTURE)
table_remove = define_op("table_remove", infer=infer_remove, eager=remove_key, effect=Effect.WRITE, derivative=BY_STRUCTURE)
table_len = define_op("table_len", infer=infer_count, eager=number_of_keys, derivative=BY_STRUCTURE)
table_order = define_op("table_order", infer=infer_order, eager=positions_of, derivative=BY_STRUCTURE)
table_reserve = define_op("table_reserve", infer=infer_reserve, eager=reserve_slots, effect=Effect.WRITE, derivative=BY_STRUCTURE)
table_common = define_op("table_common", infer=infer_common, eager=common_positions, derivative=BY_STRUCTURE)
table_index = define_op("table_index", infer=infer_index, eager=made_index, derivative=BY_STRUCTURE)
table_adopt = define_op("table_adopt", infer=infer_adopt, eager=adopt_slots, effect=Effect.WRITE, derivative=BY_STRUCTURE)
table_renumber = define_op("table_renumber", infer=infer_renumber, eager=renumber, effect=Effect.WRITE, derivative=BY_STRUCTURE)
table_pop = define_op("table_pop", infer=infer_pop, eager=pop_slot, effect=Effect.WRITE, derivative=BY_STRUCTURE)
table_first = define_op("table_first", infer=infer_pop, eager=first_position, effect=Effect.WRITE, derivative=BY_STRUCTURE)
list_put = define_op("list_put", infer=infer_put, eager=put_item, effect=Effect.WRITE, derivative=BY_STRUCTURE)
list_keep = define_op("list_keep", infer=infer_keep, eager=keep_items, effect=Effect.WRITE, derivative=BY_STRUCTURE)

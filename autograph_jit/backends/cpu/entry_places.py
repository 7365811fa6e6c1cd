"""Where CPython keeps the entries of a dict and the attributes of an instance: each is looked for at the place that it should have.

Before: a hash and a search for the key "price" in each of 1,000 dicts
After:  the second entry of each, as long as that has this key; the search where it has not

How dicts are kept is found by looking at some, and how instances keep attributes, too; where that does not tell it, C's interface is asked.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from types import MemberDescriptorType
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.runtime_module import Routine
from autograph_jit.backends.cpu.signatures import I8, I64, PTR
from autograph_jit.backends.once import once
from autograph_jit.records import dataclass

KEYS_AT, VALUES_AT = symbols.OBJECT_SIZE + 16, symbols.OBJECT_SIZE + 24  # of a dict: its keys; its values, where keys are shared
INDEX_BYTES_AT, FORM_AT, ENTRIES_AT, INDICES_AT = 9, 10, 24, 32  # of keys: log2 of the size of the index, how they are kept, how many
ENTRY = 16  # bytes of a key that is a str, and of its value
OWN_VALUES_AT, OWN_DICT_AT = -32, -24  # of an instance of a class without slots, in Python 3.11: its values, or else its dict
MANAGED_DICT = 1 << 4  # in the flags of such a class
SLOT_AT, OBJECT_EX = symbols.OBJECT_SIZE + 24, 16  # of the descriptor of a slot: its description; there, the type of what is an object


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Where the values under a name are in the objects of a class: how many bytes behind an instance, or as which entry."""

    offset: int | None = None
    entry: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is such a place."""
        return self.offset is not None or self.entry is not None


def memory_word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def key_addresses(d: dict[Any, Any]) -> list[int]:
    """The addresses of the keys of a dict, as its memory has them; none of a dict that has others than strs."""
    keys = memory_word(id(d) + KEYS_AT)
    if not ctypes.c_uint8.from_address(keys + FORM_AT).value:
        return []
    first = keys + INDICES_AT + (1 << ctypes.c_uint8.from_address(keys + INDEX_BYTES_AT).value)
    return [memory_word(first + ENTRY * place) for place in range(memory_word(keys + ENTRIES_AT))]


@once
def are_dicts_known() -> bool:
    """Whether dicts are kept as is written here."""
    if sys.version_info >= (3, 15) or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    some = [dict.fromkeys(map(str, range(count)), 1.5) for count in (1, 5, 6, 90, 300)]
    return dict.__basicsize__ == symbols.OBJECT_SIZE + 32 and all(key_addresses(d) == list(map(id, d)) for d in some)


@once
def are_instances_known() -> bool:
    """Whether attributes are kept as is written here."""
    if sys.version_info[:2] != (3, 11) or not are_dicts_known():
        return False

    class Example:
        def __init__(self) -> None:
            self.first, self.second = object(), object()

    x = Example()
    values, is_free = memory_word(id(x) + OWN_VALUES_AT), memory_word(id(x) + OWN_DICT_AT) == 0
    if not is_free or not values or [memory_word(values), memory_word(values + 8)] != [id(x.first), id(x.second)]:
        return False
    own = vars(x)
    kept = memory_word(id(own) + VALUES_AT)
    is_moved = [memory_word(id(x) + OWN_VALUES_AT), memory_word(id(x) + OWN_DICT_AT)] == [0, id(own)]
    shared = [memory_word(kept), memory_word(kept + 8)] if kept else []
    return is_moved and key_addresses(own) == list(map(id, own)) and shared == [id(x.first), id(x.second)]


def offset_of(slot: MemberDescriptorType) -> int | None:
    """How many bytes behind an instance the value of a slot is; None of what is no object."""
    described = memory_word(id(slot) + SLOT_AT)
    return memory_word(described + 16) if ctypes.c_int.from_address(described + 8).value == OBJECT_EX else None


@once
def are_slots_known() -> bool:
    """Whether slots are described as is written here."""

    class Example:
        __slots__ = ("first", "second")

        def __init__(self) -> None:
            self.first, self.second = object(), object()

    x = Example()
    offsets = [offset_of(vars(Example)[name]) for name in Example.__slots__]
    return None not in offsets and [memory_word(id(x) + (offset or 0)) for offset in offsets] == [id(x.first), id(x.second)]


def value_place(kind: type, name: str) -> ValuePlace:
    """Where the instances of a class have an attribute."""
    slot = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    if isinstance(slot, MemberDescriptorType):
        return ValuePlace(offset=offset_of(slot) if are_slots_known() else None)
    if not are_instances_known() or not kind.__flags__ & MANAGED_DICT:
        return ValuePlace()
    shared: dict[str, Any] = object.__new__(kind).__dict__
    names = [ctypes.cast(address, ctypes.py_object).value for address in key_addresses(shared)]
    return ValuePlace(entry=names.index(name)) if memory_word(id(shared) + VALUES_AT) and name in names else ValuePlace()


def entries_of_keys(r: Routine, keys: ir.Value) -> ir.Value:
    """Where the first entry of the keys of a dict is: behind its index."""
    index = r.b.shl(I64(1), r.b.zext(r.field(keys, INDEX_BYTES_AT, I8), I64))
    return r.b.gep(keys, [r.b.add(index, I64(INDICES_AT))], source_etype=I8)


class EntryCode:
    """The code that finds where the value under a name stands; it goes to `elsewhere` where that is not at the place."""

    def __init__(self, r: Routine, place: ValuePlace, elsewhere: ir.Block) -> None:
        self.r, self.place, self.elsewhere = r, place, elsewhere

    def go_on_if(self, condition: ir.Value, block: ir.Block | None = None) -> None:
        onward = self.r.function.append_basic_block("onward")
        self.r.b.cbranch(condition, onward, block or self.elsewhere)
        self.r.b.position_at_end(onward)

    def in_instance(self, x: ir.Value, name: ir.Value) -> ir.Value:
        """The address of what an instance itself has, which it keeps."""
        r = self.r
        if self.place.offset is not None:
            return r.b.gep(x, [I64(self.place.offset)], source_etype=I8)
        values = r.field(x, OWN_VALUES_AT, PTR)
        in_dict, done = r.function.append_basic_block("in_dict"), r.function.append_basic_block("found")
        self.go_on_if(r.b.not_(r.is_null(values)), in_dict)
        here, way = r.b.gep(values, [I64(8 * (self.place.entry or 0))], source_etype=I8), r.b.block
        r.b.branch(done)
        r.b.position_at_end(in_dict)
        own = r.field(x, OWN_DICT_AT, PTR)
        self.go_on_if(r.b.not_(r.is_null(own)))
        there, other_way = self.in_dict(own, name), r.b.block
        r.b.branch(done)
        r.b.position_at_end(done)
        return self.joined((here, way), (there, other_way))

    def in_dict(self, row: ir.Value, name: ir.Value) -> ir.Value:
        """The address of what a dict has under a key."""
        r, entry = self.r, self.place.entry or 0
        keys, values = r.field(row, KEYS_AT, PTR), r.field(row, VALUES_AT, PTR)
        is_there = r.b.icmp_signed("<", I64(entry), r.field(keys, ENTRIES_AT))
        self.go_on_if(r.b.and_(is_there, r.b.icmp_unsigned("!=", r.field(keys, FORM_AT, I8), I8(0))))
        at = r.b.gep(entries_of_keys(r, keys), [I64(ENTRY * entry)], source_etype=I8)
        self.go_on_if(r.b.icmp_unsigned("==", r.field(at, 0, PTR), name))
        if not are_instances_known():
            self.go_on_if(r.is_null(values))
        here, there = (r.b.gep(base, [I64(offset)], source_etype=I8) for base, offset in ((at, 8), (values, 8 * entry)))
        return r.b.select(r.is_null(values), here, there)

    def joined(self, *ways: tuple[ir.Value, ir.Block]) -> ir.Value:
        found = self.r.b.phi(PTR)
        for value, block in ways:
            found.add_incoming(value, block)
        return found

    def value_in_dict(self, row: ir.Value, name: ir.Value) -> ir.Value:
        """What a dict has under a key, which is searched `elsewhere`; null where it has none, or an exception is pending."""
        r, done = self.r, self.r.function.append_basic_block("looked_up")
        ways = []
        if self.place.entry is not None and are_dicts_known():
            found = r.b.load(self.in_dict(row, name), typ=PTR)
            ways.append((found, r.b.block))
            r.b.cbranch(r.is_null(found), self.elsewhere, done)
        else:
            r.b.branch(self.elsewhere)
        r.b.position_at_end(self.elsewhere)
        ways.append((r.call("PyDict_GetItemWithError", row, name), self.elsewhere))
        r.b.branch(done)
        r.b.position_at_end(done)
        return self.joined(*ways)

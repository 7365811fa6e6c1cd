"""Native code that tells whether instances shadow what their class has: one pass over a list, which looks at the dicts that there are.

Before: `"f" in vars(x)` for each of 1,000 instances, which gives each a dict
After:  the keys that the instances of the class share are looked at once; then the few instances that have keys of their own

How CPython keeps the keys is found by looking at an example; where that does not tell it, there is no such code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from types import GenericAlias
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.entry_places import (
    ENTRIES_AT,
    ENTRY,
    FORM_AT,
    KEYS_AT,
    MANAGED_DICT,
    OWN_DICT_AT,
    are_dicts_known,
    entries_of_keys,
    memory_word,
)
from autograph_jit.backends.cpu.library import ENTRY as FUNCTION
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.part_readers import SIZE_AT, PartReaderCode
from autograph_jit.backends.cpu.runtime_module import Routine
from autograph_jit.backends.cpu.signatures import I8, I64, PTR
from autograph_jit.backends.once import once

HASH_AT = symbols.OBJECT_SIZE + 8  # of a str


@once
def shared_keys_at() -> int | None:
    """Where a class has the keys that its instances share; None where instances are not kept as is written here: with these keys where
    what stands in the place of the dict is null, or odd, or else with a dict."""

    class Example:
        def __init__(self) -> None:
            self.first = object()

    x = Example()
    if not are_dicts_known() or not Example.__flags__ & MANAGED_DICT:
        return None
    before = memory_word(id(x) + OWN_DICT_AT)
    own = vars(x)
    if before != 0 and before % 2 == 0 or memory_word(id(x) + OWN_DICT_AT) != id(own):
        return None
    keys = memory_word(id(own) + KEYS_AT)
    metaclass: type = type(Example)
    return next((at for at in range(0, metaclass.__basicsize__, 8) if memory_word(id(Example) + at) == keys), None)


def unshadowed(kind: type, names: tuple[str, ...]) -> Callable[[list[Any]], Any] | None:
    """A function of a list of instances of a class that gives their number where none has an attribute of its own under one of some names;
    None where any may have. None where there is no such function."""
    is_known = kind.__flags__ & MANAGED_DICT and shared_keys_at() is not None
    return partial(native_check(), names, kind) if is_known else None


@cache
def native_check() -> Callable[[tuple[str, ...], type, list[Any]], Any]:
    """The code for all classes and names."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), FUNCTION)
    ShadowingCode(Routine(module, FUNCTION, function), GenericAlias(tuple, ())).build()
    made: Callable[[tuple[str, ...], type, list[Any]], Any] = Library(str(module)).callable(FUNCTION, "unshadowed")
    return made


class ShadowingCode(PartReaderCode):
    """The code of that function."""

    def build(self) -> None:
        r = self.r
        names, kind, listed = map(self.argument, range(3))
        keys = r.field(kind, shared_keys_at() or 0, PTR)
        self.expect(r.b.not_(r.is_null(keys)))
        self.expect_without(keys, names)
        count = r.field(listed, SIZE_AT)

        def check(index: ir.Value) -> None:
            own = r.field(self.item(listed, index), OWN_DICT_AT)
            has_own = r.b.and_(r.b.icmp_unsigned("!=", own, I64(0)), r.b.icmp_unsigned("==", r.b.and_(own, I64(1)), I64(0)))
            with r.b.if_then(has_own, likely=False):
                found = r.field(r.b.inttoptr(own, PTR), KEYS_AT, PTR)
                with r.b.if_then(r.b.icmp_unsigned("!=", found, keys)):
                    self.expect_without(found, names)

        r.each(count, check)
        r.b.ret(r.call("PyLong_FromLongLong", count))
        r.b.position_at_end(self.bad)
        self.leave_with_none()

    def expect_without(self, keys: ir.Value, names: ir.Value) -> None:
        """Go another way where any of the keys, which have to be strs, may be one of the names: where their hashes are equal."""
        r = self.r
        self.expect(r.b.icmp_unsigned("!=", r.field(keys, FORM_AT, I8), I8(0)))
        entries = entries_of_keys(r, keys)

        def compare(number: ir.Value) -> None:
            key = r.b.load(r.b.gep(entries, [r.b.mul(number, I64(ENTRY))], source_etype=I8), typ=PTR)
            with r.b.if_then(r.b.not_(r.is_null(key))):
                found = r.field(key, HASH_AT)
                r.each(r.field(names, SIZE_AT), lambda place: self.expect(r.b.icmp_signed("!=", self.hash_of(names, place), found)))

        r.each(r.field(keys, ENTRIES_AT), compare)

    def hash_of(self, names: ir.Value, place: ir.Value) -> ir.Value:
        """The hash of one of the names."""
        items = self.r.b.gep(names, [I64(symbols.TUPLE_ITEMS)], source_etype=I8)
        return self.r.field(self.r.b.load(self.r.b.gep(items, [place], source_etype=PTR), typ=PTR), HASH_AT)

"""What entrances compare: conditions on objects, arrays, lists and what Python's objects refer to, as words that native code reads."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.once import once
from autograph_jit.records import dataclass

GUARD_WORDS = 4
IS, TYPE, INT, WORD, KEY, ARRAY, LIST, SIZE, ITEM, ITEMS, APART, FETCH = range(12)
MAX_LENGTH = 2**32 - 1
POINTER_BYTES = ctypes.sizeof(ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class Check:
    """One guard: its kind, what it compares, and the objects that have to stay alive for that."""

    kind: int
    words: tuple[int, ...]
    kept: tuple[Any, ...] = ()


def is_object(place: int, expected: object) -> Check:
    """An argument is this object."""
    return Check(IS, (place, id(expected)), (expected,))


def has_type(place: int, expected: type) -> Check:
    """An argument is of this class itself."""
    return Check(TYPE, (place, id(expected)), (expected,))


def is_int_within(place: int, bound: int) -> Check:
    """An argument is a Python int between -bound and bound, both excluded."""
    return Check(INT, (place, id(int), bound))


def has_key(dictionary: dict[str, Any], key: str, expected: object) -> Check:
    """The value of a key is this object."""
    return Check(KEY, (id(dictionary), id(expected), id(key)), (dictionary, key, expected))


def has_own_attribute(kind: type, name: str, expected: object) -> Check | None:
    """A class has this object as an attribute of its own; None where it inherits it."""
    own = next((found for found in gc.get_referents(vars(kind)) if type(found) is dict), None)
    return has_key(own, name, expected) if own is not None and own.get(name) is expected else None


def has_part(owner: object, expected: object) -> Check | None:
    """A field of an object of C still refers to this object; None where no single word of the owner does."""
    words = (ctypes.c_size_t * (type(owner).__basicsize__ // POINTER_BYTES)).from_address(id(owner))
    places = [place for place in range(symbols.OBJECT_SIZE // POINTER_BYTES, len(words)) if words[place] == id(expected)]
    if len(places) != 1:
        return None
    return Check(WORD, (id(owner) + POINTER_BYTES * places[0], id(expected)), (owner, expected))


def has_no_truth(kind: type) -> list[Check]:
    """A class says nothing of the truth or the length of its instances: C asks fields of the class for that, which are empty.
    No checks where these fields are not found."""
    return [Check(WORD, (id(kind) + place, 0), (kind,)) for place in truth_fields()]


def has_layout(place: int, dtype: np.dtype, rank: int) -> Check:
    """An argument that is known to be an array has this dtype and so many axes. What was pickled has numbers of a dtype object of its own:
    kind, order of bytes and number of the type, eight bytes, tell them."""
    return Check(ARRAY, (place, id(dtype), rank), (dtype,))


def has_items(place: int, first: type | None, most: int, is_long: bool) -> Check:
    """An argument that is known to be a list has more than `most` items or not, the first of this class; None: it is empty."""
    return Check(LIST, (place, 0 if first is None else id(first), most | is_long << 32), (first,))


def has_items_of(place: int, expected: type, depth: int, few: bool = False) -> Check:
    """An argument is a list whose items, or a `few` first ones, are all of this class itself, ints of at most two digits of CPython's; or
    lists of such lists."""
    return Check(ITEMS, (place, id(expected), int(expected is int) | few << 1 | depth << 2), (expected,))


def are_apart(place: int, other: int, apart: bool = True) -> Check:
    """Two arguments are different objects, or are one."""
    return Check(APART, (place, other, int(apart)))


def reads_attribute(place: int, slot: int, name: str) -> Check:
    """An argument has this attribute, which later checks and the program find in a slot behind the arguments."""
    name = sys.intern(name)
    return Check(FETCH, (place, slot, id(name)), (name,))


def is_longer(place: int, kind: type, most: int, is_long: bool) -> Check | None:
    """An argument that is known to be of this class has more than `most` items or not; None where its size is no word of it."""
    offset = size_offsets().get(kind)
    return None if offset is None else Check(SIZE, (place, offset, most | is_long << 32))


def has_item(place: int, index: int, expected: type) -> Check:
    """An argument that is known to be a tuple with such an item has one of this class there."""
    return Check(ITEM, (place, tuple.__basicsize__ + POINTER_BYTES * index, id(expected)), (expected,))


@once
def size_offsets() -> dict[type, int]:
    """Where an object of these classes has its size, bytes behind its address."""
    found: dict[type, int] = {}
    for kind in (list, tuple, str, bytes, bytearray, set, frozenset, dict):
        examples = [example_of(kind, size) for size in (3, 5)]
        offsets = range(symbols.OBJECT_SIZE, symbols.OBJECT_SIZE + 2 * POINTER_BYTES, POINTER_BYTES)
        right = [offset for offset in offsets if all(size_at(example, offset) == len(example) for example in examples)]
        if right:
            found[kind] = right[-1]  # of a set: behind the places that were ever taken
    return found


def example_of(kind: type, size: int) -> Any:
    """An object of a class with so many items; of a set one more was there before."""
    if kind in (str, dict):
        return "a" * size if kind is str else dict.fromkeys(range(size))
    made = kind(range(size))
    if kind is set:
        made.add(size)
        made.discard(0)
    return made


def size_at(x: Any, offset: int) -> int:
    """The word at a place of an object."""
    return ctypes.c_ssize_t.from_address(id(x) + offset).value


@once
def function_fields() -> tuple[int, ...]:
    """Where a function refers to its code, its defaults and those of its keywords: bytes behind its address."""
    code, defaults, named = READS_GLOBAL.__code__, (object(),), {"name": object()}
    probe = FunctionType(code, {}, "probe", defaults)
    probe.__kwdefaults__ = named
    checks = [has_part(probe, part) for part in (code, defaults, named)]
    return tuple(check.words[0] - id(probe) for check in checks if check is not None)


@once
def truth_fields() -> tuple[int, ...]:
    """Where a class of the user's refers to what C asks for the truth and the length of an instance: bytes behind its address."""
    methods: list[dict[str, Any]] = [{}, {"__bool__": lambda x: True}, {"__len__": lambda x: 1}]
    kinds = [type("Probe", (), each) for each in methods]
    metaclass: Any = type
    fields = ctypes.c_size_t * (metaclass.__basicsize__ // POINTER_BYTES)
    words = [fields.from_address(id(kind)) for kind in kinds]
    return tuple(POINTER_BYTES * place for place, (none, *others) in enumerate(zip(*words)) if none == 0 and any(others))


def has_same_fields(function: FunctionType) -> list[Check]:
    """A function has the code and the defaults that it has now."""
    parts = (function.__code__, function.__defaults__, function.__kwdefaults__)
    words = [(id(function) + place, 0 if part is None else id(part)) for place, part in zip(function_fields(), parts, strict=True)]
    return [Check(WORD, pair, (function, part)) for pair, part in zip(words, parts)]


def read_by(read: Callable[[], Any], expected: object) -> Check | None:
    """What `lambda: name` reads is this object; None for any other function."""
    if not isinstance(read, FunctionType):
        return None
    code = read.__code__
    if code.co_code == READS_GLOBAL.__code__.co_code and isinstance(read.__globals__, dict):
        return has_key(read.__globals__, code.co_names[0], expected)
    if code.co_code == reads_variable(expected).__code__.co_code and read.__closure__:
        return has_part(read.__closure__[0], expected)
    return None


READS_GLOBAL = lambda: GUARD_WORDS  # noqa: E731


def reads_variable(x: object) -> FunctionType:
    """A function that reads a variable of the function around it."""
    read: Any = lambda: x  # noqa: E731
    return read


def guard_words(checks: Sequence[Check]) -> list[int]:
    """The checks as they stand in a table."""
    return [word for check in checks for word in (check.kind, *check.words, *(0,) * (GUARD_WORDS - 1 - len(check.words)))]


# How many digits an int has, of which `tag` tells it.
DIGITS = (
    "%number.of.digits{0} = lshr i64 %tag{0}, 3"
    if symbols.TAGGED_INTS
    else "%number.of.digits{0} = call i64 @llvm.abs.i64(i64 %tag{0}, i1 false)"
)
PLACE_OF = "  %place{0} = add i64 %first, {k}\n  %item.at{0} = getelementptr ptr, ptr %items, i64 %place{0}"
TYPE_OF = f"""  %one{{0}} = load ptr, ptr %item.at{{0}}
  %one.type.at{{0}} = getelementptr i8, ptr %one{{0}}, i64 {symbols.OBJECT_SIZE - 8}
  %one.type{{0}} = load ptr, ptr %one.type.at{{0}}
  %same{{0}} = icmp eq ptr %one.type{{0}}, %class"""
FEW_DIGITS = f"""  %tag.at{{0}} = getelementptr i8, ptr %one{{0}}, i64 {symbols.OBJECT_SIZE}
  %tag{{0}} = load i64, ptr %tag.at{{0}}
  {DIGITS}
  %few{{0}} = icmp ule i64 %number.of.digits{{0}}, 2"""
AT_ONCE = 4  # items that are looked at together: their memory is fetched side by side


def of_four(text: str) -> str:
    """A text for each of the items that are looked at together."""
    return "\n".join(text.replace("{0}", f".{k}").replace("{k}", str(k)) for k in range(AT_ONCE))


def all_four(name: str) -> str:
    """Whether something is so of all of them: the last of what it names."""
    firsts = [f"{name}.0", *(f"{name}.to.{k}" for k in range(1, AT_ONCE))]
    return "\n".join(f"  %{name}.to.{k} = and i1 %{firsts[k - 1]}, %{name}.{k}" for k in range(1, AT_ONCE))


# Whether an object is a list whose items, the first `most` of them, are all of a class, or such lists.
ITEMS_ARE = f"""define internal i1 @ag_items_are(ptr %x, ptr %class, i64 %is.int, i64 %depth, i64 %most) {{
  %type.at = getelementptr i8, ptr %x, i64 {symbols.OBJECT_SIZE - 8}
  %type = load ptr, ptr %type.at
  %is.list = icmp eq ptr %type, @PyList_Type
  br i1 %is.list, label %each, label %bad
each:
  %count.at = getelementptr i8, ptr %x, i64 {symbols.OBJECT_SIZE}
  %size = load i64, ptr %count.at
  %is.short = icmp slt i64 %size, %most
  %count = select i1 %is.short, i64 %size, i64 %most
  %items.at = getelementptr i8, ptr %x, i64 {symbols.OBJECT_SIZE + 8}
  %items = load ptr, ptr %items.at
  %inner.depth = sub i64 %depth, 1
  %is.flat = icmp eq i64 %depth, 0
  %any.size = icmp eq i64 %is.int, 0
  br i1 %is.flat, label %together, label %next
together:
  %first = phi i64 [0, %each], [%behind, %together.fits]
  %behind = add i64 %first, {AT_ONCE}
  %enough = icmp sle i64 %behind, %count
  br i1 %enough, label %together.typed, label %next
together.typed:
{of_four(PLACE_OF)}
{of_four(TYPE_OF)}
{all_four("same")}
  br i1 %same.to.{AT_ONCE - 1}, label %together.sized, label %next
together.sized:
  br i1 %any.size, label %together.fits, label %together.digits
together.digits:
{of_four(FEW_DIGITS)}
{all_four("few")}
  br i1 %few.to.{AT_ONCE - 1}, label %together.fits, label %next
together.fits:
  br label %together
next:
  %k = phi i64 [0, %each], [%first, %together], [%first, %together.typed], [%first, %together.digits], [%k.next, %fits]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %item, label %good
item:
  %k.next = add i64 %k, 1
  %item.at = getelementptr ptr, ptr %items, i64 %k
  br i1 %is.flat, label %number, label %row
row:
  %inner = load ptr, ptr %item.at
  %row.fits = call i1 @ag_items_are(ptr %inner, ptr %class, i64 %is.int, i64 %inner.depth, i64 %most)
  br i1 %row.fits, label %fits, label %bad
number:
{TYPE_OF.replace("{0}", "")}
  %done = and i1 %same, %any.size
  br i1 %done, label %fits, label %typed
typed:
  br i1 %same, label %digits, label %bad
digits:
{FEW_DIGITS.replace("{0}", "")}
  br i1 %few, label %fits, label %bad
fits:
  br label %next
bad:
  ret i1 false
good:
  ret i1 true
}}
"""
# Whether one guard of a table holds for the arguments at `objects`.
GUARD_HOLDS = f"""define internal i1 @ag_guard_holds(ptr %guard, ptr %objects) {{
  %kind = load i64, ptr %guard
  %first.at = getelementptr i64, ptr %guard, i64 1
  %first = load i64, ptr %first.at
  %second.at = getelementptr i64, ptr %guard, i64 2
  %second = load i64, ptr %second.at
  %third.at = getelementptr i64, ptr %guard, i64 3
  %third = load i64, ptr %third.at
  %expected = inttoptr i64 %second to ptr
  %there = inttoptr i64 %first to ptr
  switch i64 %kind, label %argument [ i64 {WORD}, label %word  i64 {KEY}, label %key  i64 {ARRAY}, label %array  i64 {LIST}, label %list
    i64 {SIZE}, label %size  i64 {ITEM}, label %part  i64 {ITEMS}, label %all  i64 {APART}, label %apart
    i64 {FETCH}, label %fetch ]
word:
  %referred = load ptr, ptr %there
  %same.part = icmp eq ptr %referred, %expected
  ret i1 %same.part
key:
  %name = inttoptr i64 %third to ptr
  %value = call ptr @PyDict_GetItemWithError(ptr %there, ptr %name)
  %same.value = icmp eq ptr %value, %expected
  br i1 %same.value, label %good, label %other
other:
  call void @PyErr_Clear()
  ret i1 false
argument:
  %slot = getelementptr ptr, ptr %objects, i64 %first
  %x = load ptr, ptr %slot
  %is = icmp eq ptr %x, %expected
  %is.kind = icmp eq i64 %kind, {IS}
  br i1 %is.kind, label %identity, label %class
identity:
  ret i1 %is
class:
  %type.at = getelementptr i8, ptr %x, i64 {symbols.OBJECT_SIZE - 8}
  %type = load ptr, ptr %type.at
  %same.type = icmp eq ptr %type, %expected
  %int.kind = icmp eq i64 %kind, {INT}
  %go.on = and i1 %same.type, %int.kind
  br i1 %go.on, label %int, label %typed
typed:
  ret i1 %same.type
int:
  %overflow.at = alloca i32
  %number = call i64 @PyLong_AsLongLongAndOverflow(ptr %x, ptr %overflow.at)
  %overflow = load i32, ptr %overflow.at
  %fits = icmp eq i32 %overflow, 0
  %lowest = sub i64 0, %third
  %above = icmp sgt i64 %number, %lowest
  %below = icmp slt i64 %number, %third
  %within = and i1 %above, %below
  %sound = and i1 %within, %fits
  ret i1 %sound
array:
  %array.slot = getelementptr ptr, ptr %objects, i64 %first
  %a = load ptr, ptr %array.slot
  %dtype.at = getelementptr i8, ptr %a, i64 {symbols.DESCR}
  %dtype = load ptr, ptr %dtype.at
  %rank.at = getelementptr i8, ptr %a, i64 {symbols.RANK}
  %rank32 = load i32, ptr %rank.at
  %rank = sext i32 %rank32 to i64
  %same.rank = icmp eq i64 %rank, %third
  br i1 %same.rank, label %ranked, label %bad
ranked:
  %same.dtype = icmp eq ptr %dtype, %expected
  br i1 %same.dtype, label %good, label %equal
equal:
  %kind.there.at = getelementptr i8, ptr %dtype, i64 {symbols.TYPE_NUMBER - 4}
  %kind.there = load i64, ptr %kind.there.at
  %kind.wanted.at = getelementptr i8, ptr %expected, i64 {symbols.TYPE_NUMBER - 4}
  %kind.wanted = load i64, ptr %kind.wanted.at
  %same.kind = icmp eq i64 %kind.there, %kind.wanted
  %type.number = lshr i64 %kind.wanted, 32
  %is.number = icmp ult i64 %type.number, {np.dtype(object).num}
  %equal.numbers = and i1 %same.kind, %is.number
  ret i1 %equal.numbers
size:
  %sized.slot = getelementptr ptr, ptr %objects, i64 %first
  %sized = load ptr, ptr %sized.slot
  %size.at = getelementptr i8, ptr %sized, i64 %second
  %held = load i64, ptr %size.at
  %limit = and i64 %third, {MAX_LENGTH}
  %is.over = icmp sgt i64 %held, %limit
  %over = zext i1 %is.over to i64
  %to.be.over = lshr i64 %third, 32
  %same.over = icmp eq i64 %over, %to.be.over
  ret i1 %same.over
part:
  %tuple.slot = getelementptr ptr, ptr %objects, i64 %first
  %tuple = load ptr, ptr %tuple.slot
  %part.at = getelementptr i8, ptr %tuple, i64 %second
  %piece = load ptr, ptr %part.at
  %part.type.at = getelementptr i8, ptr %piece, i64 {symbols.OBJECT_SIZE - 8}
  %part.type = load ptr, ptr %part.type.at
  %wanted = inttoptr i64 %third to ptr
  %same.part.type = icmp eq ptr %part.type, %wanted
  ret i1 %same.part.type
list:
  %list.slot = getelementptr ptr, ptr %objects, i64 %first
  %l = load ptr, ptr %list.slot
  %length.at = getelementptr i8, ptr %l, i64 {symbols.OBJECT_SIZE}
  %length = load i64, ptr %length.at
  %most = and i64 %third, {MAX_LENGTH}
  %exceeds = icmp sgt i64 %length, %most
  %long = lshr i64 %third, 32
  %exceeds.word = zext i1 %exceeds to i64
  %same.size = icmp eq i64 %exceeds.word, %long
  br i1 %same.size, label %items, label %bad
items:
  %empty = icmp eq i64 %length, 0
  br i1 %empty, label %nothing, label %something
nothing:
  %none = icmp eq i64 %second, 0
  ret i1 %none
something:
  %items.at = getelementptr i8, ptr %l, i64 {symbols.OBJECT_SIZE + 8}
  %items.there = load ptr, ptr %items.at
  %item = load ptr, ptr %items.there
  %item.type.at = getelementptr i8, ptr %item, i64 {symbols.OBJECT_SIZE - 8}
  %item.type = load ptr, ptr %item.type.at
  %same.item = icmp eq ptr %item.type, %expected
  ret i1 %same.item
apart:
  %apart.slot = getelementptr ptr, ptr %objects, i64 %first
  %apart.one = load ptr, ptr %apart.slot
  %other.slot = getelementptr ptr, ptr %objects, i64 %second
  %apart.other = load ptr, ptr %other.slot
  %are.two = icmp ne ptr %apart.one, %apart.other
  %to.be.two = icmp ne i64 %third, 0
  %as.expected = icmp eq i1 %are.two, %to.be.two
  ret i1 %as.expected
fetch:
  %owner.slot = getelementptr ptr, ptr %objects, i64 %first
  %owner = load ptr, ptr %owner.slot
  %attribute = inttoptr i64 %third to ptr
  %fetched = call ptr @PyObject_GetAttr(ptr %owner, ptr %attribute)
  %is.missing = icmp eq ptr %fetched, null
  br i1 %is.missing, label %other, label %keep
keep:
  %fetched.slot = getelementptr ptr, ptr %objects, i64 %second
  store ptr %fetched, ptr %fetched.slot
  ret i1 true
all:
  %all.slot = getelementptr ptr, ptr %objects, i64 %first
  %listed = load ptr, ptr %all.slot
  %is.int = and i64 %third, 1
  %few.bit = and i64 %third, 2
  %few.only = icmp ne i64 %few.bit, 0
  %looked.at = select i1 %few.only, i64 {AT_ONCE}, i64 {sys.maxsize}
  %depth = lshr i64 %third, 2
  %all.fit = call i1 @ag_items_are(ptr %listed, ptr %expected, i64 %is.int, i64 %depth, i64 %looked.at)
  ret i1 %all.fit
bad:
  ret i1 false
good:
  ret i1 true
}}
"""

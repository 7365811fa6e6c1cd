"""Native entrances: a callable that checks the guards of one executable, runs it and hands its result on, without a line of Python.

What an entrance checks stands in a table of 64-bit words, which one native function reads for all of them::

    COUNT    positional arguments              CALLS     calls that the entrance has let in
    MATCH    the table of the arrays, or 0     ENTRY     the executable's native function, and the object that it is called with
    LEAVES   how many arguments it takes, or -1 where they are those of the call
    RESULT   what is handed on: AS_IT_IS, GIVEN or REBUILT, and the object that is GIVEN
    GUARDS   how many guards follow, each of four words: a kind and what it compares; then the places of the leaves

A call that does not fit, for its keywords, for a guard or for what is `unusual` in the process, goes to the callable behind.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.matching import ARRAYS_MATCH, Match
from autograph_jit.records import dataclass

COUNT, CALLS, MATCH, ENTRY, ENTRY_OBJECT, LEAVES, RESULT, RESULT_OBJECT, GUARDS = range(9)
HEAD_WORDS, GUARD_WORDS = 9, 4
AS_IT_IS, GIVEN, REBUILT = range(3)
IS, TYPE, INT, WORD, KEY = range(5)
TABLE, BEHIND, FAILING, FINISH, UNUSUAL, EXCEPTION = range(6)  # what the native function is called with, a tuple
SAME_LEAVES = -1
POSITIONAL_OR_KEYWORDS = 0x0001 | 0x0002  # METH_VARARGS | METH_KEYWORDS
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


def has_attribute(kind: type, name: str, expected: object) -> Check | None:
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


READS_GLOBAL = lambda: HEAD_WORDS  # noqa: E731


def reads_variable(x: object) -> FunctionType:
    """A function that reads a variable of the function around it."""
    read: Any = lambda: x  # noqa: E731
    return read


@dataclass(frozen=True, slots=True)
class Run:
    """What an entrance runs: an executable's native function at `address`, called with `entry`, on the arguments at `leaves`;
    the result is its only one, `given`, or `finish(results, args)`. `failing(exception, args)` is called instead where it raises."""

    address: int
    entry: Callable[..., Any]
    leaves: tuple[int, ...]
    result: int
    given: object
    finish: Callable[..., Any]
    failing: Callable[..., Any]


class Entrance:
    """The `call` of one executable; `calls` tells how many it has let in."""

    def __init__(self, count: int, checks: Sequence[Check], match: Match | None, run: Run, unusual: set[Any]) -> None:
        same = run.leaves == tuple(range(count))
        words = [0] * HEAD_WORDS
        words[COUNT], words[MATCH], words[ENTRY], words[ENTRY_OBJECT] = count, match.address if match else 0, run.address, id(run.entry)
        words[LEAVES], words[RESULT], words[RESULT_OBJECT] = SAME_LEAVES if same else len(run.leaves), run.result, id(run.given)
        words[GUARDS] = len(checks)
        for check in checks:
            words += [check.kind, *check.words, *(0,) * (GUARD_WORDS - 1 - len(check.words))]
        self.table = np.array([*words, *run.leaves], dtype=np.int64)
        self.run, self.unusual = run, unusual
        self.kept = (match, run.entry, run.given, *(kept for check in checks for kept in check.kept))

    @property
    def calls(self) -> int:
        return int(self.table[CALLS])

    def before(self, behind: Callable[..., Any]) -> Callable[..., Any]:
        """The entrance as a callable; `behind` takes the calls that do not fit."""
        belongings = (self.table, behind, self.run.failing, self.run.finish, self.unusual, Exception, self.kept)
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        call: Callable[..., Any] = make(ctypes.addressof(definition()[0]), belongings, None)
        return call


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


@cache
def definition() -> tuple[Definition, Library]:
    """The native function of all entrances, compiled at the first use, with what keeps it alive."""
    library = Library(TEXT)
    return Definition(b"call", library.address("ag_enter"), POSITIONAL_OR_KEYWORDS, None), library


def word(name: str, index: int) -> str:
    """The text that loads a word of the table."""
    return f"%{name}.at = getelementptr i64, ptr %table, i64 {index}\n  %{name} = load i64, ptr %{name}.at"


def belonging(name: str, index: int) -> str:
    """The text that loads an object of the tuple that the native function is called with."""
    place = symbols.TUPLE_ITEMS + POINTER_BYTES * index
    return f"%{name}.at = getelementptr i8, ptr %self, i64 {place}\n  %{name} = load ptr, ptr %{name}.at"


TEXT = f"""
declare i64 @PySet_Size(ptr)
declare i64 @PyDict_Size(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare void @PyErr_Clear()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare i32 @PyErr_ExceptionMatches(ptr)
declare i32 @PyException_SetTraceback(ptr, ptr)
declare ptr @PyObject_Call(ptr, ptr, ptr)
declare ptr @PyTuple_New(i64)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
{ARRAYS_MATCH}
define internal i1 @ag_guard_holds(ptr %guard, ptr %objects) {{
  %kind = load i64, ptr %guard
  %first.at = getelementptr i64, ptr %guard, i64 1
  %first = load i64, ptr %first.at
  %second.at = getelementptr i64, ptr %guard, i64 2
  %second = load i64, ptr %second.at
  %third.at = getelementptr i64, ptr %guard, i64 3
  %third = load i64, ptr %third.at
  %expected = inttoptr i64 %second to ptr
  %there = inttoptr i64 %first to ptr
  switch i64 %kind, label %argument [ i64 {WORD}, label %word  i64 {KEY}, label %key ]
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
good:
  ret i1 true
}}

define internal ptr @ag_failed(ptr %self, ptr %args) {{
  {belonging("failing", FAILING)}
  %kind = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  {belonging("base", EXCEPTION)}
  %matches = call i32 @PyErr_ExceptionMatches(ptr %base)
  %taken = icmp ne i32 %matches, 0
  br i1 %taken, label %fetch, label %leave
fetch:
  call void @PyErr_Fetch(ptr %kind, ptr %value, ptr %traceback)
  call void @PyErr_NormalizeException(ptr %kind, ptr %value, ptr %traceback)
  %exception = load ptr, ptr %value
  %entries = load ptr, ptr %traceback
  %class = load ptr, ptr %kind
  %traced = icmp ne ptr %entries, null
  br i1 %traced, label %attach, label %tell
attach:
  %attached = call i32 @PyException_SetTraceback(ptr %exception, ptr %entries)
  call void @Py_DecRef(ptr %entries)
  br label %tell
tell:
  call void @Py_DecRef(ptr %class)
  %pair = call ptr @ag_pair(ptr %exception, ptr %args)
  call void @Py_DecRef(ptr %exception)
  %empty = icmp eq ptr %pair, null
  br i1 %empty, label %leave, label %call
call:
  %answer = call ptr @PyObject_Call(ptr %failing, ptr %pair, ptr null)
  call void @Py_DecRef(ptr %pair)
  ret ptr %answer
leave:
  ret ptr null
}}

define internal ptr @ag_pair(ptr %first, ptr %second) {{
  %pair = call ptr @PyTuple_New(i64 2)
  %empty = icmp eq ptr %pair, null
  br i1 %empty, label %done, label %fill
fill:
  call void @Py_IncRef(ptr %first)
  call void @Py_IncRef(ptr %second)
  %items = getelementptr i8, ptr %pair, i64 {symbols.TUPLE_ITEMS}
  store ptr %first, ptr %items
  %next = getelementptr ptr, ptr %items, i64 1
  store ptr %second, ptr %next
  br label %done
done:
  ret ptr %pair
}}

define internal i1 @ag_fits(ptr %self, ptr %table, ptr %args, ptr %keywords) {{
  {belonging("unusual", UNUSUAL)}
  %strange = call i64 @PySet_Size(ptr %unusual)
  %usual = icmp eq i64 %strange, 0
  br i1 %usual, label %counting, label %no
counting:
  %size.at = getelementptr i8, ptr %args, i64 {symbols.OBJECT_SIZE}
  %size = load i64, ptr %size.at
  {word("count", COUNT)}
  %same.count = icmp eq i64 %size, %count
  br i1 %same.count, label %naming, label %no
naming:
  %unnamed = icmp eq ptr %keywords, null
  br i1 %unnamed, label %guarding, label %named
named:
  %names = call i64 @PyDict_Size(ptr %keywords)
  %no.names = icmp eq i64 %names, 0
  br i1 %no.names, label %guarding, label %no
guarding:
  %objects = getelementptr i8, ptr %args, i64 {symbols.TUPLE_ITEMS}
  {word("guards", GUARDS)}
  br label %guards.loop
guards.loop:
  %k = phi i64 [0, %guarding], [%k.next, %guard]
  %more = icmp slt i64 %k, %guards
  br i1 %more, label %guard, label %arrays
guard:
  %k.next = add i64 %k, 1
  %k.words = mul i64 %k, {GUARD_WORDS}
  %k.at = add i64 %k.words, {HEAD_WORDS}
  %guard.at = getelementptr i64, ptr %table, i64 %k.at
  %holds = call i1 @ag_guard_holds(ptr %guard.at, ptr %objects)
  br i1 %holds, label %guards.loop, label %no
arrays:
  {word("match", MATCH)}
  %any = icmp ne i64 %match, 0
  br i1 %any, label %matching, label %yes
matching:
  %rows = inttoptr i64 %match to ptr
  %matches = call i1 @ag_arrays_match(ptr %rows, ptr %objects)
  ret i1 %matches
yes:
  ret i1 true
no:
  ret i1 false
}}

define internal ptr @ag_leaves(ptr %table, ptr %args) {{
  {word("count", LEAVES)}
  %same = icmp slt i64 %count, 0
  br i1 %same, label %arguments, label %chosen
arguments:
  call void @Py_IncRef(ptr %args)
  ret ptr %args
chosen:
  {word("guards", GUARDS)}
  %guards.words = mul i64 %guards, {GUARD_WORDS}
  %places.at = add i64 %guards.words, {HEAD_WORDS}
  %places = getelementptr i64, ptr %table, i64 %places.at
  %objects = getelementptr i8, ptr %args, i64 {symbols.TUPLE_ITEMS}
  %leaves = call ptr @PyTuple_New(i64 %count)
  %empty = icmp eq ptr %leaves, null
  br i1 %empty, label %done, label %loop
loop:
  %k = phi i64 [0, %chosen], [%k.next, %leaf]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %leaf, label %done
leaf:
  %k.next = add i64 %k, 1
  %place.at = getelementptr i64, ptr %places, i64 %k
  %place = load i64, ptr %place.at
  %slot = getelementptr ptr, ptr %objects, i64 %place
  %x = load ptr, ptr %slot
  call void @Py_IncRef(ptr %x)
  %items = getelementptr i8, ptr %leaves, i64 {symbols.TUPLE_ITEMS}
  %item = getelementptr ptr, ptr %items, i64 %k
  store ptr %x, ptr %item
  br label %loop
done:
  ret ptr %leaves
}}

define ptr @ag_enter(ptr %self, ptr %args, ptr %keywords) {{
  {belonging("words", TABLE)}
  %table.at = getelementptr i8, ptr %words, i64 {symbols.DATA}
  %table = load ptr, ptr %table.at
  %fits = call i1 @ag_fits(ptr %self, ptr %table, ptr %args, ptr %keywords)
  br i1 %fits, label %enter, label %behind
behind:
  {belonging("next", BEHIND)}
  %passed = call ptr @PyObject_Call(ptr %next, ptr %args, ptr %keywords)
  ret ptr %passed
enter:
  {word("calls", CALLS)}
  %calls.next = add i64 %calls, 1
  store i64 %calls.next, ptr %calls.at
  %leaves = call ptr @ag_leaves(ptr %table, ptr %args)
  %no.leaves = icmp eq ptr %leaves, null
  br i1 %no.leaves, label %none, label %run
none:
  ret ptr null
run:
  {word("entry", ENTRY)}
  {word("entry.object", ENTRY_OBJECT)}
  %function = inttoptr i64 %entry to ptr
  %object = inttoptr i64 %entry.object to ptr
  %results = call ptr %function(ptr %object, ptr %leaves, ptr null)
  call void @Py_DecRef(ptr %leaves)
  %failed = icmp eq ptr %results, null
  br i1 %failed, label %failing, label %handing
failing:
  %instead = call ptr @ag_failed(ptr %self, ptr %args)
  ret ptr %instead
handing:
  {word("mode", RESULT)}
  switch i64 %mode, label %single [ i64 {GIVEN}, label %given  i64 {REBUILT}, label %rebuilt ]
single:
  %single.at = getelementptr i8, ptr %results, i64 {symbols.TUPLE_ITEMS}
  %single.result = load ptr, ptr %single.at
  br label %hand
given:
  {word("given.word", RESULT_OBJECT)}
  %given.result = inttoptr i64 %given.word to ptr
  br label %hand
hand:
  %result = phi ptr [%single.result, %single], [%given.result, %given]
  call void @Py_IncRef(ptr %result)
  call void @Py_DecRef(ptr %results)
  ret ptr %result
rebuilt:
  %pair = call ptr @ag_pair(ptr %results, ptr %args)
  call void @Py_DecRef(ptr %results)
  %no.pair = icmp eq ptr %pair, null
  br i1 %no.pair, label %none, label %finishing
finishing:
  {belonging("finish", FINISH)}
  %built = call ptr @PyObject_Call(ptr %finish, ptr %pair, ptr null)
  call void @Py_DecRef(ptr %pair)
  ret ptr %built
}}
"""

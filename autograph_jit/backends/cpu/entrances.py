"""Native entrances: a callable that checks the guards of one executable, runs it and hands its result on, without a line of Python.

What an entrance checks stands in a table of 64-bit words, which one native function reads for all of them::

    COUNT    positional arguments              CALLS     calls that the entrance has let in
    MATCH    the table of the arrays, or 0     ENTRY     the executable's native function, and the object that it is called with
    LEAVES   how many arguments it takes, or -1 where they are those of the call
    RESULT   what is handed on: AS_IT_IS, GIVEN or REBUILT, and the object that is GIVEN
    GUARDS   how many guards follow, each of four words: a kind and what it compares; then the places of the leaves
    LIMIT    where the program counts: how many calls are let in before its counts are looked at

A call that does not fit, for its keywords, for a guard or for what is `unusual` in the process, goes to the callable behind, and so does
one beyond the limit. Entrances without a limit have a native function of their own, which does not ask.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.checks import GUARD_HOLDS, GUARD_WORDS, POINTER_BYTES, Check, guard_words
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.matching import ARRAYS_MATCH, Match
from autograph_jit.backends.once import once
from autograph_jit.records import dataclass

COUNT, CALLS, MATCH, ENTRY, ENTRY_OBJECT, LEAVES, RESULT, RESULT_OBJECT, GUARDS, LIMIT = range(10)
HEAD_WORDS = 10
AS_IT_IS, GIVEN, REBUILT = range(3)
ANY_COUNT = -1  # of arguments, named ones among them
TABLE, BEHIND, FAILING, FINISH, UNUSUAL, EXCEPTION = range(6)  # what the native function is called with, a tuple
SAME_LEAVES = -1
POSITIONAL_OR_KEYWORDS = 0x0001 | 0x0002  # METH_VARARGS | METH_KEYWORDS
# A prototype of our own: those of `ctypes.pythonapi` are everybody's, and somebody else may set them between two lines.
PROTOTYPE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
make_callable = PROTOTYPE(("PyCFunction_NewEx", ctypes.pythonapi))


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

    def __init__(
        self, count: int, checks: Sequence[Check], match: Match | None, run: Run, unusual: set[Any], limit: int | None = None
    ) -> None:
        same = run.leaves == tuple(range(count))
        words = [0] * HEAD_WORDS
        words[COUNT], words[MATCH], words[ENTRY], words[ENTRY_OBJECT] = count, match.address if match else 0, run.address, id(run.entry)
        words[LEAVES], words[RESULT], words[RESULT_OBJECT] = SAME_LEAVES if same else len(run.leaves), run.result, id(run.given)
        words[GUARDS], words[LIMIT] = len(checks), limit or 0
        self.table = np.array([*words, *guard_words(checks), *run.leaves], dtype=np.int64)
        self.run, self.unusual, self.has_limit = run, unusual, limit is not None
        self.kept = (match, run.entry, run.given, *(kept for check in checks for kept in check.kept))

    @property
    def calls(self) -> int:
        return int(self.table[CALLS])

    def admit(self, calls: int) -> None:
        """Let in so many more calls."""
        self.table[LIMIT] = self.table[CALLS] + calls

    def before(self, behind: Callable[..., Any]) -> Callable[..., Any]:
        """The entrance as a callable; `behind` takes the calls that do not fit."""
        belongings = (self.table, behind, self.run.failing, self.run.finish, self.unusual, Exception, self.kept)
        definition = definitions().up_to_limit if self.has_limit else definitions().enter
        call: Callable[..., Any] = make_callable(ctypes.addressof(definition), belongings, None)
        return call


class Bypass:
    """The way to `plain`, a function of Python, for calls with `count` arguments, or any where it is None, that pass the checks."""

    def __init__(self, count: int | None, checks: Sequence[Check], plain: Callable[..., Any], unusual: set[Any]) -> None:
        words = [0] * HEAD_WORDS
        words[COUNT], words[GUARDS] = ANY_COUNT if count is None else count, len(checks)
        self.table = np.array([*words, *guard_words(checks)], dtype=np.int64)
        self.plain, self.unusual, self.kept = plain, unusual, tuple(kept for check in checks for kept in check.kept)

    def before(self, behind: Callable[..., Any]) -> Callable[..., Any]:
        """The way as a callable; `behind` takes the calls that do not fit."""
        belongings = (self.table, behind, self.plain, None, self.unusual, Exception, self.kept)
        call: Callable[..., Any] = make_callable(ctypes.addressof(definitions().around), belongings, None)
        return call


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


class Definitions(NamedTuple):
    """The native functions of all entrances, of those with a limit, and of all ways around them, with what keeps them alive."""

    enter: Definition
    up_to_limit: Definition
    around: Definition
    library: Library


@once
def definitions() -> Definitions:
    """Compiled at the first use."""
    library = Library(TEXT)

    def definition(name: str) -> Definition:
        return Definition(b"call", library.address(name), POSITIONAL_OR_KEYWORDS, None)

    return Definitions(definition("ag_enter"), definition("ag_enter_up_to_limit"), definition("ag_pass"), library)


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
{GUARD_HOLDS}
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
  {word("count", COUNT)}
  %any.count = icmp slt i64 %count, 0
  br i1 %any.count, label %guarding, label %sizing
sizing:
  %size.at = getelementptr i8, ptr %args, i64 {symbols.OBJECT_SIZE}
  %size = load i64, ptr %size.at
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

define ptr @ag_enter_up_to_limit(ptr %self, ptr %args, ptr %keywords) {{
  {belonging("words", TABLE)}
  %table.at = getelementptr i8, ptr %words, i64 {symbols.DATA}
  %table = load ptr, ptr %table.at
  {word("calls", CALLS)}
  {word("limit", LIMIT)}
  %within = icmp slt i64 %calls, %limit
  br i1 %within, label %enter, label %behind
enter:
  %result = tail call ptr @ag_enter(ptr %self, ptr %args, ptr %keywords) noinline
  ret ptr %result
behind:
  {belonging("next", BEHIND)}
  %passed = call ptr @PyObject_Call(ptr %next, ptr %args, ptr %keywords)
  ret ptr %passed
}}

define ptr @ag_pass(ptr %self, ptr %args, ptr %keywords) {{
  {belonging("words", TABLE)}
  %table.at = getelementptr i8, ptr %words, i64 {symbols.DATA}
  %table = load ptr, ptr %table.at
  %fits = call i1 @ag_fits(ptr %self, ptr %table, ptr %args, ptr %keywords)
  {belonging("plain", FAILING)}
  {belonging("next", BEHIND)}
  %chosen = select i1 %fits, ptr %plain, ptr %next
  %result = call ptr @PyObject_Call(ptr %chosen, ptr %args, ptr %keywords)
  ret ptr %result
}}
"""

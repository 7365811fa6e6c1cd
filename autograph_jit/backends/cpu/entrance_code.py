"""The native code of entrances: the words of a table, and the functions that read them.

What an entrance checks stands in a table of 64-bit words, which one native function reads for all of them::

    COUNT    positional arguments              CALLS     calls that the entrance has let in
    MATCH    the table of the arrays, or 0     ENTRY     the executable's native function, and the object that it is called with
    LEAVES   how many arguments it takes, or -1 where they are those of the call
    RESULT   what is handed on: AS_IT_IS, GIVEN or REBUILT, and the object that is GIVEN
    GUARDS   how many guards follow, each of four words: a kind and what it compares; then the places of the leaves
    LIMIT    where the program counts: how many calls are let in before its counts are looked at
    NAMES    how many arguments have to be named, and where these names stand in the table, in the order of the call
    SLOTS    how many attributes of arguments are read

Arguments by name count as those behind the positional ones, attributes as those behind them: guards and leaves find all by place. A
call that does not fit, for its form, for a guard, for an item of a list of numbers that the program reads, or for what is `unusual` in
the process, goes to the callable behind, and so does one beyond the limit. Entrances without a limit have a native function of their
own, which does not ask.
"""

from __future__ import annotations

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.checks import GUARD_HOLDS, GUARD_WORDS, ITEMS_ARE, POINTER_BYTES
from autograph_jit.backends.cpu.matching import ARRAYS_MATCH

COUNT, CALLS, MATCH, ENTRY, ENTRY_OBJECT, LEAVES, RESULT, RESULT_OBJECT, GUARDS, LIMIT, NAMES, NAMES_AT, SLOTS = range(13)
HEAD_WORDS = 13
AS_IT_IS, GIVEN, REBUILT = range(3)
ANY_COUNT = -1  # of arguments, named ones among them
TABLE, BEHIND, FAILING, FINISH, UNUSUAL, EXCEPTION, DEOPTIMIZED, PLAIN, UNFIT = range(9)  # what the native function is called with, a tuple
SAME_LEAVES = -1


def word(name: str, index: int) -> str:
    """The text that loads a word of the table."""
    return f"%{name}.at = getelementptr i64, ptr %table, i64 {index}\n  %{name} = load i64, ptr %{name}.at"


def belonging(name: str, index: int) -> str:
    """The text that loads an object of the tuple that the native function is called with."""
    place = symbols.TUPLE_ITEMS + POINTER_BYTES * index
    return f"%{name}.at = getelementptr i8, ptr %self, i64 {place}\n  %{name} = load ptr, ptr %{name}.at"


TEXT = f"""
@PyList_Type = external global i8
declare i64 @llvm.abs.i64(i64, i1)
declare i64 @PySet_Size(ptr)
declare i64 @PyDict_Size(ptr)
declare i32 @PyUnicode_Compare(ptr, ptr)
declare i32 @PyDict_Next(ptr, ptr, ptr, ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
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
{ITEMS_ARE}
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

define internal ptr @ag_arguments(ptr %self, ptr %table, ptr %args, ptr %keywords) {{
  {belonging("unusual", UNUSUAL)}
  %strange = call i64 @PySet_Size(ptr %unusual)
  %usual = icmp eq i64 %strange, 0
  br i1 %usual, label %counting, label %no
counting:
  {word("count", COUNT)}
  %any.count = icmp slt i64 %count, 0
  br i1 %any.count, label %same, label %sizing
sizing:
  %size.at = getelementptr i8, ptr %args, i64 {symbols.OBJECT_SIZE}
  %size = load i64, ptr %size.at
  %same.count = icmp eq i64 %size, %count
  br i1 %same.count, label %naming, label %no
naming:
  {word("names", NAMES)}
  %unnamed = icmp eq ptr %keywords, null
  br i1 %unnamed, label %numbering, label %named
named:
  %found = call i64 @PyDict_Size(ptr %keywords)
  br label %numbering
numbering:
  %given = phi i64 [0, %naming], [%found, %named]
  %same.names = icmp eq i64 %given, %names
  br i1 %same.names, label %gathering, label %no
gathering:
  {word("slots", SLOTS)}
  %behind = add i64 %names, %slots
  %none = icmp eq i64 %behind, 0
  br i1 %none, label %same, label %make
same:
  call void @Py_IncRef(ptr %args)
  ret ptr %args
make:
  %total = add i64 %count, %behind
  %all = call ptr @PyTuple_New(i64 %total)
  %empty = icmp eq ptr %all, null
  br i1 %empty, label %forget, label %prepare
forget:
  call void @PyErr_Clear()
  ret ptr null
prepare:
  %objects = getelementptr i8, ptr %args, i64 {symbols.TUPLE_ITEMS}
  %items = getelementptr i8, ptr %all, i64 {symbols.TUPLE_ITEMS}
  {word("names.first", NAMES_AT)}
  %at = alloca i64
  %key.at = alloca ptr
  %value.at = alloca ptr
  store i64 0, ptr %at
  br label %positional.loop
positional.loop:
  %k = phi i64 [0, %prepare], [%k.next, %positional]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %positional, label %names.loop
positional:
  %k.next = add i64 %k, 1
  %from = getelementptr ptr, ptr %objects, i64 %k
  %x = load ptr, ptr %from
  call void @Py_IncRef(ptr %x)
  %to = getelementptr ptr, ptr %items, i64 %k
  store ptr %x, ptr %to
  br label %positional.loop
names.loop:
  %n = phi i64 [0, %positional.loop], [%n.next, %fill]
  %more.names = icmp slt i64 %n, %names
  br i1 %more.names, label %name, label %done
name:
  %n.next = add i64 %n, 1
  %there = call i32 @PyDict_Next(ptr %keywords, ptr %at, ptr %key.at, ptr %value.at)
  %key = load ptr, ptr %key.at
  %expected.index = add i64 %names.first, %n
  %expected.at = getelementptr i64, ptr %table, i64 %expected.index
  %expected.word = load i64, ptr %expected.at
  %expected = inttoptr i64 %expected.word to ptr
  %same.object = icmp eq ptr %key, %expected
  br i1 %same.object, label %fill, label %comparing
comparing:
  %order = call i32 @PyUnicode_Compare(ptr %key, ptr %expected)
  %same.name = icmp eq i32 %order, 0
  br i1 %same.name, label %fill, label %other
fill:
  %value = load ptr, ptr %value.at
  call void @Py_IncRef(ptr %value)
  %place = add i64 %count, %n
  %slot = getelementptr ptr, ptr %items, i64 %place
  store ptr %value, ptr %slot
  br label %names.loop
other:
  call void @PyErr_Clear()
  call void @Py_DecRef(ptr %all)
  ret ptr null
done:
  ret ptr %all
no:
  ret ptr null
}}

define internal i1 @ag_fits(ptr %table, ptr %args) {{
  %objects = getelementptr i8, ptr %args, i64 {symbols.TUPLE_ITEMS}
  {word("guards", GUARDS)}
  br label %guards.loop
guards.loop:
  %k = phi i64 [0, %0], [%k.next, %guard]
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
  %all = call ptr @ag_arguments(ptr %self, ptr %table, ptr %args, ptr %keywords)
  %other.form = icmp eq ptr %all, null
  br i1 %other.form, label %behind, label %checking
checking:
  %fits = call i1 @ag_fits(ptr %table, ptr %all)
  br i1 %fits, label %enter, label %dropping
dropping:
  call void @Py_DecRef(ptr %all)
  br label %behind
behind:
  {belonging("next", BEHIND)}
  %passed = call ptr @PyObject_Call(ptr %next, ptr %args, ptr %keywords)
  ret ptr %passed
enter:
  {word("calls", CALLS)}
  %calls.next = add i64 %calls, 1
  store i64 %calls.next, ptr %calls.at
  %result = call ptr @ag_run(ptr %self, ptr %table, ptr %all, ptr %args, ptr %keywords)
  call void @Py_DecRef(ptr %all)
  ret ptr %result
}}

define internal ptr @ag_run(ptr %self, ptr %table, ptr %args, ptr %positional, ptr %keywords) {{
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
  {belonging("deoptimized", DEOPTIMIZED)}
  %matches = call i32 @PyErr_ExceptionMatches(ptr %deoptimized)
  %is.left = icmp ne i32 %matches, 0
  br i1 %is.left, label %leaving, label %telling
leaving:
  {belonging("unfit", UNFIT)}
  %other.kind = call i32 @PyErr_ExceptionMatches(ptr %unfit)
  call void @PyErr_Clear()
  {belonging("plain", PLAIN)}
  {belonging("next", BEHIND)}
  %is.unfit = icmp ne i32 %other.kind, 0
  %taker = select i1 %is.unfit, ptr %next, ptr %plain
  %taken = call ptr @PyObject_Call(ptr %taker, ptr %positional, ptr %keywords)
  ret ptr %taken
telling:
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
  %all = call ptr @ag_arguments(ptr %self, ptr %table, ptr %args, ptr %keywords)
  %other.form = icmp eq ptr %all, null
  br i1 %other.form, label %choosing, label %checking
checking:
  %holds = call i1 @ag_fits(ptr %table, ptr %all)
  call void @Py_DecRef(ptr %all)
  br label %choosing
choosing:
  %fits = phi i1 [false, %0], [%holds, %checking]
  {belonging("plain", FAILING)}
  {belonging("next", BEHIND)}
  %chosen = select i1 %fits, ptr %plain, ptr %next
  %result = call ptr @PyObject_Call(ptr %chosen, ptr %args, ptr %keywords)
  ret ptr %result
}}
"""

"""A native check of the arrays of a call against what a program was compiled for: dtype, sizes, layout, overlap, in one pass."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.once import once
from autograph_jit.records import dataclass

MAX_ARRAYS = 256  # every two are compared: little beside what is done with so many
ANY_SIZE = -1  # any but 0 and 1, which are always sizes of their own
CONTIGUOUS = 0x101  # C-contiguous and aligned
HEAD_WORDS = 3
ROW_WORDS = 6


@dataclass(frozen=True, slots=True)
class Expected:
    """What one array must be; sizes that are None are any but 0 and 1."""

    dtype: np.dtype
    sizes: tuple[int | None, ...]
    contiguous: bool
    writeable: bool


class Match:
    """`check(address, *arrays)` tells whether the arrays are as expected, different objects, and disjoint, also as the fields of
    one array of records are, where `distinct` says so.
    `places` are where the arrays stand among objects that are not all arrays, for `entrances.py`."""

    def __init__(self, rows: Sequence[Expected], distinct: bool, places: Sequence[int] | None = None) -> None:
        words = [len(rows), int(distinct), id(np.ndarray)]
        for row, place in zip(rows, range(len(rows)) if places is None else places):
            flags = row.contiguous * 1 + row.writeable * 2
            words += [row.dtype.num, row.dtype.itemsize, len(row.sizes), flags, 8 * (ROW_WORDS + len(row.sizes)), place]
            words += [ANY_SIZE if size is None else size for size in row.sizes]
        self.table = (ctypes.c_int64 * len(words))(*words)
        self.address = ctypes.addressof(self.table)
        self.check = checker()


# The arrays among `objects` against the table of a Match.
ARRAYS_MATCH = f"""
declare i64 @llvm.smax.i64(i64, i64)
define internal i1 @ag_arrays_match(ptr %table, ptr %objects) {{
entry:
  %lows = alloca [{MAX_ARRAYS} x i64]
  %highs = alloca [{MAX_ARRAYS} x i64]
  %steps = alloca [{MAX_ARRAYS} x i64]
  %bytes = alloca [{MAX_ARRAYS} x i64]
  %found = alloca [{MAX_ARRAYS} x ptr]
  %count = load i64, ptr %table
  %distinct.at = getelementptr i64, ptr %table, i64 1
  %distinct = load i64, ptr %distinct.at
  %kind.at = getelementptr i64, ptr %table, i64 2
  %kind = load ptr, ptr %kind.at
  %rows = getelementptr i64, ptr %table, i64 {HEAD_WORDS}
  br label %arrays
arrays:
  %k = phi i64 [0, %entry], [%k.next, %extended]
  %row = phi ptr [%rows, %entry], [%row.next, %extended]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %type, label %pairs
type:
  %k.next = add i64 %k, 1
  %place.at = getelementptr i64, ptr %row, i64 5
  %place = load i64, ptr %place.at
  %slot = getelementptr ptr, ptr %objects, i64 %place
  %x = load ptr, ptr %slot
  %type.at = getelementptr i8, ptr %x, i64 {symbols.OBJECT_SIZE - 8}
  %found.type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %found.type, %kind
  br i1 %is.array, label %dtype, label %fail
dtype:
  %descr.at = getelementptr i8, ptr %x, i64 {symbols.DESCR}
  %descr = load ptr, ptr %descr.at
  %type.number.at = getelementptr i8, ptr %descr, i64 {symbols.TYPE_NUMBER}
  %type.number = load i32, ptr %type.number.at
  %type.wide = sext i32 %type.number to i64
  %expected.number = load i64, ptr %row
  %same.number = icmp eq i64 %type.wide, %expected.number
  %order.at = getelementptr i8, ptr %descr, i64 {symbols.TYPE_NUMBER - 2}
  %order = load i8, ptr %order.at
  %native = icmp ne i8 %order, {ord(">")}
  %rank.at = getelementptr i8, ptr %x, i64 {symbols.RANK}
  %rank32 = load i32, ptr %rank.at
  %rank = sext i32 %rank32 to i64
  %expected.rank.at = getelementptr i64, ptr %row, i64 2
  %expected.rank = load i64, ptr %expected.rank.at
  %same.rank = icmp eq i64 %rank, %expected.rank
  %flags.at = getelementptr i8, ptr %x, i64 {symbols.FLAGS}
  %flags = load i32, ptr %flags.at
  %layout = and i32 %flags, {CONTIGUOUS}
  %contiguous = icmp eq i32 %layout, {CONTIGUOUS}
  %writeable.bit = and i32 %flags, {symbols.WRITEABLE}
  %writeable = icmp ne i32 %writeable.bit, 0
  %contiguous.word = zext i1 %contiguous to i64
  %writeable.word = select i1 %writeable, i64 2, i64 0
  %flags.word = or i64 %contiguous.word, %writeable.word
  %expected.flags.at = getelementptr i64, ptr %row, i64 3
  %expected.flags = load i64, ptr %expected.flags.at
  %same.flags = icmp eq i64 %flags.word, %expected.flags
  %good.1 = and i1 %same.number, %native
  %good.2 = and i1 %same.rank, %same.flags
  %good = and i1 %good.1, %good.2
  br i1 %good, label %extent, label %fail
extent:
  %pointer.at = getelementptr i8, ptr %x, i64 {symbols.DATA}
  %start = load i64, ptr %pointer.at
  %sizes.at = getelementptr i8, ptr %x, i64 {symbols.SIZES}
  %sizes = load ptr, ptr %sizes.at
  %strides.at = getelementptr i8, ptr %x, i64 {symbols.STRIDES}
  %strides = load ptr, ptr %strides.at
  %itemsize.at = getelementptr i64, ptr %row, i64 1
  %itemsize = load i64, ptr %itemsize.at
  %end = add i64 %start, %itemsize
  %expected.sizes = getelementptr i64, ptr %row, i64 {ROW_WORDS}
  br label %axes
axes:
  %axis = phi i64 [0, %extent], [%axis.next, %axis.good]
  %low = phi i64 [%start, %extent], [%low.next, %axis.good]
  %high = phi i64 [%end, %extent], [%high.next, %axis.good]
  %filled = phi i1 [true, %extent], [%filled.next, %axis.good]
  %stride.first = phi i64 [0, %extent], [%stride.kept, %axis.good]
  %reach.first = phi i64 [0, %extent], [%reach.kept, %axis.good]
  %more.axes = icmp slt i64 %axis, %rank
  br i1 %more.axes, label %axis.check, label %extended
axis.check:
  %size.at = getelementptr i64, ptr %sizes, i64 %axis
  %size = load i64, ptr %size.at
  %expected.size.at = getelementptr i64, ptr %expected.sizes, i64 %axis
  %expected.size = load i64, ptr %expected.size.at
  %any = icmp eq i64 %expected.size, {ANY_SIZE}
  %large = icmp sgt i64 %size, 1
  %equal = icmp eq i64 %size, %expected.size
  %fits = select i1 %any, i1 %large, i1 %equal
  br i1 %fits, label %axis.good, label %fail
axis.good:
  %axis.next = add i64 %axis, 1
  %stride.at = getelementptr i64, ptr %strides, i64 %axis
  %stride = load i64, ptr %stride.at
  %last = sub i64 %size, 1
  %reach = mul i64 %last, %stride
  %backward = icmp slt i64 %reach, 0
  %down = select i1 %backward, i64 %reach, i64 0
  %up = select i1 %backward, i64 0, i64 %reach
  %low.next = add i64 %low, %down
  %high.next = add i64 %high, %up
  %is.first = icmp eq i64 %axis, 0
  %stride.kept = select i1 %is.first, i64 %stride, i64 %stride.first
  %reach.kept = select i1 %is.first, i64 %reach, i64 %reach.first
  %some = icmp ne i64 %size, 0
  %filled.next = and i1 %filled, %some
  br label %axes
extended:
  %low.kept = select i1 %filled, i64 %low, i64 0
  %high.kept = select i1 %filled, i64 %high, i64 0
  %low.slot = getelementptr i64, ptr %lows, i64 %k
  store i64 %low.kept, ptr %low.slot
  %high.slot = getelementptr i64, ptr %highs, i64 %k
  store i64 %high.kept, ptr %high.slot
  %stride.turned = sub i64 0, %stride.first
  %record.step = call i64 @llvm.smax.i64(i64 %stride.first, i64 %stride.turned)
  %step.slot = getelementptr i64, ptr %steps, i64 %k
  store i64 %record.step, ptr %step.slot
  %reach.turned = sub i64 0, %reach.first
  %records.reach = call i64 @llvm.smax.i64(i64 %reach.first, i64 %reach.turned)
  %whole.reach = sub i64 %high, %low
  %record.bytes = sub i64 %whole.reach, %records.reach
  %bytes.slot = getelementptr i64, ptr %bytes, i64 %k
  store i64 %record.bytes, ptr %bytes.slot
  %found.slot = getelementptr ptr, ptr %found, i64 %k
  store ptr %x, ptr %found.slot
  %step.at = getelementptr i64, ptr %row, i64 4
  %step = load i64, ptr %step.at
  %row.next = getelementptr i8, ptr %row, i64 %step
  br label %arrays
pairs:
  %i = phi i64 [0, %arrays], [%i.next, %pairs.next]
  %apart = phi i64 [1, %arrays], [%apart.inner, %pairs.next]
  %more.pairs = icmp slt i64 %i, %count
  br i1 %more.pairs, label %first, label %verdict
first:
  %i.next = add i64 %i, 1
  %x.at = getelementptr ptr, ptr %found, i64 %i
  %x.first = load ptr, ptr %x.at
  %low.at = getelementptr i64, ptr %lows, i64 %i
  %low.first = load i64, ptr %low.at
  %high.at = getelementptr i64, ptr %highs, i64 %i
  %high.first = load i64, ptr %high.at
  br label %inner
inner:
  %j = phi i64 [%i.next, %first], [%j.next, %different], [%j.next, %interleaved]
  %apart.inner = phi i64 [%apart, %first], [%apart.inner, %different], [%apart.next, %interleaved]
  %more.inner = icmp slt i64 %j, %count
  br i1 %more.inner, label %second, label %pairs.next
second:
  %j.next = add i64 %j, 1
  %y.at = getelementptr ptr, ptr %found, i64 %j
  %x.second = load ptr, ptr %y.at
  %same.object = icmp eq ptr %x.first, %x.second
  br i1 %same.object, label %fail, label %different
different:
  %low.other.at = getelementptr i64, ptr %lows, i64 %j
  %low.second = load i64, ptr %low.other.at
  %high.other.at = getelementptr i64, ptr %highs, i64 %j
  %high.second = load i64, ptr %high.other.at
  %before = icmp ult i64 %low.first, %high.second
  %behind = icmp ult i64 %low.second, %high.first
  %overlap = and i1 %before, %behind
  br i1 %overlap, label %interleaved, label %inner
interleaved:
  %step.first.at = getelementptr i64, ptr %steps, i64 %i
  %step.first = load i64, ptr %step.first.at
  %step.second.at = getelementptr i64, ptr %steps, i64 %j
  %step.second = load i64, ptr %step.second.at
  %bytes.first.at = getelementptr i64, ptr %bytes, i64 %i
  %bytes.first = load i64, ptr %bytes.first.at
  %bytes.second.at = getelementptr i64, ptr %bytes, i64 %j
  %bytes.second = load i64, ptr %bytes.second.at
  %same.step = icmp eq i64 %step.first, %step.second
  %divisor = call i64 @llvm.smax.i64(i64 %step.first, i64 1)
  %ahead = icmp uge i64 %low.second, %low.first
  %distance.up = sub i64 %low.second, %low.first
  %distance.down = sub i64 %low.first, %low.second
  %rest.up = urem i64 %distance.up, %divisor
  %rest.down = urem i64 %distance.down, %divisor
  %rest = select i1 %ahead, i64 %rest.up, i64 %rest.down
  %bytes.low = select i1 %ahead, i64 %bytes.first, i64 %bytes.second
  %bytes.high = select i1 %ahead, i64 %bytes.second, i64 %bytes.first
  %rest.end = add i64 %rest, %bytes.high
  %is.behind = icmp uge i64 %rest, %bytes.low
  %is.before = icmp ule i64 %rest.end, %divisor
  %is.between = and i1 %is.behind, %is.before
  %is.apart = and i1 %same.step, %is.between
  %apart.next = select i1 %is.apart, i64 %apart.inner, i64 0
  br label %inner
pairs.next:
  br label %pairs
verdict:
  %as.compiled = icmp eq i64 %apart, %distinct
  ret i1 %as.compiled
fail:
  ret i1 false
}}
"""
TEXT = f"""
declare i64 @PyLong_AsLongLong(ptr)
declare ptr @PyBool_FromLong(i64)
{ARRAYS_MATCH}
define ptr @ag_match(ptr %self, ptr %args, ptr %keywords) {{
  %first = getelementptr i8, ptr %args, i64 {symbols.TUPLE_ITEMS}
  %number = load ptr, ptr %first
  %address = call i64 @PyLong_AsLongLong(ptr %number)
  %table = inttoptr i64 %address to ptr
  %objects = getelementptr ptr, ptr %first, i64 1
  %matches = call i1 @ag_arrays_match(ptr %table, ptr %objects)
  %word = zext i1 %matches to i64
  %answer = call ptr @PyBool_FromLong(i64 %word)
  ret ptr %answer
}}
"""


@once
def checker() -> Callable[..., bool]:
    """The native function, compiled at the first use."""
    return Library(TEXT).callable("ag_match", "match")

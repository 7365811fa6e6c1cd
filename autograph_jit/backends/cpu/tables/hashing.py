"""CPython's hashes of numbers and of tuples of them, in LLVM, and whether two keys are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import ITEMS, LENGTH, declare
from autograph_jit.backends.cpu.signatures import I1, I8, I64, PTR
from autograph_jit.backends.cpu.text_tables import HASH
from autograph_jit.backends.cpu.values import memory_type, register_type
from autograph_jit.ir.types import ListType, ScalarType
from autograph_jit.ops.tables import count_of_numbers, up_to_end

Elem = ScalarType | ListType  # of a column

PRIME_BITS = 61
PRIME = (1 << PRIME_BITS) - 1  # sys.hash_info.modulus
INFINITY_HASH = 314159
FRACTION, EXPONENTS, BIAS = (
    52,
    0x7FF,
    1075,
)  # of a float64: bits of the fraction, of the exponent, and what 2**0 of the fraction's last bit has
XX1, XX2, XX5 = 11400714785074694791, 14029467366897019727, 2870177450012600261  # Objects/tupleobject.c
EMPTY_TUPLE, MINUS_ONE_TUPLE = XX5 ^ 3527539, 1546275796


def hash_key(b: ir.IRBuilder, form: str, numbers: Sequence[ir.Value], elems: Sequence[Elem]) -> ir.Value:
    """The hash of the key that numbers make."""
    return next(hashes(b, iter(form), iter(zip(numbers, elems))))


def hashes(b: ir.IRBuilder, text: Iterator[str], numbers: Iterator[tuple[ir.Value, Elem]]) -> Iterator[ir.Value]:
    """The hashes of the parts of a form up to its end, or to that of the tuple."""
    for letter in text:
        if letter == ")":
            return
        if letter == "(":
            yield hash_tuple(b, list(hashes(b, text, numbers)))
        elif letter == "[":
            inner = up_to_end(text)
            yield hash_items(b, inner, list(islice(numbers, count_of_numbers(inner))))
        else:
            number, elem = next(numbers)
            yield hash_of_text(b, number) if letter == "t" else hash_number(b, number, ListType(elem).number.dtype)


def hash_of_text(b: ir.IRBuilder, reference: ir.Value) -> ir.Value:
    """The hash that the text has in CPython, which stands with it once somebody has asked for it."""
    entry = b.inttoptr(reference, PTR)
    known, before = b.load(b.gep(entry, [I64(HASH)], source_etype=I64), typ=I64), b.block
    with b.if_then(b.icmp_signed("==", known, I64(0)), likely=False):
        made, asked = b.call(declare(b.module, "ag_text_hash_of"), [entry], attrs=("noinline",)), b.block
    found = b.phi(I64)
    found.add_incoming(known, before)
    found.add_incoming(made, asked)
    return found


def hash_tuple(b: ir.IRBuilder, lanes: list[ir.Value]) -> ir.Value:
    """xxHash of the hashes of the items, as CPython takes it (Collet 2012, without its last avalanche)."""
    total: ir.Value = I64(XX5)
    for lane in lanes:
        total = with_lane(b, total, lane)
    return with_length(b, total, I64(len(lanes)))


def with_lane(b: ir.IRBuilder, total: ir.Value, lane: ir.Value) -> ir.Value:
    total = b.add(total, b.mul(lane, I64(XX2)))
    return b.mul(b.or_(b.shl(total, I64(31)), b.lshr(total, I64(33))), I64(XX1))


def with_length(b: ir.IRBuilder, total: ir.Value, length: ir.Value) -> ir.Value:
    total = b.add(total, b.xor(length, I64(EMPTY_TUPLE)))
    return b.select(b.icmp_unsigned("==", total, I64(-1)), I64(MINUS_ONE_TUPLE), total)


def hash_items(b: ir.IRBuilder, form: str, columns: list[tuple[ir.Value, Elem]]) -> ir.Value:
    """The hash of a tuple whose items stand in lists: by a function of the module."""
    headers, lists = zip(*columns)
    name = f"ag_hash_items.{form}.{'.'.join(map(str, lists))}"
    known = b.module.globals.get(name)
    return b.call(known or make_hash_of_items(b.module, name, form, [each.elem for each in lists]), list(headers))


def make_hash_of_items(module: ir.Module, name: str, form: str, elems: list[Elem]) -> ir.Function:
    function = new_function(module, name, I64, len(elems))
    b = ir.IRBuilder(function.append_basic_block("entry"))
    total = variable(b, I64(XX5))

    def add(place: ir.Value) -> None:
        numbers = [number_at(b, header, place, elem) for header, elem in zip(function.args, elems)]
        b.store(with_lane(b, b.load(total, typ=I64), hash_key(b, form, numbers, elems)), total)

    length = length_at(b, function.args[0])
    each_below(b, length, add)
    b.ret(with_length(b, b.load(total, typ=I64), length))
    return function


def are_same(b: ir.IRBuilder, x: ir.Value, y: ir.Value, elem: Elem) -> ir.Value:
    """Whether two numbers or texts are the same, or two lists hold the same."""
    if isinstance(elem, ListType):
        name = f"ag_same_items.{elem}"
        return b.call(b.module.globals.get(name) or make_equality_of_items(b.module, name, elem.elem), [x, y])
    return b.fcmp_ordered("==", x, y) if elem.dtype.kind == "f" else b.icmp_unsigned("==", x, y)


def make_equality_of_items(module: ir.Module, name: str, elem: Elem) -> ir.Function:
    function = new_function(module, name, I1, 2)
    b = ir.IRBuilder(function.append_basic_block("entry"))
    first, second = function.args
    length = length_at(b, first)
    with b.if_then(b.icmp_signed("!=", length, length_at(b, second))):
        b.ret(I1(0))

    def test(place: ir.Value) -> None:
        same = are_same(b, number_at(b, first, place, elem), number_at(b, second, place, elem), elem)
        with b.if_then(b.not_(same)):
            b.ret(I1(0))

    each_below(b, length, test)
    b.ret(I1(1))
    return function


def register_of(elem: Elem) -> ir.Type:
    """The LLVM type of what stands in a column."""
    return PTR if isinstance(elem, ListType) else register_type(elem.dtype)


def number_at(b: ir.IRBuilder, header: ir.Value, place: ir.Value, elem: Elem) -> ir.Value:
    """What stands at a place of a list."""
    items = b.load(b.gep(header, [I64(ITEMS)], source_etype=I64), typ=PTR)
    kind = PTR if isinstance(elem, ListType) else memory_type(elem.dtype)
    found = b.load(b.gep(items, [place], source_etype=kind), typ=kind)
    is_truth = isinstance(elem, ScalarType) and elem.dtype.kind == "b"
    return b.icmp_unsigned("!=", found, I8(0)) if is_truth else found


def length_at(b: ir.IRBuilder, header: ir.Value) -> ir.Value:
    """The length of a list."""
    return b.load(b.gep(header, [I64(LENGTH)], source_etype=I64), typ=I64)


def variable(b: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """A variable, which LLVM puts into registers."""
    with b.goto_entry_block():
        slot = b.alloca(value.type)
        slot.type = PTR
    b.store(value, slot)
    return slot


def each_below(b: ir.IRBuilder, count: ir.Value, visit: Callable[[ir.Value], None]) -> None:
    """`for i in range(count): visit(i)`."""
    i = variable(b, I64(0))
    test, body, done = (b.function.append_basic_block(name) for name in ("test", "body", "done"))
    b.branch(test)
    b.position_at_end(test)
    b.cbranch(b.icmp_signed("<", b.load(i, typ=I64), count), body, done)
    b.position_at_end(body)
    visit(b.load(i, typ=I64))
    b.store(b.add(b.load(i, typ=I64), I64(1)), i)
    b.branch(test)
    b.position_at_end(done)


def new_function(module: ir.Module, name: str, result: ir.Type, count: int) -> ir.Function:
    """A function of the module on the headers of so many lists."""
    function = ir.Function(module, ir.FunctionType(result, [PTR] * count), name)
    function.linkage = "internal"
    function.attributes.add("nounwind")
    return function


def hash_number(b: ir.IRBuilder, number: ir.Value, dtype: np.dtype) -> ir.Value:
    if dtype.kind == "f":
        return hash_float(b, number if dtype.itemsize == 8 else b.fpext(number, ir.DoubleType()))
    if dtype.itemsize < 8:
        wide = b.sext(number, I64) if dtype.kind == "i" else b.zext(number, I64)
        return without_minus_one(b, wide) if dtype.kind == "i" else wide
    is_negative = b.icmp_signed("<", number, I64(0))
    size = b.select(is_negative, b.neg(number), number)
    size = b.add(b.and_(size, I64(PRIME)), b.lshr(size, I64(PRIME_BITS)))
    size = b.select(b.icmp_unsigned(">=", size, I64(PRIME)), b.sub(size, I64(PRIME)), size)
    return without_minus_one(b, b.select(is_negative, b.neg(size), size))


def without_minus_one(b: ir.IRBuilder, code: ir.Value) -> ir.Value:
    """A hash: -1 means an error in C."""
    return b.select(b.icmp_signed("==", code, I64(-1)), I64(-2), code)


def hash_float(b: ir.IRBuilder, number: ir.Value) -> ir.Value:
    """The number modulo the Mersenne prime 2**61 - 1: its fraction, turned round by the exponent; 0 for nan."""
    bits = b.bitcast(number, I64)
    exponent = b.and_(b.lshr(bits, I64(FRACTION)), I64(EXPONENTS))
    fraction = b.and_(bits, I64((1 << FRACTION) - 1))
    is_subnormal = b.icmp_unsigned("==", exponent, I64(0))
    whole = b.select(is_subnormal, fraction, b.or_(fraction, I64(1 << FRACTION)))
    power = b.sub(b.select(is_subnormal, I64(1), exponent), I64(BIAS - PRIME_BITS * 18))
    turn = b.urem(power, I64(PRIME_BITS))
    size = b.or_(b.and_(b.shl(whole, turn), I64(PRIME)), b.lshr(whole, b.sub(I64(PRIME_BITS), turn)))
    is_finite = b.icmp_unsigned("!=", exponent, I64(EXPONENTS))
    size = b.select(is_finite, size, I64(INFINITY_HASH))
    signed = without_minus_one(b, b.select(b.icmp_signed("<", bits, I64(0)), b.neg(size), size))
    is_nan = b.fcmp_unordered("uno", number, number)
    return b.select(is_nan, I64(0), signed)

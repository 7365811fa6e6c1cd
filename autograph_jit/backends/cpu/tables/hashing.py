"""CPython's hashes of numbers and of tuples of them, in LLVM."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import declare
from autograph_jit.backends.cpu.signatures import I64, PTR
from autograph_jit.backends.cpu.text_tables import HASH

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


def hash_key(b: ir.IRBuilder, form: str, numbers: list[ir.Value], dtypes: list[np.dtype]) -> ir.Value:
    """The hash of the key that numbers make."""
    return next(hashes(b, iter(form), iter(zip(numbers, dtypes))))


def hashes(b: ir.IRBuilder, text: Iterator[str], numbers: Iterator[tuple[ir.Value, np.dtype]]) -> Iterator[ir.Value]:
    """The hashes of the parts of a form up to its end, or to that of the tuple."""
    for letter in text:
        if letter == ")":
            return
        if letter == "(":
            yield hash_tuple(b, list(hashes(b, text, numbers)))
        else:
            yield hash_of_text(b, next(numbers)[0]) if letter == "t" else hash_number(b, *next(numbers))


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
        total = b.add(total, b.mul(lane, I64(XX2)))
        total = b.mul(b.or_(b.shl(total, I64(31)), b.lshr(total, I64(33))), I64(XX1))
    total = b.add(total, I64(len(lanes) ^ EMPTY_TUPLE))
    return b.select(b.icmp_unsigned("==", total, I64(-1)), I64(MINUS_ONE_TUPLE), total)


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

"""Functions that draw from Python's `random.Random`: the Mersenne Twister in the object, and what Python makes of its words.

The generator is that of Matsumoto and Nishimura (1998).
"""

from __future__ import annotations

import random

from llvmlite import ir

from autograph_jit.backends.cpu.random.functions import F64, Drawing, declared
from autograph_jit.backends.cpu.signatures import I32, I64
from autograph_jit.ops.random import WORDS

MIDDLE, MATRIX, UPPER, LOWER = 397, 0x9908B0DF, 0x80000000, 0x7FFFFFFF


def word_at(f: Drawing, place: ir.Value) -> ir.Value:
    """The address of a word of the state."""
    return f.b.gep(f.source, [f.b.add(place, I64(1))], source_etype=I32)


def build_twist(module: ir.Module, name: str) -> None:
    """All words of the state anew, each of itself, the next one and one that is `MIDDLE` words on."""
    f = Drawing(module, name, ir.VoidType(), [])
    f.function.attributes.discard("alwaysinline")
    f.function.attributes.add("noinline")
    b, entry = f.b, f.b.block
    body, done = f.function.append_basic_block("body"), f.function.append_basic_block("done")
    b.branch(body)
    b.position_at_end(body)
    place = b.phi(I64)
    following = b.add(place, I64(1))

    def word(distance: int) -> ir.Value:
        other = b.add(place, I64(distance))
        wrapped = b.select(b.icmp_unsigned("<", other, I64(WORDS)), other, b.sub(other, I64(WORDS)))
        return b.load(word_at(f, wrapped), typ=I32)

    joined = b.or_(b.and_(word(0), I32(UPPER)), b.and_(word(1), I32(LOWER)))
    odd = b.sub(I32(0), b.and_(joined, I32(1)))
    made = b.xor(b.xor(word(MIDDLE), b.lshr(joined, I32(1))), b.and_(odd, I32(MATRIX)))
    b.store(made, word_at(f, place))
    place.add_incoming(I64(0), entry)
    place.add_incoming(following, body)
    b.cbranch(b.icmp_unsigned("<", following, I64(WORDS)), body, done)
    b.position_at_end(done)
    b.store(I32(0), f.source)
    b.ret_void()


def build_word(module: ir.Module, name: str) -> None:
    """The next word of 32 bits."""
    f = Drawing(module, name, I32, [])
    b = f.b
    is_used_up = b.icmp_unsigned(">=", b.load(f.source, typ=I32), I32(WORDS))
    with b.if_then(is_used_up, likely=False):
        b.call(declared(module, "twist", build_twist), [f.source])
    place = b.load(f.source, typ=I32)
    y = b.load(word_at(f, b.zext(place, I64)), typ=I32)
    b.store(b.add(place, I32(1)), f.source)
    y = b.xor(y, b.lshr(y, I32(11)))
    y = b.xor(y, b.and_(b.shl(y, I32(7)), I32(0x9D2C5680)))
    y = b.xor(y, b.and_(b.shl(y, I32(15)), I32(0xEFC60000)))
    b.ret(b.xor(y, b.lshr(y, I32(18))))


def next_word(f: Drawing) -> ir.Value:
    """A word, as 64 bits."""
    return f.b.zext(f.b.call(declared(f.module, "draw_word", build_word), [f.source]), I64)


def uniform(f: Drawing) -> ir.Value:
    """A float from 0 to 1."""
    return f.b.call(declared(f.module, "draw_python_random", build_random), [f.source])


def logarithm(f: Drawing, x: ir.Value) -> ir.Value:
    """The logarithm, by the function that Python calls."""
    return f.b.call(f.external("log", F64, [F64]), [x])


def build_random(module: ir.Module, name: str) -> None:
    """53 bits of two words."""
    f = Drawing(module, name, F64, [])
    b = f.b
    high, low = (b.sitofp(b.lshr(next_word(f), I64(shift)), F64) for shift in (5, 6))
    b.ret(b.fmul(b.fadd(b.fmul(high, F64(2.0**26)), low), F64(2.0**-53)))


def build_below(module: ir.Module, name: str) -> None:
    """An int from 0 to below another one: as many bits as that has, until they are not too many."""
    f = Drawing(module, name, I64, [I64])
    b, (count,) = f.b, f.args
    again, found = f.function.append_basic_block("again"), f.function.append_basic_block("found")
    b.branch(again)
    b.position_at_end(again)
    number = bits(f, b.ctlz(count, ir.IntType(1)(1)))
    b.cbranch(b.icmp_unsigned("<", number, count), found, again)
    b.position_at_end(found)
    b.ret(number)


def build_bits(module: ir.Module, name: str) -> None:
    """An int of so many bits: from 1 to 62."""
    f = Drawing(module, name, I64, [I64])
    f.b.ret(bits(f, f.b.sub(I64(64), f.args[0])))


def bits(f: Drawing, unused: ir.Value) -> ir.Value:
    """An int of 64 bits less those that are not used, of one word where that has enough of them."""
    b = f.b
    word = next_word(f)
    with b.if_else(b.icmp_unsigned(">=", unused, I64(32))) as (short, long):
        with short:
            of_one, first = b.lshr(word, b.sub(unused, I64(32))), b.block
        with long:
            of_two = b.or_(word, b.shl(b.lshr(next_word(f), unused), I64(32)))
            second = b.block
    result = b.phi(I64)
    result.add_incoming(of_one, first)
    result.add_incoming(of_two, second)
    return result


def build_exponential(module: ir.Module, name: str) -> None:
    """`expovariate()`."""
    f = Drawing(module, name, F64, [])
    f.b.ret(f.b.fneg(logarithm(f, f.b.fsub(F64(1.0), uniform(f)))))


def build_normal(module: ir.Module, name: str) -> None:
    """`normalvariate()`: the ratio of two floats (Kinderman and Monahan, 1977)."""
    f = Drawing(module, name, F64, [])
    b = f.b
    again, found = f.function.append_basic_block("again"), f.function.append_basic_block("found")
    b.branch(again)
    b.position_at_end(again)
    x, y = uniform(f), b.fsub(F64(1.0), uniform(f))
    z = b.fdiv(b.fmul(F64(random.NV_MAGICCONST), b.fsub(x, F64(0.5))), y)  # type: ignore[attr-defined]
    quarter = b.fdiv(b.fmul(z, z), F64(4.0))
    b.cbranch(b.fcmp_ordered("<=", quarter, b.fneg(logarithm(f, y))), found, again)
    b.position_at_end(found)
    b.ret(z)

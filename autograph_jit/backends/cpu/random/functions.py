"""Functions of a program's module that draw one number: inline for PCG64, whose state is looked at in place, else by NumPy's functions.

PCG64 (O'Neill, 2014) steps a state of 128 bits and makes a word of the new one. The short forms look at the word before the state is
stored: where it does not give a number at once, NumPy's function draws from the state as it was.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.random.symbols import PCG64_NEXT_DOUBLE, ZIGGURATS, tables
from autograph_jit.backends.cpu.signatures import I32, I64, PTR
from autograph_jit.records import dataclass

I128, F64 = ir.IntType(128), ir.DoubleType()
MULTIPLIER = I128(0x2360ED051FC65DA44385DF649FCCF645)
STATE, NEXT_UINT32, NEXT_DOUBLE = 0, 2, 3  # in NumPy's bitgen_t
FULL_32, FULL_64 = 2**32 - 1, 2**64 - 1


@dataclass(slots=True)
class Step:
    """PCG64 one step on: where its state is, the new state, and the word of it."""

    memory: ir.Value
    state: ir.Value
    word: ir.Value


class Drawing:
    """One function while it is built; its first argument is the address of a bit generator."""

    def __init__(self, module: ir.Module, name: str, result: ir.Type, arguments: list[ir.Type]) -> None:
        self.module = module
        self.function = ir.Function(module, ir.FunctionType(result, [PTR, *arguments]), name)
        self.function.linkage = "internal"
        self.function.attributes.add("alwaysinline")
        self.function.attributes.add("nounwind")
        self.b = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.source, *self.args = self.function.args

    def fixed(self, base: ir.Value, index: int) -> ir.Value:
        """A pointer in memory that does not change while the generator lives."""
        found = self.b.load(self.b.gep(base, [I64(index)], source_etype=I64), typ=PTR)
        found.set_metadata("invariant.load", self.module.add_metadata([]))
        return found

    def external(self, name: str, result: ir.Type, arguments: list[ir.Type]) -> ir.Function:
        """A function that NumPy exports."""
        return self.module.globals.get(name) or ir.Function(self.module, ir.FunctionType(result, arguments), name)

    def variable(self, name: str) -> ir.Value:
        """Memory that is known by a name."""
        return self.module.globals.get(name) or ir.GlobalVariable(self.module, PTR, name)

    def if_pcg64(self) -> ir.Block:
        """Go on where the bit generator is a PCG64; the block for others."""
        inline, other = self.function.append_basic_block("pcg64"), self.function.append_basic_block("other")
        known = self.external(PCG64_NEXT_DOUBLE, F64, [PTR])
        self.b.cbranch(self.b.icmp_unsigned("==", self.fixed(self.source, NEXT_DOUBLE), known), inline, other)
        self.b.position_at_end(inline)
        return other

    def step(self) -> Step:
        """The next state, which is not stored yet."""
        b, memory = self.b, self.fixed(self.fixed(self.source, STATE), 0)
        increment = b.load(b.gep(memory, [I64(2)], source_etype=I64), typ=I128, align=8)
        increment.set_metadata("invariant.load", self.module.add_metadata([]))
        state = b.add(b.mul(b.load(memory, typ=I128, align=8), MULTIPLIER), increment)
        high = b.trunc(b.lshr(state, I128(64)), I64)
        mixed, turns = b.xor(high, b.trunc(state, I64)), b.lshr(high, I64(58))
        back = b.and_(b.sub(I64(0), turns), I64(63))
        return Step(memory, state, b.or_(b.lshr(mixed, turns), b.shl(mixed, back)))

    def take(self, step: Step) -> None:
        """The step is made."""
        self.b.store(step.state, step.memory, align=8)

    def unless(self, condition: ir.Value, other: ir.Block) -> None:
        """Go on where the condition holds, which it nearly always does."""
        passed = self.function.append_basic_block("passed")
        self.b.cbranch(condition, passed, other).set_weights([64, 1])
        self.b.position_at_end(passed)


def declared(module: ir.Module, name: str, build: Callable[[ir.Module, str], None]) -> ir.Function:
    """A function of the module, which is built where it is not known yet."""
    if name not in module.globals:
        build(module, name)
    return module.globals[name]


def build_random(module: ir.Module, name: str) -> None:
    """53 bits of a word, from 0 to 1."""
    f = Drawing(module, name, F64, [])
    other = f.if_pcg64()
    step = f.step()
    f.take(step)
    f.b.ret(f.b.fmul(f.b.sitofp(f.b.lshr(step.word, I64(11)), F64), F64(2.0**-53)))
    f.b.position_at_end(other)
    function = f.fixed(f.source, NEXT_DOUBLE)
    function.type = ir.FunctionType(F64, [PTR]).as_pointer()  # llvmlite calls typed pointers only
    f.b.ret(f.b.call(function, [f.fixed(f.source, STATE)]))


def build_ziggurat(distribution: str, module: ir.Module, name: str) -> None:
    """A word that lies well inside a layer is a number at once."""
    form, found = ZIGGURATS[distribution], tables(distribution)
    f = Drawing(module, name, F64, [])
    b = f.b
    if found is not None:
        other, step = f.if_pcg64(), f.step()
        layer = b.and_(b.lshr(step.word, I64(form.layer)), I64(0xFF))
        steps = b.and_(b.lshr(step.word, I64(form.steps)), I64((1 << form.bits) - 1))
        width, limit = (b.load(b.gep(f.variable(table), [layer], source_etype=I64), typ=I64) for table in found)
        f.unless(b.icmp_unsigned("<", steps, limit), other)
        f.take(step)
        number = b.bitcast(b.fmul(b.sitofp(steps, F64), b.bitcast(width, F64)), I64)
        if form.sign is not None:
            number = b.xor(number, b.shl(b.lshr(step.word, I64(form.sign)), I64(63)))
        b.ret(b.bitcast(number, F64))
        b.position_at_end(other)
    b.ret(b.call(f.external(form.symbol, F64, [PTR]), [f.source]))


def build_half(module: ir.Module, name: str) -> None:
    """Half a word; the other half of a word of PCG64 waits in its state for the next draw of one."""
    f = Drawing(module, name, I32, [])
    b, other = f.b, f.if_pcg64()
    inner = f.fixed(f.source, STATE)
    has_half, half = (b.gep(inner, [I64(offset)], source_etype=I32) for offset in (2, 3))
    with b.if_then(b.icmp_unsigned("!=", b.load(has_half, typ=I32), I32(0))):
        b.store(I32(0), has_half)
        b.ret(b.load(half, typ=I32))
    step = f.step()
    f.take(step)
    b.store(I32(1), has_half)
    b.store(b.trunc(b.lshr(step.word, I64(32)), I32), half)
    b.ret(b.trunc(step.word, I32))
    b.position_at_end(other)
    function = f.fixed(f.source, NEXT_UINT32)
    function.type = ir.FunctionType(I32, [PTR]).as_pointer()
    b.ret(b.call(function, [f.fixed(f.source, STATE)]))


def half_of(f: Drawing) -> ir.Value:
    """Half a word, as 64 bits."""
    return f.b.zext(f.b.call(declared(f.module, "draw_half", build_half), [f.source]), I64)


def build_bounded(module: ir.Module, name: str) -> None:
    """An integer from `first` to `last`: the upper half of half a word times their number, drawn again where that would be biased
    (Lemire, 2019)."""
    f = Drawing(module, name, I64, [I64, I64])
    b, (first, last) = f.b, f.args
    distance = b.sub(last, first)
    other, again, found = (f.function.append_basic_block(label) for label in ("other", "again", "found"))
    f.unless(b.icmp_unsigned("<", b.sub(distance, I64(1)), I64(FULL_32 - 1)), other)
    count = b.add(distance, I64(1))
    product = b.mul(half_of(f), count)
    before = b.block
    b.cbranch(b.icmp_unsigned("<", b.and_(product, I64(FULL_32)), count), again, found).set_weights([1, 64])
    b.position_at_end(again)
    low = b.phi(I64)
    low.add_incoming(product, before)
    threshold = b.urem(b.sub(I64(FULL_32), distance), count)
    redrawn, accepted = f.function.append_basic_block("redrawn"), f.function.append_basic_block("accepted")
    b.cbranch(b.icmp_unsigned("<", b.and_(low, I64(FULL_32)), threshold), redrawn, accepted)
    b.position_at_end(redrawn)
    low.add_incoming(b.mul(half_of(f), count), b.block)
    b.branch(again)
    b.position_at_end(accepted)
    b.branch(found)
    b.position_at_end(found)
    taken = b.phi(I64)
    taken.add_incoming(product, before)
    taken.add_incoming(low, accepted)
    b.ret(b.add(first, b.lshr(taken, I64(32))))
    b.position_at_end(other)
    b.ret(bounded_by_numpy(f, first, distance, masked=False))


def build_masked(module: ir.Module, name: str) -> None:
    """An integer from `first` to `last`: bits until they are not too many, as `RandomState` draws it and as both kinds shuffle."""
    f = Drawing(module, name, I64, [I64, I64])
    b, (first, last) = f.b, f.args
    distance = b.sub(last, first)
    other, again, found = (f.function.append_basic_block(label) for label in ("other", "again", "found"))
    f.unless(b.icmp_unsigned("<", b.sub(distance, I64(1)), I64(FULL_32)), other)
    mask = b.lshr(I64(FULL_64), b.ctlz(distance, ir.IntType(1)(1)))
    b.branch(again)
    b.position_at_end(again)
    bits = b.and_(half_of(f), mask)
    b.cbranch(b.icmp_unsigned("<=", bits, distance), found, again)
    b.position_at_end(found)
    b.ret(b.add(first, bits))
    b.position_at_end(other)
    b.ret(bounded_by_numpy(f, first, distance, masked=True))


def bounded_by_numpy(f: Drawing, first: ir.Value, distance: ir.Value, masked: bool) -> ir.Value:
    """NumPy's function; the mask has all bits up to the highest one of the distance."""
    draw = f.external("random_bounded_uint64", I64, [PTR, I64, I64, I64, I32])
    unused = f.b.ctlz(f.b.or_(distance, I64(1)), ir.IntType(1)(1))
    return f.b.call(draw, [f.source, first, distance, f.b.lshr(I64(FULL_64), unused), I32(int(masked))])


def build_binomial(module: ir.Module, name: str) -> None:
    """NumPy's function with a place for what it computes of the parameters; a draw that finds others there computes it again."""
    f = Drawing(module, name, I64, [I64, F64, PTR])
    count, probability, place = f.args
    draw = f.external("random_binomial", I64, [PTR, F64, I64, PTR])
    f.b.ret(f.b.call(draw, [f.source, probability, count, place]))


def uniform_of(f: Drawing, source: ir.Value) -> ir.Value:
    """A float from 0 to 1 of a bit generator."""
    return f.b.call(declared(f.module, "draw_random", build_random), [source])


def build_legacy_normal(module: ir.Module, name: str) -> None:
    """The polar method (Marsaglia and Bray, 1964): a point in the unit circle makes two numbers, of which one waits in the generator."""
    f = Drawing(module, name, F64, [])
    b, source = f.b, f.fixed(f.source, 0)
    has_number, number = (b.gep(f.source, [I64(offset)], source_etype=I64) for offset in (1, 2))
    fresh, waiting, found = (f.function.append_basic_block(label) for label in ("fresh", "waiting", "found"))
    b.cbranch(b.icmp_unsigned("==", b.load(has_number, typ=I32), I32(0)), fresh, waiting)
    b.position_at_end(waiting)
    kept = b.load(number, typ=F64)
    b.store(I32(0), has_number)
    b.store(F64(0.0), number)
    b.ret(kept)
    b.position_at_end(fresh)
    x, y = (b.fsub(b.fmul(F64(2.0), uniform_of(f, source)), F64(1.0)) for _ in range(2))
    square = b.fadd(b.fmul(x, x), b.fmul(y, y))
    is_inside = b.and_(b.fcmp_ordered("<", square, F64(1.0)), b.fcmp_ordered("!=", square, F64(0.0)))
    b.cbranch(is_inside, found, fresh)
    b.position_at_end(found)
    logarithm = b.call(f.external("log", F64, [F64]), [square])
    root = b.call(f.external("llvm.sqrt.f64", F64, [F64]), [b.fdiv(b.fmul(F64(-2.0), logarithm), square)])
    b.store(b.fmul(root, x), number)
    b.store(I32(1), has_number)
    b.ret(b.fmul(root, y))


def build_legacy_exponential(module: ir.Module, name: str) -> None:
    """The logarithm of a float from 0 to 1."""
    f = Drawing(module, name, F64, [])
    rest = f.b.fsub(F64(1.0), uniform_of(f, f.fixed(f.source, 0)))
    f.b.ret(f.b.fneg(f.b.call(f.external("log", F64, [F64]), [rest])))

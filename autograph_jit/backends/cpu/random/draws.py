"""Rules of draws: the address of a generator's stream, and one number of it."""

from __future__ import annotations

import functools
from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import call_python
from autograph_jit.backends.cpu.random import functions, twister
from autograph_jit.backends.cpu.random.symbols import register
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import OBJECT
from autograph_jit.backends.cpu.signatures import I64, PTR
from autograph_jit.backends.cpu.values import Emitted
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import F64
from autograph_jit.ops.random import DISTRIBUTIONS

BINOMIAL_WORDS = 40  # room for NumPy's binomial_t
SHORT: dict[str, Callable[[ir.Module, str], None]] = {
    "random": functions.build_random,
    "standard_normal": functools.partial(functions.build_ziggurat, "standard_normal"),
    "standard_exponential": functools.partial(functions.build_ziggurat, "standard_exponential"),
    "integers": functions.build_bounded,
    "randint": functions.build_masked,
    "binomial": functions.build_binomial,
    "python_random": twister.build_random,
    "python_below": twister.build_below,
    "python_bits": twister.build_bits,
    "python_normal": twister.build_normal,
    "python_exponential": twister.build_exponential,
    "legacy_standard_normal": functions.build_legacy_normal,
    "legacy_standard_exponential": functions.build_legacy_exponential,
}


@rule("bit_generator")
def emit_bit_generator(e: Emitter, operation: Operation) -> list[Emitted]:
    """A place in the generator; Python is asked where none is known."""
    offset = operation.attributes["offset"]
    if offset:
        return [e.b.add(object_address(e, e.get(operation.operands[0])), I64(offset))]
    find = functools.partial(operation.opdef.eager, **operation.attributes)
    found = call_python(e, operation, find, operation.name)
    e.host_calls.pop()
    return found


def object_address(e: Emitter, owner: ir.Value) -> ir.Value:
    """Where the Python object of an owner is."""
    number = e.b.ptrtoint(owner, I64)
    with e.b.if_else(e.b.trunc(number, ir.IntType(1))) as (argument, held):
        with argument:
            own, first = e.b.sub(number, I64(1)), e.b.block
        with held:
            kept, second = e.b.load(e.b.gep(owner, [I64(OBJECT)], source_etype=I64), typ=I64), e.b.block
    found = e.b.phi(I64)
    found.add_incoming(own, first)
    found.add_incoming(kept, second)
    return found


@rule("draw")
def emit_draw(e: Emitter, operation: Operation) -> list[Emitted]:
    """A call of the function for the distribution."""
    register()
    name = operation.attributes["distribution"]
    _, address, *parameters = (e.get(value) for value in operation.operands)
    source = e.b.inttoptr(address, PTR)
    if name == "binomial":
        parameters.append(binomial_place(e))
    if name in SHORT:
        return [e.b.call(functions.declared(e.module, f"draw_{name}", SHORT[name]), [source, *parameters])]
    found = DISTRIBUTIONS[name]
    result = ir.DoubleType() if found.result == F64 else I64
    return [e.intrinsic(found.symbol, result, source, *parameters)]


def binomial_place(e: Emitter) -> ir.Value:
    """Memory of the call that holds nothing when the call begins."""
    place = e.slots(BINOMIAL_WORDS)
    with e.b.goto_entry_block():
        e.b.store(ir.ArrayType(I64, BINOMIAL_WORDS)(None), place)
    return place

"""Functions that a program calls: each an LLVM function of its own in the program's module, with the caller's frame.

    {failed, budget, results...} = f(frame, budget, arguments...)      scalars and references in registers, as over the edges of blocks

A caller keeps the references that it gives; those of the results are its own. Where a function fails it lets go of what it made, leaves the
site in the frame and says so; each caller on the way out adds its own site (`FRAME_CALLS`), for the lines of the traceback. A function is
emitted once for each layout of its arguments and whether they overlap.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import combinations
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import emit_operation, leave_block, release_after, unflatten
from autograph_jit.backends.cpu.control.budget import spend
from autograph_jit.backends.cpu.emitter import MOST_CALLERS, Emitter, Site
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import FRAME_CALLS, FRAME_HEAD, FRAME_LEFT, FRAME_SITE, REFS, Routine
from autograph_jit.backends.cpu.signatures import I1, I32, I64, PTR, VOID
from autograph_jit.backends.cpu.values import Array, Emitted, flat_types, flatten
from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.function import CALLS, YIELD, Function, walk_with_functions
from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.types import ArrayType, ListType, ScalarType, inner_lists, may_be_one_type
from autograph_jit.records import dataclass
from autograph_jit.transforms.pipeline import run_pipeline
from autograph_jit.transforms.tallies import add_tallies_of_body

MOST_STACK_BYTES = 1 << 19  # of calls in one another: a thread has no less than that in most systems, if its program does not say so
Arrange = Callable[..., Emitter]


@dataclass(frozen=True, slots=True)
class Declared:
    """A function of the module: its layouts, whether its arrays are distinct, and its LLVM function."""

    callee: Function
    layouts: tuple[str, ...]
    distinct: bool
    llvm: ir.Function


def declare(e: Emitter, operation: Operation) -> Declared:
    """The form of a function for the arguments of a call, to be emitted when the caller is."""
    callee: Function = operation.attributes["callee"]
    memory = [value for value in operation.operands if isinstance(value.type, ArrayType | ListType)]
    layouts = tuple("C" if e.facts.is_contiguous(value) else "A" for value in operation.operands)
    distinct = not any(may_be_one(e, x, y) for x, y in combinations(memory, 2))
    key = (callee, layouts, distinct)
    if key not in e.functions:
        body = callee.graph.block
        results = [type_ for value in body.yields for type_ in flat_types(value.type, True)]
        params = [type_ for value, layout in zip(body.args, layouts) for type_ in flat_types(value.type, layout == "C")]
        depth = [I64] if callee.is_recursive else []
        type_ = ir.FunctionType(ir.LiteralStructType([I1, I64, *results]), [PTR, I64, *depth, *params])
        function = ir.Function(e.module, type_, e.module.get_unique_name(f"function.{callee.name}"))
        function.linkage = "internal"
        function.attributes.add("noinline")
        e.functions[key] = Declared(callee, layouts, distinct, function)
    return e.functions[key]


def may_be_one(e: Emitter, x: Value, y: Value) -> bool:
    """Whether two arguments may share memory; of lists as far as their types tell."""
    return may_be_one_type(x.type, y.type) and (isinstance(x.type, ListType) or e.facts.may_alias(x, y))


@rule(*CALLS)
def emit_function_call(e: Emitter, operation: Operation) -> list[Emitted]:
    declared = declare(e, operation)
    params = declared.callee.graph.block.args
    registers = [
        register
        for param, layout, value in zip(params, declared.layouts, operation.operands)
        for register in flatten(param.type, layout == "C", e.get(value))
    ]
    depth = [calls_left(e)] if declared.callee.is_recursive else []
    found = e.b.call(declared.llvm, [e.frame, e.budget, *depth, *registers])
    if operation.can_fail:
        leave_if_failed(e, e.b.extract_value(found, 0))
    e.budget = e.b.extract_value(found, 1)
    results, position = [], 2
    for value, yielded in zip(operation.results, declared.callee.graph.block.yields):
        count = len(flat_types(yielded.type, True))
        results.append(unflatten(e, value, [e.b.extract_value(found, position + index) for index in range(count)]))
        position += count
    return results


def leave_if_failed(e: Emitter, failed: ir.Value) -> None:
    """Where a function has failed: add this call to the way, and leave with its exception. What nobody catches leaves by one block."""
    assert e.operation is not None
    e.sites.append(Site(ValueError, (), e.operation.span))
    passed, is_alone = e.block("ok"), e.is_caught() or bool(e.pending)
    if is_alone or e.failed not in e.failed_calls:
        failing, before = e.block("failed_call"), e.b.block
        e.b.position_at_end(failing)
        e.fail_pending()
        site = e.b.phi(I64)
        e.b.call(module_routine(e, "note_call", build_note), [e.frame, site])
        leave_called(e)
        e.b.position_at_end(before)
        if not is_alone:
            e.failed_calls[e.failed] = (failing, site)
    else:
        failing, site = e.failed_calls[e.failed]
    site.add_incoming(I64(len(e.sites) - 1), e.b.block)
    e.b.cbranch(failed, failing, passed).set_weights([1, 1 << 20])
    e.b.position_at_end(passed)


def leave_called(e: Emitter) -> None:
    """Leave with the exception of a function that was called, whose site is in the frame."""
    if not e.is_caught():
        e.b.branch(e.failed)
        return
    site = e.b.load(e.b.gep(e.frame, [I64(FRAME_SITE)], source_etype=I64), typ=I64)
    e.unwind(site)


def emit_functions(e: Emitter, arrange: Arrange) -> None:
    """The functions that a program calls, and those that they call; `arrange(graph, function, layouts, distinct)` is an emitter for one."""
    emitted: set[Any] = set()
    while waiting := [key for key in e.functions if key not in emitted]:
        for key in waiting:
            emitted.add(key)
            declared = e.functions[key]
            graph = copy_graph(declared.callee.graph)
            if declared.callee in e.counted:
                add_tallies_of_body(graph, e.counted[declared.callee])
            run_pipeline(graph, distinct_parameters=declared.distinct)
            inner = arrange(graph, declared.llvm, declared.layouts, declared.distinct)
            emit_body(inner, graph, declared)
            e.allocations += inner.allocations


def emit_body(e: Emitter, graph: Graph, declared: Declared) -> None:
    """The code of one function."""
    e.frame, e.budget = e.function.args[:2]
    e.failed = e.block("failed")
    head = e.b.load(e.b.gep(e.frame, [I64(FRAME_HEAD)], source_etype=I64), typ=PTR) if has_own_memory(graph) else None
    registers, position = list(e.function.args), 2 + declared.callee.is_recursive
    e.scopes.append({})
    for param, layout in zip(graph.block.args, declared.layouts):
        count = len(flat_types(param.type, layout == "C"))
        e.values[param] = unflatten(e, param, registers[position : position + count])
        position += count
        if isinstance(e.values[param], Array):
            e.set_atoms(param, e.values[param])
    if declared.callee.is_recursive:
        enter_recursion(e, is_call=declared.callee.name != YIELD)
    for index, operation in enumerate(graph.block.operations):
        emit_operation(e, operation)
        if e.b.block.is_terminated:
            break
        release_after(e, graph.block, index)
    result_type = e.function.ftype.return_type
    if not e.b.block.is_terminated:
        if graph.block.terminated:
            e.b.unreachable()
        else:
            give(e, graph, declared.callee.graph.block.yields, result_type)
    e.b.position_at_end(e.failed)
    if head is not None:
        e.b.call(module_routine(e, "release_since", build_release), [e.frame, head])
    e.b.ret(e.b.insert_value(result_type(ir.Undefined), I1(1), 0))


def has_own_memory(graph: Graph) -> bool:
    """Whether a function makes memory that it can let go of piece by piece: where lists stand in lists, these may be somebody else's, and
    what is left of them when it fails is let go of when the program ends."""
    made = {value.type for operation in walk_with_functions(graph) for value in (*operation.operands, *operation.results)}
    return any(not isinstance(type_, ScalarType) for type_ in made) and not any(any(inner_lists(type_)) for type_ in made)


def allow_recursion(e: Emitter) -> None:
    """As many calls of recursive functions may be under way as Python's limit says."""
    limit = e.intrinsic("Py_GetRecursionLimit", I32)
    e.b.store(e.b.sext(limit, I64), e.b.gep(e.frame, [I64(FRAME_LEFT)], source_etype=I64))


def calls_left(e: Emitter) -> ir.Value:
    """How many calls of recursive functions may be made in one another from here."""
    if e.calls_left is not None:
        return e.calls_left
    return e.b.load(e.b.gep(e.frame, [I64(FRAME_LEFT)], source_etype=I64), typ=I64)


def enter_recursion(e: Emitter, is_call: bool) -> None:
    """One more call is under way, unless Python makes none there. The stack must not run out where Python's limit was raised."""
    left = e.function.args[2]
    here = e.intrinsic("llvm.frameaddress.p0", PTR, I32(0))
    used = e.b.sub(e.b.ptrtoint(e.frame, I64), e.b.ptrtoint(here, I64))
    e.guard(e.b.and_(e.compare(">", left, I64(0)), e.compare("<", used, I64(stack_bytes()))), too_deep)
    e.calls_left = e.b.sub(left, I64(int(is_call)))
    spend(e, I64(1))


def stack_bytes() -> int:
    """How much of the stack calls may take: half of what the program gives its threads where that is less."""
    return min(MOST_STACK_BYTES, (threading.stack_size() or 2 * MOST_STACK_BYTES) // 2)


def too_deep() -> Exception:
    """As Python says it."""
    return RecursionError("maximum recursion depth exceeded")


def give(e: Emitter, graph: Graph, targets: list[Value], result_type: ir.Type) -> None:
    """Return the results, each with a reference for the caller."""
    registers = leave_block(e, graph.block, targets)
    found: ir.Value = result_type(ir.Undefined)
    for index, register in enumerate([I1(0), e.budget, *registers]):
        found = e.b.insert_value(found, register, index)
    e.b.ret(found)


def module_routine(e: Emitter, name: str, build: Callable[[ir.Module, str], ir.Function]) -> ir.Function:
    """A function of the module that several functions use."""
    return e.module.globals.get(name) or build(e.module, name)


def internal(module: ir.Module, name: str, arguments: list[ir.Type]) -> Routine:
    """The beginning of such a function."""
    function = ir.Function(module, ir.FunctionType(VOID, arguments), name)
    function.linkage = "internal"
    function.attributes.add("cold")
    function.attributes.add("noinline")
    return Routine(module, name, function)


def build_note(module: ir.Module, name: str) -> ir.Function:
    """note_call(frame, site): one more caller on the way of an exception; only the innermost ones are kept."""
    r = internal(module, name, [PTR, I64])
    frame, site = r.args
    count = r.get(frame, FRAME_CALLS)
    r.leave_if(r.b.icmp_signed(">=", count, I64(MOST_CALLERS)))
    r.b.store(site, r.b.gep(frame, [r.b.add(count, I64(FRAME_CALLS + 1))], source_etype=I64))
    r.set(frame, FRAME_CALLS, r.b.add(count, I64(1)))
    r.b.ret_void()
    return r.function


def build_release(module: ir.Module, name: str) -> ir.Function:
    """release_since(frame, head): give up what was made since the list of live headers began with `head`."""
    r = internal(module, name, [PTR, PTR])
    frame, head = r.args
    loop, body, done = (r.function.append_basic_block(part) for part in ("loop", "body", "done"))
    r.b.branch(loop)
    r.b.position_at_end(loop)
    header = r.get(frame, FRAME_HEAD, PTR)
    r.b.cbranch(r.b.icmp_unsigned("==", header, head), done, body)
    r.b.position_at_end(body)
    r.set(header, REFS, I64(1))
    r.call("ag_release", frame, header)
    r.b.branch(loop)
    r.b.position_at_end(done)
    r.b.ret_void()
    return r.function

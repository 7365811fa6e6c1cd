"""Compiles a graph for the CPU: facts, fusion and lifetimes, one LLVM function, numba's code library, a callable.

The function has CPython's calling convention: it reads the arguments' fields itself and returns a tuple.
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu import effects, functions, nested_objects
from autograph_jit.backends.cpu.arithmetic import integers
from autograph_jit.backends.cpu.arrays import gathering, lists, masks, memory, repeats, routines, searching, sorting, texts, views
from autograph_jit.backends.cpu.arrays.texts import enters_constants_alone
from autograph_jit.backends.cpu.blocks import alias_scope, emit_operation, release_after
from autograph_jit.backends.cpu.boundary import (
    field,
    measured_list,
    pin_arguments,
    tagged,
    unpack_array,
    unpack_list,
    unpack_scalar,
)
from autograph_jit.backends.cpu.cold import leave_cold_code
from autograph_jit.backends.cpu.control import branches, loops
from autograph_jit.backends.cpu.control.afterwards import given_to_python
from autograph_jit.backends.cpu.division import divide
from autograph_jit.backends.cpu.emitter import MOST_CALLERS, Emitter, Site
from autograph_jit.backends.cpu.endings import emit_results, leave_failed
from autograph_jit.backends.cpu.folding import FoldingBuilder
from autograph_jit.backends.cpu.folds import extrema, reductions, scans
from autograph_jit.backends.cpu.heap import keep_freed_memory
from autograph_jit.backends.cpu.library import ENTRY, Library
from autograph_jit.backends.cpu.lockstep.columns import turn_lines
from autograph_jit.backends.cpu.products import matmul, systems
from autograph_jit.backends.cpu.products.epilogues import runners_of
from autograph_jit.backends.cpu.published import needs_of
from autograph_jit.backends.cpu.python_lists import NUMBERS
from autograph_jit.backends.cpu.random import draws
from autograph_jit.backends.cpu.runtime_library import runtime
from autograph_jit.backends.cpu.runtime_module import BUDGET, FRAME_CALLS, FRAME_HEAD, FRAME_PAYLOAD, FRAME_PINS, FRAME_SLOTS, FRAME_THREAD
from autograph_jit.backends.cpu.signatures import I64, PTR
from autograph_jit.backends.cpu.symbols import TUPLE_ITEMS
from autograph_jit.backends.cpu.tables import rules as table_rules
from autograph_jit.backends.cpu.threading.sharing_form import Sharing, SharingForm, switch_forms, work_of_arguments
from autograph_jit.backends.cpu.threading.threads import threads
from autograph_jit.backends.cpu.written_lists import find_written
from autograph_jit.budget import Work, spend, stage
from autograph_jit.garbage import young_objects
from autograph_jit.interrupts import keeping_interrupts
from autograph_jit.ir.function import CALLS, functions_of
from autograph_jit.ir.graph import Graph, Value
from autograph_jit.ir.spans import busiest_span, count_operations
from autograph_jit.ir.types import ArrayType, ListType, ScalarType
from autograph_jit.kernels.borrowed import mark_borrowed
from autograph_jit.kernels.columns import join_columns
from autograph_jit.kernels.companions import join_companions
from autograph_jit.kernels.diamonds import fuse_diamonds
from autograph_jit.kernels.elsewhere import find_waiting
from autograph_jit.kernels.epilogues import find_epilogues
from autograph_jit.kernels.escape import find_local
from autograph_jit.kernels.facts import find_facts
from autograph_jit.kernels.fusion import FUSING_POSITION, find_fusions
from autograph_jit.kernels.held import find_held
from autograph_jit.kernels.lifetimes import find_lifetimes
from autograph_jit.kernels.literal_indices import mark_literal_indices
from autograph_jit.kernels.loop_passes import rewrite_loops
from autograph_jit.kernels.masked import find_masked
from autograph_jit.kernels.pairs import find_pairs
from autograph_jit.kernels.print_kernel import print_kernel
from autograph_jit.kernels.product_sums import find_product_sums
from autograph_jit.kernels.pushes import find_pushes
from autograph_jit.kernels.ranges import find_ranges
from autograph_jit.kernels.reuse import find_passing, find_reuses
from autograph_jit.kernels.side_by_side import find_neighbours
from autograph_jit.kernels.slice_sizes import has_labels, settle_slice_sizes
from autograph_jit.kernels.sliding import slide_windows
from autograph_jit.kernels.split import split_arrays
from autograph_jit.kernels.trip_sums import find_trip_sums
from autograph_jit.kernels.turned_factors import copy_turned_factors
from autograph_jit.kernels.updates import find_updates, makers_of
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan, called_from
from autograph_jit.transforms.canonicalize import canonicalize
from autograph_jit.transforms.fold import fold
from autograph_jit.transforms.measured import find_measured

# Modules whose emission rules register themselves.
RULE_MODULES = (
    *(branches, draws, effects, extrema, functions, gathering, integers, lists, matmul, nested_objects, systems, table_rules),
    *(loops, masks, memory, reductions, repeats, routines, scans, searching, sorting, texts, views),
)
ENVIRONMENT = "environment"
FUSING = {**FUSING_POSITION, "arg_reduce": 0}  # as FUSING_POSITION, of this backend
ANALYSED = Work("operations arranged in loop nests", 25.0)
CALLERS_OFFSET, MOST_SPANS = 8 * (FRAME_CALLS - FRAME_PAYLOAD), 256  # places of exceptions that are kept
WORTH_RELEASING = 1 << 14  # elements: less work is done before another thread could have begun


@dataclass(frozen=True, slots=True)
class Parts:
    """What an executable is beside its code: the name, the nests as text, what calls Python, how many places make an array, which results
    are Python's numbers, which parameters are lists that it finds unfit itself, the numbers of what is counted, where it fails and how,
    and the objects that code refers to."""

    name: str
    kernels: str
    host_calls: tuple[str, ...]
    allocations: int
    plain: frozenset[int]
    strict: frozenset[int]
    tallies: tuple[int, ...]
    sites: tuple[Site, ...]
    constants: tuple[Any, ...]


def executable_parts(graph: Graph, e: Emitter) -> Parts:
    """Those of a graph whose code was emitted."""
    kernels, tallies = "\n".join(map(print_kernel, e.nests)), tuple(sorted(e.tallies))
    host_calls, strict = tuple(e.host_calls), frozenset(e.strict)
    return Parts(graph.name, kernels, host_calls, e.allocations, e.plain, strict, tallies, tuple(e.sites), tuple(e.constants))


class CpuExecutable:
    """A compiled graph. `entry` is the native callable.

    Called with one leaf for each parameter: an ndarray of the parameter's dtype and rank, a number, an object or a list.
    Returns a tuple: ndarrays, NumPy scalars, objects, lists. An exception carries `__autograph_span__`, the user's place.
    """

    def __init__(self, parts: Parts, library: Library) -> None:
        self.parts, self.library = parts, library
        self.kernels, self.host_calls, self.allocations, self.plain = parts.kernels, parts.host_calls, parts.allocations, parts.plain
        self.sharing_form: SharingForm | None = next((each for each in parts.constants if isinstance(each, SharingForm)), None)
        self.tallies = {number: ctypes.c_int64.from_address(library.variable(effects.tally_name(number))) for number in parts.tallies}
        self.compile_seconds: dict[str, float] = {}
        self.environment = (raiser(parts.sites), *parts.constants)
        library.point(ENVIRONMENT, self.environment)
        self.entry: Callable[..., tuple[Any, ...]] = library.callable(ENTRY, parts.name, self.environment, runtime())

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        return self.entry(*leaves)

    def counted(self, number: int) -> int:
        """What a tally has come to, in the form for large arguments too."""
        own = self.tallies[number].value if number in self.tallies else 0
        form = self.sharing_form.executable if self.sharing_form is not None else None
        return own + (form.counted(number) if form is not None else 0)

    @property
    def llvm(self) -> str:
        return self.library.llvm

    @property
    def assembly(self) -> str:
        return self.library.assembly


def raiser(sites: tuple[Site, ...]) -> Callable[[int, int], None]:
    """What compiled code calls to raise the exception of a failing site, its numbers read from the call's frame. It returns where Ctrl-C
    comes meanwhile: a handler that waits for the exception shall not take the interrupt for it."""

    def made(index: int, address: int) -> Exception:
        site = sites[index]
        payload = [
            np.frombuffer(ctypes.string_at(address + 8 * position, dtype.itemsize), dtype)[0] for position, dtype in enumerate(site.payload)
        ]
        error = site.build(*payload)
        span = span_of(index, *callers(address))
        if span is not None:
            error.__autograph_span__ = span  # type: ignore[attr-defined]
        return error

    def callers(address: int) -> list[int]:
        """The sites of the calls that an exception has left, the innermost first; the next exception begins anew."""
        noted = (ctypes.c_int64 * (1 + MOST_CALLERS)).from_address(address + CALLERS_OFFSET)
        found = noted[1 : 1 + noted[0]]
        noted[0] = 0
        return found

    @functools.lru_cache(MOST_SPANS)
    def span_of(*numbers: int) -> SourceSpan | None:
        """The place of a site, with those of the calls that led there."""
        return functools.reduce(called_from, (sites[number].span for number in numbers))

    def raise_site(index: int, address: int) -> None:
        try:
            error = made(index, address)
        except KeyboardInterrupt:
            return
        raise error

    return raise_site


@keeping_interrupts()
def compile_graph(
    graph: Graph,
    distinct_parameters: bool = False,
    layouts: tuple[str, ...] | None = None,
    sharing: Sharing = Sharing.NEVER,
    parallel: bool = True,
    plain: frozenset[int] = frozenset(),
) -> CpuExecutable:
    """Compile a graph whose array parameters have the given layouts ("C" contiguous and aligned, "A" any) and may alias unless distinct;
    results in `plain` become Python's numbers, others NumPy's."""
    started = time.perf_counter()
    keep_freed_memory()
    runtime()
    if parallel and sharing is Sharing.NOW:
        threads.prepare()
    stages = {"runtime": time.perf_counter() - started}
    started = time.perf_counter()
    layouts = layouts or ("A",) * len(graph.block.args)
    with stage("emitting code", functools.partial(busiest_span, graph)), young_objects():
        spend(ANALYSED, count_operations(graph))
        emitter = build_module(graph, layouts, distinct_parameters, sharing, parallel, plain)
        text = str(emitter.module)
    stages["emit"] = time.perf_counter() - started
    started = time.perf_counter()
    with stage("compiling to machine code", functools.partial(busiest_span, graph)):
        library = Library(text, is_counted=True)
    library.needs = needs_of(emitter.module)
    executable = CpuExecutable(executable_parts(graph, emitter), library)
    stages["disk" if executable.library.from_disk else "llvm"] = time.perf_counter() - started
    executable.compile_seconds = stages
    return executable


def build_module(
    graph: Graph, layouts: tuple[str, ...], distinct_parameters: bool, sharing: Sharing, parallel: bool, plain: frozenset[int] = frozenset()
) -> Emitter:
    """The LLVM module of a graph, not yet optimised."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    environment = ir.GlobalVariable(module, PTR, ENVIRONMENT)
    environment.initializer = PTR(None)
    emitter = arrange(graph, function, environment, layouts, distinct_parameters, sharing is Sharing.NOW)
    emitter.shares, emitter.parallel, emitter.plain = sharing is Sharing.NOW, parallel, plain
    if sharing is Sharing.WHEN_LARGE:
        compile_sharing = functools.partial(compile_graph, graph, distinct_parameters, layouts, Sharing.NOW, parallel, plain)
        emitter.sharing_form = SharingForm(compile_sharing)
    emitter.written_lists = find_written(graph)
    emitter.written_types = sorted({type_ for found in emitter.written_lists.values() for type_ in found}, key=str)
    emitter.has_array_parameters = any(isinstance(param.type, ArrayType) for param in graph.block.args)
    make_frame(emitter)
    name_scopes(emitter, graph)
    turn_lines(emitter, graph)
    emit_function(emitter, graph)
    functions.emit_functions(emitter, functools.partial(arrange_function, emitter))
    if emitter.functions:
        leave_cold_code(function)
    divide(module)
    return emitter


def arrange_function(program: Emitter, graph: Graph, function: ir.Function, layouts: tuple[str, ...], distinct: bool) -> Emitter:
    """An emitter for a function that a program calls: what is counted, kept and raised is the program's."""
    emitter = arrange(graph, function, program.environment, layouts, distinct, shares=False)
    for name in ("sites", "constants", "nests", "host_calls", "tallies", "counted", "functions", "written_lists", "written_types"):
        setattr(emitter, name, getattr(program, name))
    name_scopes(emitter, graph)
    turn_lines(emitter, graph)
    return emitter


def arrange(
    graph: Graph, function: ir.Function, environment: ir.GlobalVariable, layouts: tuple[str, ...], distinct_parameters: bool, shares: bool
) -> Emitter:
    """Rewrite a graph for one LLVM function; which operations run in which nests, and how long memory lives."""
    if has_labels(graph) and settle_slice_sizes(graph, find_ranges(graph)):
        for step in (fold, canonicalize, fold):
            step(graph, distinct_parameters)
    ranges = rewrite_loops(graph, layouts, distinct_parameters)
    settle_slice_sizes(graph, ranges)
    if split_arrays(graph):
        ranges = find_ranges(graph)
    mark_literal_indices(graph)
    mark_borrowed(graph)
    facts = find_facts(graph, layouts, distinct_parameters)
    if any([join_columns(graph, facts, ranges), slide_windows(graph, facts), copy_turned_factors(graph, facts)]):
        ranges, facts = find_ranges(graph), find_facts(graph, layouts, distinct_parameters)
    pairs = find_pairs(graph, facts)
    consumers = find_fusions(graph, facts, FUSING, repeats=False, in_passing=pairs, elsewhere=True)
    fuse_diamonds(graph, facts, consumers, FUSING, pairs, elsewhere=True)
    masked = find_masked(graph, facts, consumers)
    sums = find_product_sums(graph, facts, set(consumers))
    taken = {*sums, *(part for each in masked.values() for part in each.operations)}
    updates = find_updates(graph, facts, consumers, with_nests=not shares, taken=taken)
    join_companions(graph, facts, consumers, FUSING, updates, taken)
    held = find_held(graph, facts, consumers, updates, with_assignments=not shares)
    neighbours = find_neighbours(graph, facts, consumers, {*updates, *held, *sums, *consumers})
    consumers.update((operation, assign) for assign, chain in sums.items() for operation in chain)
    builder = FoldingBuilder(function.append_basic_block("entry"))
    makers = makers_of(updates)
    epilogues = find_epilogues(graph, facts, consumers, {*makers, *makers.values()}) if shares else {}
    lifetimes, local = find_lifetimes(graph, consumers, {**makers, **epilogues}), find_local(graph)
    emitter = Emitter(function.module, function, builder, facts, consumers, updates, lifetimes, ranges, local, environment)
    emitter.reuses = find_reuses(graph, facts, consumers, lifetimes, local, epilogues)
    emitter.epilogues, emitter.runners = epilogues, runners_of(epilogues)
    emitter.passing = find_passing(lifetimes, emitter.reuses)
    emitter.neighbours, emitter.masked = neighbours, masked
    emitter.waiting, emitter.pushes = find_waiting(graph, consumers), find_pushes(graph)
    emitter.found_with = {search: extremum for extremum, search in pairs.items()}
    emitter.product_sums, emitter.held, emitter.trip_sums = sums, held, find_trip_sums(graph)
    emitter.absent = {each.array for temporaries in held.values() for each in temporaries}
    emitter.counts_host_calls = any(operation.name == "host_calls" for operation in graph.walk())
    emitter.given, emitter.reads_constants = given_to_python(emitter, graph.block), enters_constants_alone(graph)
    return emitter


def make_frame(emitter: Emitter) -> None:
    """Reserve the call's frame: the list of live headers, the failing site, its numbers."""
    emitter.frame = emitter.slots(FRAME_SLOTS)
    for slot in (FRAME_HEAD, FRAME_THREAD, *range(FRAME_PINS, FRAME_PAYLOAD)):
        emitter.b.store(PTR(None), emitter.b.gep(emitter.frame, [I64(slot)], source_etype=I64))
    emitter.b.store(I64(0), emitter.b.gep(emitter.frame, [I64(FRAME_CALLS)], source_etype=I64))
    emitter.budget = I64(BUDGET)
    emitter.failed = emitter.block("failed")


def name_scopes(e: Emitter, graph: Graph) -> None:
    """Metadata that tells LLVM which memory is disjoint: fresh arrays, parameters, each parameter where they are distinct."""
    domain = e.module.add_metadata([e.function.name])
    arrays = [f"param{index}" for index, param in enumerate(graph.block.args) if isinstance(param.type, ArrayType)]
    names = ["fresh", *(arrays if e.facts.distinct_parameters else ["param"])]
    scopes = {name: e.module.add_metadata([f"{e.function.name}.{name}", domain]) for name in names}
    for name in names:
        others = [scopes[other] for other in names if other != name]
        if others:
            e.alias_scopes[name] = (e.module.add_metadata([scopes[name]]), e.module.add_metadata(others))


def emit_function(e: Emitter, graph: Graph) -> None:
    """Arguments, operations, results, and the way out of a failure."""
    e.scopes.append({})
    measured = find_measured(graph)
    for index, param in enumerate(graph.block.args):
        unpack_parameter(e, param, index, param in measured, field(e, e.function.args[1], TUPLE_ITEMS + 8 * index, PTR))
    work = work_of_arguments(e, graph)
    if e.sharing_form is not None:
        switch_forms(e, work, e.sharing_form)
    if any(callee.is_recursive for callee in functions_of(graph)):
        functions.allow_recursion(e)
    release_gil(e, graph, work)
    ending = 1 + max((index for index, operation in enumerate(graph.block.operations) if operation.regions), default=-1)
    for index, operation in enumerate(graph.block.operations):
        emit_operation(e, operation)
        if e.b.block.is_terminated:
            break
        release_after(e, graph.block, index, index + 1 >= ending)
    if graph.block.terminated and not e.b.block.is_terminated:
        e.b.unreachable()
    if not e.b.block.is_terminated:
        if graph.block.terminated:
            e.b.unreachable()
        else:
            emit_results(e, graph)
    leave_failed(e)


def release_gil(e: Emitter, graph: Graph, work: ir.Value) -> None:
    """Let other threads run where there is work enough: loops, or arrays that are not small."""
    if any(operation.name in ("while_loop", "for_loop", *CALLS) for operation in graph.walk()):
        work = I64(WORTH_RELEASING)
    with e.b.if_then(e.compare(">=", work, I64(WORTH_RELEASING))):
        pin_arguments(e)
        e.call("ag_drop_gil", e.frame)


def unpack_parameter(e: Emitter, param: Value, index: int, is_measured: bool, object_: ir.Value) -> None:
    if isinstance(param.type, ScalarType):
        e.values[param] = unpack_scalar(e, object_, param.type.dtype)
    elif isinstance(param.type, ArrayType):
        array = unpack_array(e, object_, tagged(e, object_), param, alias_scope(e, param))
        e.values[param] = array
        e.set_atoms(param, array)
    elif isinstance(param.type, ListType) and is_measured:
        e.values[param] = measured_list(e, object_, param.type.elem)
    elif isinstance(param.type, ListType):
        is_strict = param.type.elem in NUMBERS
        e.strict += [index] * is_strict
        e.values[param] = unpack_list(e, object_, param, is_strict=is_strict)
    else:
        e.values[param] = tagged(e, object_)

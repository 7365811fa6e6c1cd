"""From a traced program to something that runs: the passes, then a backend, or the interpreter of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from autograph_jit.backends.cpu import driver as cpu
from autograph_jit.backends.cpu.threading.sharing_form import Sharing, has_nests, is_large
from autograph_jit.backends.cpu.threading.threads import IS_SUPPORTED, threads
from autograph_jit.backends.cuda import driver as cuda
from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.budget import foresee, stage
from autograph_jit.errors import DeviceError, layout
from autograph_jit.garbage import young_objects
from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.inlining import inline_all
from autograph_jit.ir.spans import busiest_span, count_operations
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.ops.evaluate import evaluate, make_python_numbers
from autograph_jit.progress import progress_line
from autograph_jit.runtime.deoptimization import leave_early_exits
from autograph_jit.runtime.settings import Settings, listeners, settings
from autograph_jit.transforms.inlining import inline_cheap
from autograph_jit.transforms.pipeline import run_pipeline
from autograph_jit.transforms.tallies import add_tallies

LEAST_MICROSECONDS = 400.0  # of work on an operation that was traced: measured are 500 to 5,000


class Interpreted:
    """A graph run operation by operation with the eager rules: `AUTOGRAPH_JIT_BACKEND=interpreter`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        try:
            results = evaluate(self.graph, leaves)
        finally:
            make_python_numbers(leaf for leaf, param in zip(leaves, self.graph.block.args) if isinstance(param.type, ListType))
        make_python_numbers(result for result, value in zip(results, self.graph.block.yields) if isinstance(value.type, ListType))
        return results


def follow_settings(changed: Settings) -> None:
    """Keep compiled code on disk or not; share large nests among so many threads; show what long compilations do."""
    disk_cache.enabled = changed.cache
    threads.set_limit(changed.threads)
    progress_line.is_enabled = changed.progress


listeners.append(follow_settings)
follow_settings(settings)


class HasGraph(Protocol):
    """What is compiled."""

    graph: Graph


@young_objects()
def compile_program(
    program: HasGraph,
    key: tuple[Any, ...],
    leaves: Sequence[Any] = (),
    parallel: bool = True,
    plain: frozenset[int] = frozenset(),
    counts: bool = False,
    leaves_early: bool = False,
) -> Any:
    """An executable for arguments of these layouts, disjoint or not, on this device; `leaves` are those of the first call, `plain` the
    results that may be Python numbers. On the CPU it counts, where that is asked for, how often it calls Python, and leaves a call to
    Python that fails before it has done anything."""
    if settings.backend == "interpreter":
        return Interpreted(program.graph)
    layouts, distinct, device = key
    on_device = [value.hint for value, kind in zip(program.graph.block.args, layouts) if isinstance(value.type, ArrayType) and not kind]
    if on_device and device != "cuda":
        raise device_array_error(on_device, device)
    distinct = distinct and not on_device
    graph = copy_graph(program.graph)
    inline_cheap(graph) if device == "cpu" else inline_all(graph.block)
    if counts and device == "cpu":
        add_tallies(graph)
    if leaves_early and device == "cpu":
        leave_early_exits(graph)
    with stage("planning what was traced", partial(busiest_span, graph)):
        foresee(count_operations(graph) * LEAST_MICROSECONDS)
    run_pipeline(graph, distinct_parameters=distinct)
    if device != "cpu":
        return cuda.compile_graph(graph, distinct_parameters=distinct, layouts=layouts)
    sharing = Sharing.NEVER
    if has_nests(graph.block):
        sharing = Sharing.NOW if is_large(graph, leaves) else Sharing.WHEN_LARGE
    parallel = parallel and IS_SUPPORTED
    return cpu.compile_graph(graph, distinct_parameters=distinct, layouts=layouts, sharing=sharing, parallel=parallel, plain=plain)


def device_array_error(names: list[str], device: str) -> DeviceError:
    """Arrays on a CUDA device were given to a function that runs elsewhere."""
    what = f"{', '.join(names)}: an array on a CUDA device was given to a function compiled for {device!r}"
    return DeviceError(layout(what, None, "Its memory cannot be read from here.", 'Compile with device="cuda", or pass x.copy_to_host().'))

"""Each optimisation of the compiler against the same program compiled without it."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

import autograph_jit as ag
from autograph_jit.autodiff.sweeps import forward
from autograph_jit.backends.cpu import blocks, driver, heap
from autograph_jit.backends.cpu.arrays import indexing, memory
from autograph_jit.backends.cpu.control import long_loops, versions
from autograph_jit.backends.cpu.control import loops as loops_of_backend
from autograph_jit.backends.cpu.lockstep import access, jammed, regions
from autograph_jit.backends.cpu.lockstep import loops as loops_in_lockstep
from autograph_jit.backends.cpu.products import linalg
from autograph_jit.ir.opdef import Effect
from autograph_jit.transforms import pipeline
from autograph_jit.transforms.cse import cse
from autograph_jit.transforms.fold import fold
from autograph_jit.transforms.hoist import hoist
from autograph_jit.transforms.share import share
from benchmarks import algebra, arrays, gradients, learning, loops, sequences, signals, stencils
from benchmarks.case import Benchmark
from benchmarks.contender import WALL, Contender, FirstCall, Local, Runner
from benchmarks.gradients_case import gradient_anew

Switch = Callable[[], AbstractContextManager[Any]]

DEFAULT_THRESHOLD = 128 << 10  # of the GNU C library, for mapping memory and for giving it back


def without_pass(unwanted: pipeline.Pass) -> Switch:
    """The pipeline without one pass."""
    return lambda: patch.object(pipeline, "PASSES", tuple(step for step in pipeline.PASSES if step is not unwanted))


def without_fusion() -> AbstractContextManager[Any]:
    """Every elementwise operation in a nest of its own."""
    return patch.object(driver, "find_fusions", lambda *_, **__: {})


def without_in_place_updates() -> AbstractContextManager[Any]:
    """What is assigned to a part of an array is computed into a temporary first."""
    return patch.dict(driver.FUSING, {"assign": -1})


def without_merged_updates() -> AbstractContextManager[Any]:
    """Consecutive updates of parts of one array as nests of their own."""
    return patch.object(driver, "find_updates", lambda *_, **__: {})


def without_columns() -> AbstractContextManager[Any]:
    """Loops over columns one column after the other."""
    return patch.object(driver, "join_columns", lambda *_, **__: False)


def without_tiles() -> AbstractContextManager[Any]:
    """Matrix products by BLAS, small ones as loop nests."""
    return patch.object(linalg, "has_product", lambda *_: False)


def without_held_rows() -> AbstractContextManager[Any]:
    """What is assigned from shifted parts of the same matrix goes by way of a copy of all of it."""
    return patch.object(memory, "rows_behind", lambda *_: None)


def without_reading_ahead() -> AbstractContextManager[Any]:
    """No version of a loop for when it reads ahead of what it writes."""
    return patch.object(versions, "reads_ahead", lambda *_: None)


def without_operands_memory() -> AbstractContextManager[Any]:
    """Elementwise results in memory of their own."""
    return patch.object(driver, "find_reuses", lambda *_, **__: {})


def without_memory_of_trips() -> AbstractContextManager[Any]:
    """Every trip of a loop allocates and frees its temporaries."""
    return patch.object(driver, "find_passing", lambda *_, **__: set())


def without_lockstep() -> AbstractContextManager[Any]:
    """Independent trips one after the other."""
    return patch.object(loops_of_backend, "find_lockstep", lambda *_: None)


def without_jam() -> AbstractContextManager[Any]:
    """Loops in the order in which they are written."""
    return patch.object(loops_of_backend, "find_jam", lambda *_: None)


def without_stack_arrays() -> AbstractContextManager[Any]:
    """Small arrays in allocated memory."""
    return patch.object(driver, "find_local", lambda *_, **__: set())


@contextmanager
def without_kept_memory() -> Iterator[None]:
    """The C library's own thresholds: large blocks go back to the system when they are freed."""
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(heap.M_TOP_PAD, 0)
    mallopt(heap.M_MMAP_THRESHOLD, DEFAULT_THRESHOLD)
    mallopt(heap.M_TRIM_THRESHOLD, DEFAULT_THRESHOLD)
    try:
        yield
    finally:
        heap.keep_freed_memory.cache_clear()
        heap.keep_freed_memory()


@contextmanager
def without_threads() -> Iterator[None]:
    """One thread; makes no difference under --threads 1, as every suite runs where nothing else is said."""
    ag.config(threads=1)
    try:
        yield
    finally:
        ag.config(threads=None)


@contextmanager
def without_index_checks() -> Iterator[None]:
    """Indices are trusted: what is outside of an array is read and written. Loops have no second version, which exists for the checks."""
    with (
        patch.object(indexing, "check", lambda *_: None),
        patch.object(loops_of_backend, "unproved_accesses", lambda *_: None),
        patch.object(access, "index_of_lanes", lambda lanes, operation, array, axis, index, dim: lanes.e.get(index)),
    ):
        yield


@contextmanager
def without_looks_at_signals() -> Iterator[None]:
    """Ctrl-C waits for the end of the call."""
    with (
        patch.object(loops_of_backend, "spend", lambda *_: None),
        patch.object(loops_in_lockstep, "spend", lambda *_: None),
        patch.object(regions, "spend", lambda *_: None),
        patch.object(jammed, "spend", lambda *_: None),
        patch.object(blocks, "take", lambda *_: None),
        patch.object(long_loops, "may_be_long", lambda *_: False),
    ):
        yield


def without_recomputing() -> AbstractContextManager[Any]:
    """The reverse sweep reads all numbers that it wants from memory, constants apart."""
    found = forward.is_recomputable

    def is_kept_out(phantoms: Any, value: Any, region: Any) -> bool:
        owner = value.owner
        return found(phantoms, value, region) and (owner.name == "constant" or owner.opdef.effect is Effect.VIEW)

    return patch.object(forward, "is_recomputable", is_kept_out)


SWITCHES: dict[str, Switch] = {
    "constant folding": without_pass(fold),
    "common subexpressions": without_pass(cse),
    "hoisting": without_pass(hoist),
    "shared branches": without_pass(share),
    "fusion": without_fusion,
    "in-place updates": without_in_place_updates,
    "merged updates": without_merged_updates,
    "columns at once": without_columns,
    "tiles of products": without_tiles,
    "rows held back": without_held_rows,
    "reads ahead": without_reading_ahead,
    "memory of operands": without_operands_memory,
    "memory of the trip before": without_memory_of_trips,
    "trips side by side": without_lockstep,
    "loops inside out": without_jam,
    "arrays on the stack": without_stack_arrays,
    "reused buffers": without_kept_memory,
    "parallel kernels": without_threads,
    "recompute or store": without_recomputing,
    "index checks": without_index_checks,
    "looks at signals": without_looks_at_signals,
}


@dataclass(frozen=True, slots=True)
class Switched:
    """A runner whose calls are made with an optimisation switched off."""

    inner: Local
    switch: Switch

    def first(self) -> FirstCall:
        with self.switch():
            self.inner.function(*copy.deepcopy(self.inner.arguments))  # the second call goes on to specialise
            return self.inner.first()

    def sample(self, batch: int, warm: int, clock: str = WALL) -> float:
        with self.switch():
            return self.inner.sample(batch, warm, clock)


@dataclass(frozen=True, slots=True)
class Without:
    """Compiled without the optimisation that the benchmark's kind names."""

    name: str = "without"

    def start(self, case: Benchmark, arguments: tuple, mutating: bool) -> Runner | None:
        return Switched(Local(compiled(case), arguments, mutating), SWITCHES[case.kind])


OURS = Contender("ours", lambda case: compiled(case))


def powers(x):
    total = np.zeros_like(x)
    for k in range(4):
        total += x ** (2.0 * k) / (1.0 + k)
    return total


def product_twice(a, b):
    return np.sum(a @ b) + np.max(a @ b)


def same_weights(x, rate, steps):
    for _ in range(steps):
        x = 0.5 * x * np.exp(rate)
    return x


def lengths_of_steps(x):
    total = 0.0
    for i in range(len(x) - 20):
        step = x[i + 10 : i + 20] - x[i : i + 10]
        total += np.sqrt(step @ step)
    return total


def gradient_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient, under a name that says so."""
    found = gradient_anew(function)

    def gradient(x: Any) -> Any:
        return found(x)

    gradient.__name__ = f"gradient of {function.__name__}"
    return gradient


def compiled(case: Benchmark) -> Callable[..., Any]:
    """The program compiled anew; a gradient where the benchmark is one."""
    return ag.compile(case.plain, fallback="error") if case.plain is case.by_hand else gradient_anew(case.by_hand)


def case(optimisation: str, name: str, module: Any) -> Benchmark:
    """A benchmark of another suite as the program for an optimisation."""
    found = next(case for case in module.BENCHMARKS if case.name == name)
    return Benchmark(optimisation, found.plain, found.plain, found.arguments, found.size, found.quick, found.rtol, optimisation)


def own(optimisation: str, function: Callable[..., Any], arguments: Callable[[int], tuple], size: int, quick: int) -> Benchmark:
    return Benchmark(optimisation, function, function, arguments, size, quick, variant=optimisation)


def gradient(optimisation: str, name: str) -> Benchmark:
    """The gradient of a program of the suite of gradients."""
    found = next(program for program in gradients.PROGRAMS if program.name == name)
    plain = gradient_of(found.function)
    arguments = lambda n: (found.argument(n),)  # noqa: E731
    return Benchmark(optimisation, plain, found.function, arguments, found.size, found.quick, variant=optimisation)


INDEX_LOOPS = {
    loops: ("running_mean", "matmul_by_index", "histogram", "edit_distance", "knapsack", "mandelbrot", "collatz_longest"),
    sequences: ("common_subsequence", "matrix_chain", "insertion_sort", "heap_sort", "prefix_sums", "binary_searches"),
    stencils: ("smooth_index", "gauss_seidel_index"),
    algebra: ("cholesky_index", "tridiagonal", "jacobi_rotations"),
    signals: ("jacobi_index", "life_index", "bilateral"),
    learning: ("correlations", "dense_by_loops", "convolve_2d"),
}


def costs(what: str) -> tuple[Benchmark, ...]:
    """What programs that work by index pay for something that may not be left out."""
    return tuple(case(what, name, module) for module, names in INDEX_LOOPS.items() for name in names)


BENCHMARKS = (
    own("constant folding", powers, lambda n: (loops.uniform(n),), 10_000, 50),
    own("common subexpressions", product_twice, loops.square_matrices, 100, 8),
    own("hoisting", same_weights, lambda n: (*sequences.points(n), 10), 10_000, 8),
    case("shared branches", "common_subsequence", sequences),
    case("fusion", "chain_float64", arrays),
    case("fusion", "softmax", arrays),
    case("in-place updates", "heat", stencils),
    case("in-place updates", "diffuse_slices", stencils),
    gradient("merged updates", "diffuse"),
    case("merged updates", "wave", signals),
    case("columns at once", "householder", algebra),
    case("tiles of products", "covariance", learning),
    case("rows held back", "stencil_3d", signals),
    case("reads ahead", "knapsack", loops),
    case("memory of operands", "dense_layers", arrays),
    own("memory of the trip before", lengths_of_steps, lambda n: sequences.points(n)[:1], 200, 8),
    case("trips side by side", "newton_roots", sequences),
    case("trips side by side", "fourier", signals),
    case("trips side by side", "mandelbrot", loops),
    case("trips side by side", "collatz_longest", loops),
    case("loops inside out", "matmul_by_index", loops),
    case("arrays on the stack", "nbody", loops),
    gradient("reused buffers", "elementwise_chain"),
    own("parallel kernels", arrays.chain_exp, arrays.pair, 2_000_000, 100),
    case("parallel kernels", "mandelbrot", loops),
    gradient("recompute or store", "recurrence"),
    gradient("recompute or store", "smooth_by_index"),
    gradient("recompute or store", "scalar_while"),
    *costs("index checks"),
    *costs("looks at signals"),
)

"""Nests behind products of matrices (`kernels.epilogues`): block of rows by block of rows, the products and then the nest.

large:   for each few rows, shared by threads:  p = x[rows] @ w;  y[rows] = f(p, b)      p stays in a cache
others:  y = x @ w;  y = f(y, b)                                                        further products have an array
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Walk
from autograph_jit.backends.cpu.nests.independent import other_trips
from autograph_jit.backends.cpu.nests.operands import arrays_of
from autograph_jit.backends.cpu.products.large import call_product
from autograph_jit.backends.cpu.products.linalg import emit_product, suits_blas
from autograph_jit.backends.cpu.products.shared import Tail, is_far, may_share, share_products, suits_blocks
from autograph_jit.backends.cpu.signatures import PTR
from autograph_jit.backends.cpu.threading.sharing import Outline, scalars_of, share_nest
from autograph_jit.backends.cpu.values import Array, array_type
from autograph_jit.ir.graph import Operation
from autograph_jit.kernels.fusion import NestBuilder

Nest = Callable[[tuple[ir.Value, ...], list[Walk]], None]


def runners_of(epilogues: dict[Operation, Operation]) -> dict[Operation, Callable[..., None]]:
    """How the nests behind products are run, by their operations; `epilogues` has these by product."""
    products: dict[Operation, list[Operation]] = {}
    for product, consumer in epilogues.items():
        products.setdefault(consumer, []).append(product)
    return {consumer: functools.partial(run_behind, waiting) for consumer, waiting in products.items()}


def without_memory(e: Emitter, product: Operation, shape: tuple[ir.Value, ...]) -> Array:
    """What stands for a product that is left to the nest behind it."""
    dtype = array_type(product.result).dtype
    return Array(PTR(None), PTR(None), shape, e.contiguous_strides(shape, dtype.itemsize), dtype, True, "fresh")


def run_behind(
    products: list[Operation],
    e: Emitter,
    sizes: tuple[ir.Value, ...],
    walks: list[Walk],
    axis: int,
    unit: int,
    cost: int,
    builder: NestBuilder,
    nest: Nest,
) -> None:
    """Run products and the nest behind them; arguments as of `share_nest`, the walk of what the nest stores is the first."""
    made = e.get(products[0].result)
    factors = [(e.get(product.operands[0]), e.get(product.operands[1])) for product in products]
    places = [[value for value, _ in arrays_of(builder)].index(product.result) + 1 for product in products]

    def run_whole() -> None:
        arrays = compute_all(e, products, walks[0].pointer)
        share_nest(e, sizes, with_pointers(walks, places, [array.pointer for array in arrays]), axis, unit, cost, builder, nest)
        for array in arrays:
            if not isinstance(array.owner, ir.Constant):
                e.call("ag_release", e.frame, array.owner)

    if not may_share(e, made):
        run_whole()
        return
    with e.b.if_else(suits_tail(e, products, sizes)) as (blocks, whole):
        with blocks:
            tail = behind(e, made, sizes, walks, places, nest)
            share_products(e, factors, made, functools.partial(call_product, e), scalars_of(builder), tail, cost)
        with whole:
            run_whole()


def suits_tail(e: Emitter, products: list[Operation], sizes: tuple[ir.Value, ...]) -> ir.Value:
    """Whether all products have the sizes of what the nest stores, which are many, and their rows can be computed block by block."""
    made = e.get(products[0].result)
    suits = is_far(e, made)
    for product in products:
        x, y = (e.get(factor) for factor in product.operands)
        suits = e.b.and_(suits, e.b.and_(suits_blas(e, x, y), suits_blocks(e, x, y)))
        for size, wanted in zip(e.get(product.result).shape, sizes) if len(sizes) > 1 else ():
            suits = e.b.and_(suits, e.compare("==", size, wanted))
    return suits


def compute_all(e: Emitter, products: list[Operation], target: ir.Value) -> list[Array]:
    """The products, one that is of the nest's type where the nest stores, the others in arrays of their own."""
    arrays = [e.get(product.result) for product in products]
    fitting = [number for number, product in enumerate(products) if product.result.type == e.epilogues[product].result.type]
    for number, (product, array) in enumerate(zip(products, arrays, strict=True)):
        is_first = fitting[:1] == [number]
        arrays[number] = replace(array, pointer=target) if is_first else e.allocate(array.shape, array.dtype)
        first, second = product.operands
        with other_trips(e):
            emit_product(e, first, second, arrays[number])
    return arrays


def with_pointers(walks: list[Walk], places: list[int], pointers: list[ir.Value]) -> list[Walk]:
    """The walks, of which those at some places begin elsewhere."""
    found = dict(zip(places, pointers, strict=True))
    return [replace(walk, pointer=found[place]) if place in found else walk for place, walk in enumerate(walks)]


def behind(e: Emitter, made: Array, sizes: tuple[ir.Value, ...], walks: list[Walk], places: list[int], nest: Nest) -> Tail:
    """The nest on some rows, in the function that threads run."""

    def capture(outline: Outline) -> Callable[[ir.Value, ir.Value, list[ir.Value]], None]:
        length = outline.capture(made.shape[1])
        inner = [replace(walk, pointer=PTR(None)) if place in places else walk for place, walk in enumerate(walks)]
        inner = [outline.capture_walk(walk) for walk in inner]

        def rows(start: ir.Value, count: ir.Value, products: list[ir.Value]) -> None:
            is_flat = len(sizes) == 1  # all elements in the order of memory
            first = e.mul(start, length) if is_flat else start
            moved = [walk if place in places else walk.moved(e, 0, first) for place, walk in enumerate(inner)]
            nest((e.mul(count, length),) if is_flat else (count, length), with_pointers(moved, places, products))

        return rows

    return capture

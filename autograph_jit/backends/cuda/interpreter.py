"""Carries out a graph operation by operation: control flow and numbers on the host, arrays by the rules of the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.backends.cuda import folding, gathering, views  # noqa: F401  (their rules register themselves)
from autograph_jit.backends.cuda.elementwise import run_pointwise, takes_mask
from autograph_jit.backends.cuda.gathering import takes_gather, takes_scatter
from autograph_jit.backends.cuda.memory import DeviceArray, DeviceScalar, upload
from autograph_jit.backends.cuda.provider import provider
from autograph_jit.backends.cuda.rules import RULES
from autograph_jit.backends.cuda.run import Failure, Run, attach_span
from autograph_jit.errors import GraphError
from autograph_jit.ir.graph import Block, Operation
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.kernels.fusion import is_pointwise_array
from autograph_jit.ops.evaluate import conform, make_python_numbers, python_numbers

# Operations whose rule covers some uses only; the others run on the host.
CONDITIONS: dict[str, Callable[[Run, Operation], bool]] = {
    "gather": takes_gather,
    "scatter": takes_scatter,
    "mask_assign": takes_mask,
}


def is_silent(operation: Operation) -> bool:
    """Whether an operation on the host changes nothing that Python could see: numbers, and reads of lists."""
    return operation.opdef.effect is Effect.PURE


def has_kernel(operation: Operation) -> bool:
    """Whether an operation of arrays has a form on the device, at least for some uses."""
    return operation.name in RULES or is_pointwise_array(operation)


def mentions_arrays(operation: Operation) -> bool:
    return any(isinstance(value.type, ArrayType) for value in (*operation.operands, *operation.results))


def run_block(run: Run, block: Block, args: Sequence[Any]) -> list[Any]:
    """Run the operations of a block; what it yields."""
    run.values.update(zip(block.args, args, strict=True))
    for operation in block.operations:
        results = REGION_RULES[operation.name](run, operation) if operation.regions else run_operation(run, operation)
        if len(results) != len(operation.results):
            raise GraphError(f"{operation.name} gave {len(results)} results, not {len(operation.results)}")
        run.values.update(zip(operation.results, results))
    return [run.values[value] for value in block.yields]


def run_operation(run: Run, operation: Operation) -> Sequence[Any]:
    """The results of one operation; an earlier failure on the device is raised before one on the host."""
    try:
        return choose_rule(run, operation)(run, operation)
    except Exception as error:
        if run.failed is None:
            run.settle()
            run.failed = Failure(operation, (), tuple(run.values[value] for value in operation.unwind))
            attach_span(error, operation)
        raise


def choose_rule(run: Run, operation: Operation) -> Callable[[Run, Operation], Sequence[Any]]:
    """How this use of an operation is carried out."""
    if operation.name == "host_call":
        return call_host
    if isinstance(operation.opdef.kernel, Pointwise) and is_pointwise_array(operation) and operation not in run.plan.on_host:
        return run_pointwise
    if operation.name in RULES and CONDITIONS.get(operation.name, always)(run, operation):
        return RULES[operation.name]
    return run_on_host if mentions_arrays(operation) else run_numbers


def always(run: Run, operation: Operation) -> bool:
    return True


def run_numbers(run: Run, operation: Operation) -> Sequence[Any]:
    """The eager rule on numbers, lists and objects."""
    operands = [run.number(value) for value in operation.operands]
    if not is_silent(operation) and operation.name != "check":
        run.settle()
    results = operation.opdef.eager(*operands, **operation.attributes)
    results = results if isinstance(results, tuple) else (results,)
    return [conform(found, value.type) for found, value in zip(results, operation.results)]


def run_on_host(run: Run, operation: Operation) -> Sequence[Any]:
    """The eager rule on copies; what it wrote is copied back."""
    run.settle()
    contents: dict[int, np.ndarray] = {}
    operands = []
    for value in operation.operands:
        found = run.values[value]
        if isinstance(found, DeviceArray):
            content = contents.setdefault(id(found.buffer), found.buffer.download())
            operands.append(found.host_view(content))
        else:
            operands.append(run.number(value))
    try:
        results = operation.opdef.eager(*operands, **operation.attributes)
    finally:
        if operation.opdef.effect is Effect.WRITE and isinstance(operation.operands[0].type, ArrayType):
            buffer = run.array(operation.operands[0]).buffer
            buffer.upload(contents[id(buffer)])
            buffer.is_written = True
    results = results if isinstance(results, tuple) else (results,)
    fitting = [conform(found, value.type) for found, value in zip(results, operation.results)]
    return [upload(found) if isinstance(found, np.ndarray) else found for found in fitting]


def call_host(run: Run, operation: Operation) -> Sequence[Any]:
    """Call Python with arrays over host memory that mirrors the device's."""
    run.settle()
    is_pure = bool(operation.attributes.get("pure"))
    operands = []
    for value in operation.operands:
        found = run.values[value]
        given: Any = run.residences.host_array(found) if isinstance(found, DeviceArray) else run.number(value)
        operands.append(python_numbers(given) if isinstance(value.type, ListType) else given)
    run.residences.copy_to_host()
    try:
        results = operation.opdef.eager(*operands, **operation.attributes)
    finally:
        del operands
        if not is_pure:
            run.residences.copy_to_device()
    if not isinstance(results, tuple):
        results = () if results is None and not operation.results else (results,)
    return [take_result(run, found, value.type) for found, value in zip(results, operation.results, strict=True)]


def take_result(run: Run, found: Any, type: Any) -> Any:
    """What Python gave, as a run holds it."""
    if isinstance(type, ArrayType):
        return run.residences.find(conform(np.asarray(found), type))
    return conform(found, type)


def give_result(run: Run, found: Any, type: Any, stay: bool) -> Any:
    """What the caller gets: NumPy arrays, or numba's device arrays where arrays are to stay; NumPy scalars, objects, lists of numbers."""
    if isinstance(found, DeviceArray):
        if stay:
            return provider().export(found.buffer.device, found.dtype, found.offset, found.shape, found.strides)
        return run.residences.host_array(found)
    if isinstance(found, DeviceScalar):
        return found.read()
    if isinstance(type, ListType):
        make_python_numbers([found])
    return found


def run_cond(run: Run, operation: Operation) -> list[Any]:
    """Run one of two regions."""
    return run_block(run, operation.regions[0 if run.number(operation.operands[0]) else 1], ())


def run_while_loop(run: Run, operation: Operation) -> list[Any]:
    """Test, then body, until the test fails; the predicate is read once in each trip."""
    test, body = operation.regions
    state = [run.values[value] for value in operation.operands]
    while True:
        state = run_block(run, test, state)[1:]
        if not run.number(test.yields[0]):
            return state
        state = run_block(run, body, state)


def run_for_loop(run: Run, operation: Operation) -> list[Any]:
    """Run the body for each index until one says to stop."""
    (body,) = operation.regions
    bounds = run.integers(operation.operands[:3])
    state = [run.values[value] for value in operation.operands[3:]]
    for index in range(*bounds):
        state = run_block(run, body, [np.int64(index), *state])
        if operation.attributes.get("has_break"):
            state = state[1:]
            if not run.number(body.yields[0]):
                break
    return state


def run_try(run: Run, operation: Operation) -> list[Any]:
    """Run the body; on an exception the handler, with the values that the failing operation leaves."""
    body, handler = operation.regions
    run.settle()
    run.failed = None
    try:
        results = run_block(run, body, ())
        run.settle()
        return results
    except GraphError:
        raise
    except Exception as error:
        if run.failed is None:
            raise
        state, run.failed = run.failed.unwind, None
        return run_block(run, handler, [error, *state])


REGION_RULES: dict[str, Callable[[Run, Operation], list[Any]]] = {
    "cond": run_cond,
    "while_loop": run_while_loop,
    "for_loop": run_for_loop,
    "try_": run_try,
}

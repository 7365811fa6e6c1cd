"""One run of a graph: values on the host and the device, launches, and operations that failed on the device.

A kernel that finds an index out of bounds sets the error flag, after which kernels do nothing. The host looks at the flag before
anything that Python could see: a number is read, Python is called, a `try` ends, the call returns. It then repeats the operation
that failed by its eager rule, which raises NumPy's exception; for the program it is as if the exception had been raised at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograph_jit.backends.cuda.domains import Strides, merge_axes, walk
from autograph_jit.backends.cuda.kernel_text import Kernel, Leaf
from autograph_jit.backends.cuda.launch import array_arguments, launch_kernel, size_arguments
from autograph_jit.backends.cuda.memory import DeviceArray, DeviceScalar, allocate, download, upload, write_element
from autograph_jit.backends.cuda.nests import Nest, Plan, copying_nest
from autograph_jit.backends.cuda.provider import provider
from autograph_jit.backends.cuda.residence import Residences
from autograph_jit.errors import LoweringError
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.records import dataclass

I64 = np.dtype(np.int64)


@dataclass(frozen=True, slots=True)
class Deferred:
    """An elementwise result that is computed inside its consumer's kernel: only its shape exists."""

    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """An operation that may have failed on the device, with what it was given and what the handler takes if it did."""

    operation: Operation
    operands: tuple[Any, ...]
    unwind: tuple[Any, ...]


class Run:
    """The state of one call."""

    def __init__(self, plan: Plan, launched: dict[Kernel, int]) -> None:
        self.plan, self.launched = plan, launched
        self.values: dict[Value, Any] = {}
        self.residences = Residences()
        self.pending: list[Failure] = []
        self.failed: Failure | None = None
        self.flag = upload(np.zeros(1, np.int64))

    def number(self, value: Value) -> Any:
        """A scalar on the host."""
        found = self.values[value]
        if isinstance(found, DeviceScalar):
            self.settle()
            found = self.values[value] = found.read()
        return found

    def integers(self, values: Sequence[Value]) -> tuple[int, ...]:
        return tuple(int(self.number(value)) for value in values)

    def array(self, value: Value) -> DeviceArray:
        """An array, which is on the device."""
        return self.values[value]

    def expect_failure(self, operation: Operation) -> int:
        """Announce an operation whose kernel may set the flag; the number that it is to write there."""
        unwind = tuple(self.values[value] for value in operation.unwind)
        self.pending.append(Failure(operation, tuple(self.values[value] for value in operation.operands), unwind))
        return len(self.pending)

    def settle(self) -> None:
        """Wait for the kernels that can fail; raise the exception of the first that did."""
        if not self.pending:
            return
        site = int(self.flag.buffer.vector(I64)[0])
        pending, self.pending = self.pending, []
        if site:
            write_element(self.flag, (0,), 0)
            self.failed = pending[site - 1]
            self.repeat(self.failed)

    def repeat(self, failure: Failure) -> None:
        """Run a failed operation by its eager rule, which raises; what it wrote before stays written."""
        operation, operands = failure.operation, list(failure.operands)
        copies: dict[int, np.ndarray] = {}
        for k, found in enumerate(operands):
            if isinstance(found, DeviceScalar):
                operands[k] = found.read()
            elif isinstance(found, DeviceArray):
                content = copies.setdefault(id(found.buffer), found.buffer.download())
                operands[k] = found.host_view(content)
        try:
            operation.opdef.eager(*operands, **operation.attributes)
        except Exception as error:
            attach_span(error, operation)
            raise
        finally:
            if operation.opdef.effect is Effect.WRITE:
                failure.operands[0].buffer.upload(copies[id(failure.operands[0].buffer)])
                failure.operands[0].buffer.is_written = True
        raise LoweringError(f"{operation.name} failed on the device and not on the host")

    def launch(self, kernel: Kernel, blocks: int, block: Any, arguments: dict[str, Any]) -> None:
        """Start a kernel of this run."""
        self.launched[kernel] = self.launched.get(kernel, 0) + 1
        launch_kernel(kernel, blocks, block, {"flag": self.flag, **arguments})

    def launch_elements(self, kernel: Kernel, count: int, arguments: dict[str, Any]) -> None:
        """Start a kernel whose threads stride over `count` elements."""
        threads = provider().threads
        self.launch(kernel, -(-count // threads), threads, {"count": count, **arguments})

    def bind(self, operands: Sequence[Any], dtypes: Sequence[np.dtype], domain: tuple[int, ...]) -> Bound:
        """Operands as leaves of a nest over a domain: arrays with their strides, numbers."""
        leaves, walks = [], []
        for found, dtype in zip(operands, dtypes):
            array = found.array if isinstance(found, DeviceScalar) else found
            is_array = isinstance(array, DeviceArray)
            leaves.append(Leaf("array" if is_array else "scalar", dtype))
            walks.append(walk(array, domain) if is_array else (0,) * len(domain))
        return Bound(tuple(leaves), [found.array if isinstance(found, DeviceScalar) else found for found in operands], walks)

    def bind_nest(self, nest: Nest, domain: tuple[int, ...]) -> Bound:
        """The operands of a nest of the graph."""
        dtypes = [value.type.dtype for value in nest.values]  # type: ignore[union-attr]
        return self.bind([self.values[value] for value in nest.values], dtypes, domain)

    def fill(self, target: DeviceArray, nest: Nest, bound: Bound) -> None:
        """Store the nest's element at every index of the target."""
        if target.size == 0:
            return
        sizes, (target_walk, *walks) = merge_axes(target.shape, [target.element_strides(), *bound.walks])
        kernel = nest.map_kernel(bound.leaves, len(sizes))
        arguments = {**size_arguments("i", sizes), **array_arguments("out", target, target_walk), **bound.arguments(walks)}
        self.launch_elements(kernel, target.size, arguments)
        target.buffer.is_written = True

    def copy_into(self, target: DeviceArray, source: Any) -> None:
        """target[...] = source, an array or a number of its dtype; their memory does not overlap."""
        nest = COPIES.setdefault(target.dtype, copying_nest(target.dtype))
        self.fill(target, nest, self.bind([source], [target.dtype], target.shape))

    def fresh_copy(self, source: DeviceArray) -> DeviceArray:
        """A copy in C order."""
        result = allocate(source.shape, source.dtype)
        self.copy_into(result, source)
        return result

    def fetch(self, value: Value) -> Any:
        """A value as an eager rule takes it: arrays as copies on the host."""
        found = self.values[value]
        if isinstance(found, DeviceScalar):
            return self.number(value)
        return download(found) if isinstance(found, DeviceArray) else found


COPIES: dict[np.dtype, Nest] = {}


@dataclass(frozen=True, slots=True)
class Bound:
    """Leaves of a nest with what they stand for and how the domain walks them."""

    leaves: tuple[Leaf, ...]
    operands: list[Any]
    walks: list[Strides]

    def arguments(self, walks: Sequence[Strides]) -> Mapping[str, Any]:
        """What `declare_leaves` declares, the arrays walked as given."""
        arguments: dict[str, Any] = {}
        for k, (leaf, found, strides) in enumerate(zip(self.leaves, self.operands, walks)):
            if leaf.kind == "array":
                arguments |= array_arguments(f"x{k}", found, strides)
            elif leaf.kind == "scalar":
                arguments[f"x{k}"] = found
        return arguments

    def arrays(self) -> list[tuple[DeviceArray, Strides]]:
        return [(found, strides) for found, strides in zip(self.operands, self.walks) if isinstance(found, DeviceArray)]


def attach_span(error: BaseException, operation: Operation) -> None:
    """Note on an exception where the user's program raised it; one raised again keeps its first place."""
    if getattr(error, "__autograph_span__", None) is None and hasattr(error, "__dict__"):
        error.__autograph_span__ = operation.span  # type: ignore[attr-defined]

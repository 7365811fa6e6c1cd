"""Compiles a graph for CUDA: a plan of fused nests, carried out by the host; kernels are compiled when their layout is first met."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from autograph_jit.backends.cuda.interpreter import CONDITIONS, give_result, has_kernel, mentions_arrays, run_block
from autograph_jit.backends.cuda.kernel_text import Kernel
from autograph_jit.backends.cuda.launch import compile_to_ptx
from autograph_jit.backends.cuda.memory import DeviceArray, adopt
from autograph_jit.backends.cuda.nests import Plan, make_plan
from autograph_jit.backends.cuda.provider import provider
from autograph_jit.backends.cuda.run import Run
from autograph_jit.errors import DeviceError, GraphError, layout
from autograph_jit.ir.graph import Block, Graph
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.kernels.print_kernel import print_kernel
from autograph_jit.ops.evaluate import conform, make_python_numbers


class CudaExecutable:
    """A compiled graph, called and looked into as a `CpuExecutable` is.

    host_calls      labels of calls into Python, and names of operations that run on the host
    host_variants   operations of which some uses run on the host
    """

    def __init__(self, graph: Graph, plan: Plan) -> None:
        self.graph, self.plan = graph, plan
        self.kernels = "\n".join(print_kernel(nest.loops) for nest in plan.nests.values() if nest.loops is not None)
        self.host_calls = tuple(host_labels(graph, plan))
        self.host_variants = tuple(operation.name for operation in graph.walk() if operation.name in CONDITIONS)
        self.compile_seconds: dict[str, float] = {}
        self.launched: dict[Kernel, int] = {}

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        block = self.graph.block
        if len(leaves) != len(block.args):
            raise GraphError(f"{self.graph.name} takes {len(block.args)} arguments, not {len(leaves)}")
        run = Run(self.plan, self.launched)
        with np.errstate(all="ignore"):
            arguments = enter(run, self.graph, leaves)
            try:
                results = run_block(run, block, arguments)
                run.settle()
            finally:
                run.residences.copy_to_host()
                make_python_numbers(leaf for leaf, param in zip(leaves, block.args) if isinstance(param.type, ListType))
            stay = any(isinstance(argument, DeviceArray) and argument.buffer.owner is not None for argument in arguments)
            return tuple(give_result(run, found, value.type, stay) for found, value in zip(results, block.yields))

    @property
    def sources(self) -> tuple[str, ...]:
        """The Python source of every kernel launched so far."""
        return tuple(kernel.source for kernel in self.launched)

    @property
    def llvm(self) -> str:
        """Nothing: numba keeps LLVM IR to itself here."""
        return ""

    @property
    def assembly(self) -> str:
        """PTX of every kernel launched so far, for the oldest device that NVVM knows."""
        return "\n".join(compile_to_ptx(kernel) for kernel in self.launched)


def enter(run: Run, graph: Graph, leaves: tuple[Any, ...]) -> list[Any]:
    """The arguments as a run holds them: NumPy arrays are copied to the device, device arrays stay where they are."""
    arguments = list(leaves)
    arrays: list[int] = []
    for index, (leaf, param) in enumerate(zip(leaves, graph.block.args)):
        if isinstance(param.type, ListType):
            arguments[index] = leaf
        elif isinstance(param.type, ArrayType) and is_device_array(leaf):
            arguments[index] = adopt(leaf)
            if arguments[index].dtype != param.type.dtype or len(arguments[index].shape) != param.type.rank:
                raise GraphError(f"expected an array {param.type}, got {arguments[index].dtype}{list(arguments[index].shape)}")
        else:
            arguments[index] = conform(leaf, param.type)
            if isinstance(param.type, ArrayType):
                arrays.append(index)
    for index, array in zip(arrays, run.residences.enter([arguments[index] for index in arrays], True)):
        arguments[index] = array
    return arguments


def is_device_array(leaf: Any) -> bool:
    """Whether memory of a leaf lies on the device already."""
    return hasattr(type(leaf), "__cuda_array_interface__") or hasattr(type(leaf), "__cuda_ndarray__")


def host_labels(graph: Graph, plan: Plan) -> list[str]:
    """What is sure to run on the host although arrays take part."""
    labels = []
    for operation in graph.walk():
        if operation.name == "host_call":
            labels.append(operation.attributes.get("label") or "host call")
        elif not operation.regions and mentions_arrays(operation) and (operation in plan.on_host or not has_kernel(operation)):
            labels.append(operation.name)
    return labels


def refuse_draws(block: Block, in_loop: bool = False) -> None:
    """DeviceError where a loop draws random numbers: their streams are NumPy's, on the host, and a number is drawn after the other."""
    for operation in block.operations:
        if in_loop and operation.opdef.effect is Effect.DRAW:
            why = "Streams of random numbers are drawn on the host, one number after the other."
            remedy = 'Draw an array before the call and pass it, or compile for device="cpu".'
            raise DeviceError(layout('a loop with device="cuda" draws random numbers', operation.span, why, remedy))
        for region in operation.regions:
            refuse_draws(region, in_loop or operation.name.endswith("_loop"))


def compile_graph(graph: Graph, distinct_parameters: bool = False, layouts: tuple[str, ...] | None = None) -> CudaExecutable:
    """Compile a graph; the arguments are those of the CPU's `compile_graph`. DeviceError where no device answers."""
    provider()
    refuse_draws(graph.block)
    started = time.perf_counter()
    plan = make_plan(graph, distinct_parameters, layouts or ("A",) * len(graph.block.args))
    executable = CudaExecutable(graph, plan)
    executable.compile_seconds["plan"] = time.perf_counter() - started
    return executable

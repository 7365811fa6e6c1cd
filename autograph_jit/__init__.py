"""autograph_jit: ordinary NumPy functions, control flow and mutation included, compiled to native code."""

import gc
import importlib
from types import ModuleType

_collects = gc.isenabled()
gc.disable()  # what 400 modules define is no garbage, and looking for some among it takes a fifth of the import
try:
    from autograph_jit import testing
    from autograph_jit.api import compile, convert, grad, hessian, hvp, jacobian, jvp, to_source, value_and_grad, vjp
    from autograph_jit.autodiff.custom import CustomGradient as custom_gradient
    from autograph_jit.autodiff.custom import stop_gradient
    from autograph_jit.autodiff.recompute import checkpoint, record
    from autograph_jit.autodiff.tapes.tape import GradientTape
    from autograph_jit.convolution.functions import conv, conv_transpose
    from autograph_jit.convolution.pooling import avg_pool, max_pool
    from autograph_jit.errors import (
        AutographJitError,
        CacheWarning,
        CheckpointError,
        CommandError,
        ConstantWarning,
        ConversionError,
        DeviceError,
        GraphError,
        InternalError,
        IterationLimitError,
        LoopVariableError,
        LoweringError,
        MissingExtraError,
        NotDifferentiable,
        SettingError,
        ShapeError,
    )
    from autograph_jit.historical import gradients_function, implicit_gradients, implicit_value_and_gradients, value_and_gradients_function
    from autograph_jit.interpreters import refuse_unsafe
    from autograph_jit.library.directives.functional import cond, do_not_convert, for_loop, loop_options, unroll, while_loop
    from autograph_jit.library.directives.scopes import Scope
    from autograph_jit.runtime.settings import config, device, eager, executing_eagerly
    from autograph_jit.tensor.defaults import constant, convert_to_tensor
    from autograph_jit.tensor.tensor import Tensor, asarray
    from autograph_jit.tensor.variable import Variable
finally:
    if gc.get_freeze_count() < 1000:  # Python 3.12 itself has some 400; more are a program's that keeps them there
        # To the oldest generation without a look at them: the first collections of a first call would take a twentieth of a second for it.
        gc.freeze()
        gc.unfreeze()
    if _collects:
        gc.enable()
refuse_unsafe()  # at the end: what was imported may have brought the lock back

PROGRAMS = ("nn", "optim", "metrics", "checkpoints", "summaries", "distributed")  # of the public API: imported when they are asked for


def __getattr__(name: str) -> ModuleType:
    """A package above the public API."""
    if name in PROGRAMS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__version__ = "0.1.0"
__all__ = [
    "AutographJitError",
    "CacheWarning",
    "CheckpointError",
    "CommandError",
    "ConstantWarning",
    "ConversionError",
    "DeviceError",
    "GradientTape",
    "GraphError",
    "InternalError",
    "IterationLimitError",
    "LoopVariableError",
    "LoweringError",
    "MissingExtraError",
    "NotDifferentiable",
    "Scope",
    "SettingError",
    "ShapeError",
    "Tensor",
    "Variable",
    "asarray",
    "avg_pool",
    "checkpoint",
    "compile",
    "cond",
    "config",
    "constant",
    "conv",
    "conv_transpose",
    "convert",
    "convert_to_tensor",
    "custom_gradient",
    "device",
    "do_not_convert",
    "eager",
    "executing_eagerly",
    "for_loop",
    "grad",
    "gradients_function",
    "hessian",
    "hvp",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "jacobian",
    "jvp",
    "loop_options",
    "max_pool",
    "record",
    "stop_gradient",
    "testing",
    "to_source",
    "unroll",
    "value_and_grad",
    "value_and_gradients_function",
    "vjp",
    "while_loop",
]

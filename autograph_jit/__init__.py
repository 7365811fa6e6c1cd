"""autograph_jit: ordinary NumPy functions, control flow and mutation included, compiled to native code."""

from autograph_jit.api import compile, convert, to_source
from autograph_jit.errors import AutographJitError, CommandError, ConversionError, GraphError, LoweringError, SettingError
from autograph_jit.runtime.settings import config, device, eager
from autograph_jit.runtime.settings import is_eager as executing_eagerly

__version__ = "0.1.0"
__all__ = [
    "AutographJitError",
    "CommandError",
    "ConversionError",
    "GraphError",
    "LoweringError",
    "SettingError",
    "compile",
    "config",
    "convert",
    "device",
    "eager",
    "executing_eagerly",
    "to_source",
]

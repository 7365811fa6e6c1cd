"""autograph_jit: ordinary NumPy functions, control flow and mutation included, compiled to native code."""

from autograph_jit.api import compile, convert, eager, executing_eagerly, to_source
from autograph_jit.errors import AutographJitError, ConversionError, GraphError, LoweringError

__version__ = "0.1.0"
__all__ = ["AutographJitError", "ConversionError", "GraphError", "LoweringError", "compile", "convert", "eager", "executing_eagerly", "to_source"]

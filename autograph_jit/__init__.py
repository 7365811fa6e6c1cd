"""autograph_jit: ordinary NumPy functions, control flow and mutation included, compiled to native code."""

__version__ = "0.1.0"

"""The CPU backend: a graph becomes one LLVM function that Python calls."""

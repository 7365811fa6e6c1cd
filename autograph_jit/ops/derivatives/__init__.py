"""Derivatives of operations and of library functions, by family."""

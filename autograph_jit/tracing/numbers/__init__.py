"""Arithmetic of Python numbers whose values the run decides."""

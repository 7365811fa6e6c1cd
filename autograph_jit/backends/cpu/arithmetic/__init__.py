"""Scalar expressions, Python's ints, mathematical functions."""

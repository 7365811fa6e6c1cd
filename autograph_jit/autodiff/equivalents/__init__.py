"""Derivatives of NumPy functions by functions that say the same in terms of others."""

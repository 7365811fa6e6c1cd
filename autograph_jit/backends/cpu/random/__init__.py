"""Draws of random numbers in compiled code: NumPy's own C functions, and short forms of the most frequent ones."""

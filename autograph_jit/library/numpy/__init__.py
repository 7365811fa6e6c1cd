"""NumPy's functions on staged arrays: native forms by the table, calls in Python for the rest."""

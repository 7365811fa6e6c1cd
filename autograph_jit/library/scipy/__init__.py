"""SciPy's functions on abstract values."""

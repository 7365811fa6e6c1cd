"""What converted code calls: the Python meaning of each operator, and its meaning on stand-in values that record a graph."""

STAGING = __name__ + "."
"""Begins the names of the modules whose functions act in a trace."""

"""How Python is traced: the Python meaning of each operator of converted code, and its meaning on abstract values that record a graph."""

ACTING = (f"{__name__}.", "autograph_jit.library.")
"""Begin the names of the modules whose functions act in a trace."""

"""The graph: types, symbolic sizes, structured SSA, its builder, verifier, printer and parser."""

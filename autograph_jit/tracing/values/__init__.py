"""Abstract values: scalars, arrays, opaque objects, the trace that records what is computed with them, conversions and checks."""

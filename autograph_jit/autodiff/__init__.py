"""Derivatives of traced programs: reverse mode as a transform of graphs, written against the same operators that tracing uses."""

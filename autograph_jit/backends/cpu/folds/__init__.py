"""Reductions, and the positions of extrema."""

"""Machinery for Python syntax trees: parsing a function, scopes, liveness, building and loading code; knows nothing of arrays."""

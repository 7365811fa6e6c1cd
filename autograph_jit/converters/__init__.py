"""Rewrites of Python constructs into operator calls, one construct per file; `pipeline` lists their order."""

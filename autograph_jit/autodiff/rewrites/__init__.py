"""Rewrites of a traced program before it is differentiated."""

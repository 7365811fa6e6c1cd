"""Staged arrays: attributes, methods, views, subscripts, elementwise operations."""

"""Texts of the run: str and bytes as vectors of code points and bytes."""

"""Opaque objects and instances: the caller's, those of the run, their attributes and operators."""

"""Structures of values: how their leaves are found, rebuilt, found again in a later call, and guarded."""

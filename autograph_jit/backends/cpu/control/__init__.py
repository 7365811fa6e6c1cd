"""Branches and loops as basic blocks, and when they look at signals."""

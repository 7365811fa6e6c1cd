"""The eager array: an ndarray whose NumPy functions run by the eager rules of the operations."""

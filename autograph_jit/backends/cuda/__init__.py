"""The CUDA backend: a host-driven interpreter of graphs whose array operations are kernels emitted as Python source for `numba.cuda`."""

"""Convolution and pooling: ordinary Python on arrays, converted where compiled code calls it."""

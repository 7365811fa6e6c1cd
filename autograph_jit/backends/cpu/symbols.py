"""Addresses that compiled code refers to by name: NumPy's C functions and the runtime module's, so that object code can move."""

from __future__ import annotations

import ctypes
import sys

import llvmlite.binding as llvm
import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

# Positions in NumPy's table of C functions (numpy/__multiarray_api.h); they are part of its binary interface.
NUMPY_API = {"PyArray_Type": 2, "PyArray_DescrFromType": 45, "PyArray_Scalar": 60, "PyArray_NewFromDescr": 94, "PyArray_SetBaseObject": 282}
OBJECT_SIZE = object.__basicsize__
# Whether the word behind the header of an int has the number of its digits above three bits, two of which tell the sign; before Python 3.12
# it is that number, below zero with the int.
TAGGED_INTS = sys.version_info >= (3, 12)
TUPLE_ITEMS = tuple.__basicsize__  # offset of the first item: behind the length and, from Python 3.14 on, the hash
# Offsets in PyArrayObject, after the object header: data, number of axes, sizes, strides, base, dtype, flags.
DATA, RANK, SIZES, STRIDES, DESCR, FLAGS = (OBJECT_SIZE + offset for offset in (0, 8, 16, 24, 40, 48))
TYPE_NUMBER = OBJECT_SIZE + 12  # in PyArray_Descr: the type object, four characters, then the number
WRITEABLE = 0x400


def numpy_api_address(position: int) -> int:
    """One entry of NumPy's table of C functions."""
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    table = ctypes.cast(pointer(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    address = table[position]
    if not address:
        raise SystemError(f"NumPy {np.__version__} has no C function number {position}")
    return address


def register_numpy() -> None:
    """Make NumPy's C functions, and the types of its texts, known to LLVM's linker under their own names."""
    for name, position in NUMPY_API.items():
        llvm.add_symbol(name, numpy_api_address(position))
    for name, kind in (("PyUnicodeArrType_Type", np.str_), ("PyStringArrType_Type", np.bytes_)):
        llvm.add_symbol(name, id(kind))
    for name in ("PyExc_MemoryError",):
        llvm.add_symbol(name, ctypes.addressof(ctypes.c_void_p.in_dll(ctypes.pythonapi, name)))

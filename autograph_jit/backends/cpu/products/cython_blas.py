"""The addresses of SciPy's BLAS routines, from the one extension module that has them: `scipy.linalg` around it takes a fifth of a second.

An extension module cannot be loaded twice, so it is handed over to whoever imports `scipy.linalg` later.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
import threading
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE, NAME = "scipy.linalg", "scipy.linalg.cython_blas"


class HandedOver(MetaPathFinder, Loader):
    """Finds the module for every importer, loads it once, and is gone from the path when Python has it."""

    def __init__(self, found: ModuleSpec) -> None:
        self.found, self.lock, self.module = found, threading.Lock(), None

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, origin=self.found.origin) if name == NAME else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        with self.lock:
            if self.module is None:
                module = module_from_spec(self.found)
                assert self.found.loader is not None
                self.found.loader.exec_module(module)
                sys.modules.pop(NAME, None)  # Cython's modules put themselves there; its package, which is not loaded, would not know it
                self.module = module
            return self.module

    def exec_module(self, module: ModuleType) -> None:
        sys.meta_path.remove(self)


@functools.cache
def load_cython_blas() -> ModuleType:
    """The module; its package is imported only where it is being imported already, or where the module is no file."""
    scipy = importlib.import_module("scipy")  # tells the system where SciPy's libraries are
    found = PathFinder.find_spec(NAME, [str(Path(folder, "linalg")) for folder in scipy.__path__])
    if PACKAGE in sys.modules or found is None or found.loader is None:
        return importlib.import_module(NAME)
    finder = HandedOver(found)
    sys.meta_path.insert(0, finder)
    return finder.create_module(found)


@functools.cache
def blas_address(routine: str) -> int:
    """Where a routine is: its Fortran interface, with integers of 32 bits."""
    capsule = load_cython_blas().__pyx_capi__[routine]
    name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    return pointer(capsule, name(capsule))

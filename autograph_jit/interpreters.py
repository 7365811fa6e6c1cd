"""What compiled code relies on of the running Python: one lock for all threads, and the main interpreter."""

from __future__ import annotations

import ctypes
import sys


def refuse_unsafe() -> None:
    """ImportError where compiled code could read freed memory.

    It counts references and reads objects under the interpreter's lock, and takes that lock by functions that know the main interpreter
    only. A free-threaded Python has the lock where `PYTHON_GIL=1` asks for it; numba, which could bring it back, does not.
    """
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise ImportError("autograph_jit needs the global interpreter lock: start this free-threaded Python with PYTHON_GIL=1 or -X gil=1")
    current, main = (ctypes.PYFUNCTYPE(ctypes.c_void_p)((f"PyInterpreterState_{name}", ctypes.pythonapi)) for name in ("Get", "Main"))
    if current() != main():
        raise ImportError("autograph_jit cannot be used in a sub-interpreter: import it in the main one, or start a process of its own")

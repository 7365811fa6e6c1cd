"""The C allocator's thresholds: freed temporaries stay in the process, so that the next one of their size costs no page faults."""

from __future__ import annotations

import ctypes
import functools
import os
import sys

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3  # malloc.h of the GNU C library
KEPT_BYTES = 512 << 20
STEP_BYTES = 64 << 20
MMAP_BYTES = 32 << 20  # the largest threshold that the library takes on 64 bits
ENVIRONMENT = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


@functools.cache
def keep_freed_memory() -> bool:
    """Raise the thresholds once; whether that was done. A setting of the user's environment is left alone, as are other C libraries.

    By default the library returns large blocks to the system when they are freed and asks for them again at the next call: a program
    with ten temporaries of 2 MB then spends most of its time in page faults.
    """
    if not sys.platform.startswith("linux") or any(os.environ.get(name) for name in ENVIRONMENT):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    mallopt.argtypes, mallopt.restype = (ctypes.c_int, ctypes.c_int), ctypes.c_int
    settings = ((M_MMAP_THRESHOLD, MMAP_BYTES), (M_TRIM_THRESHOLD, KEPT_BYTES), (M_TOP_PAD, STEP_BYTES))
    return all(mallopt(parameter, size) == 1 for parameter, size in settings)

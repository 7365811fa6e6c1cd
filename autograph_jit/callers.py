"""Warnings at the line that called this package."""

from __future__ import annotations

import contextlib
import sys
import warnings

from autograph_jit.source import PACKAGE

INSIDE = (PACKAGE, contextlib.__file__)


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the innermost line that is not this package's."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)

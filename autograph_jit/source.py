"""Where a piece of the user's program stands: file, function, line and column."""

from __future__ import annotations

import linecache
import os
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A place in a source file: `lineno` counts from 1, `col_offset` from 0, as in `ast`; `callers` are the calls that led there, the
    nearest first."""

    filename: str
    lineno: int
    col_offset: int = 0
    function: str = "<module>"
    callers: tuple[SourceSpan, ...] = field(default=(), compare=False, repr=False)

    def location(self) -> str:
        """`file.py:12`, the file without its folder."""
        return f"{os.path.basename(self.filename)}:{self.lineno}"

    def text(self) -> str:
        """The source line without its indentation, or an empty string where the source is not available."""
        return linecache.getline(self.filename, self.lineno).strip()

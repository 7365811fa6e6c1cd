"""`python -m autograph_jit`: the command line."""

from __future__ import annotations

import sys

from autograph_jit.cli import main

if __name__ == "__main__":
    sys.exit(main())

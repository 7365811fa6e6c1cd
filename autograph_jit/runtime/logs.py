"""Logs of the standard library's logging module: `autograph_jit.recompiles`, `autograph_jit.fallbacks`, `autograph_jit.kernels`."""

from __future__ import annotations

import logging

from autograph_jit.runtime.settings import LOG_NAMES, Settings, listeners, settings

root = logging.getLogger("autograph_jit")
recompiles, fallbacks, kernels = (root.getChild(name) for name in LOG_NAMES)


def select(chosen: Settings) -> None:
    """Let the chosen logs speak; where the program has no logging of its own they write to standard error."""
    for name in LOG_NAMES:
        root.getChild(name).setLevel(logging.INFO if name in chosen.logs else logging.NOTSET)
    if chosen.logs and not root.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        root.addHandler(handler)


listeners.append(select)
select(settings)

"""Process-wide settings, from the environment and `ag.config`."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass
class Settings:
    """backend: "cpu" (native code) or "interpreter" (graphs run by their eager rules)."""

    eager: bool = False
    backend: str = "cpu"


settings = Settings(eager=os.environ.get("AUTOGRAPH_JIT_EAGER", "") not in ("", "0"), backend=os.environ.get("AUTOGRAPH_JIT_BACKEND", "cpu"))

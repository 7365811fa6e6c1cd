"""What the processor that compiled code runs on can do."""

from __future__ import annotations

from functools import cache

from llvmlite import binding
from numba.core import config
from numba.core.registry import cpu_target

from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.vecmath.expand import Expansion, expand

FUSED_EVERYWHERE = ("aarch64", "arm64", "ppc64le", "s390x", "riscv64")


@cache
def has_fused_multiply_add() -> bool:
    """Whether x * y + z with one rounding is one instruction."""
    if binding.get_default_triple().split("-")[0] in FUSED_EVERYWHERE:
        return True
    chosen: str | None = getattr(config, "CPU_FEATURES", None)
    features = cpu_target.target_context.codegen()._get_host_cpu_features() if chosen is None else chosen
    return "+fma" in features.split(",")


def in_array_loop(expression: Expr) -> Expansion:
    """The expression as an array loop evaluates it: elementary functions expanded, where that can be fast."""
    return expand(expression) if has_fused_multiply_add() else Expansion(expression, expression)

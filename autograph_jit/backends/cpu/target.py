"""What the processor that compiled code runs on can do."""

from __future__ import annotations

from llvmlite import binding
from numba.core import config
from numba.core.registry import cpu_target

from autograph_jit.backends.once import once
from autograph_jit.ir.graph import Value, constant_of
from autograph_jit.ir.scalar import Expr, const, operand, substitute
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.vecmath.expand import Expansion, expand

FUSED_EVERYWHERE = ("aarch64", "arm64", "ppc64le", "s390x", "riscv64")


@once
def has_fused_multiply_add() -> bool:
    """Whether x * y + z with one rounding is one instruction."""
    if binding.get_default_triple().split("-")[0] in FUSED_EVERYWHERE:
        return True
    chosen: str | None = getattr(config, "CPU_FEATURES", None)
    features = cpu_target.target_context.codegen()._get_host_cpu_features() if chosen is None else chosen
    return "+fma" in features.split(",")


def in_array_loop(expression: Expr, values: list[Value]) -> Expansion:
    """The expression over these values as an array loop evaluates it: elementary functions expanded, where that can be fast."""
    if not has_fused_multiply_add():
        return Expansion(expression, expression)
    return expand(substitute(expression, tuple(literal_or_operand(index, value) for index, value in enumerate(values))))


def literal_or_operand(index: int, value: Value) -> Expr:
    """An operand of a nest, or the number itself where it is known: powers with a known exponent are products."""
    assert isinstance(value.type, ScalarType | ArrayType)
    number = constant_of(value)
    return operand(index, value.type.dtype) if number is None else const(number, value.type.dtype)


@once
def vector_bytes() -> int:
    """The size of the widest vectors that arithmetic has."""
    chosen: str | None = getattr(config, "CPU_FEATURES", None)
    features = cpu_target.target_context.codegen()._get_host_cpu_features() if chosen is None else chosen
    names = features.split(",")
    return 64 if "+avx512f" in names and "+avx512vl" in names else 32 if "+avx" in names else 16

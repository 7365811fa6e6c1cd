"""Loop nests as readable text."""

from __future__ import annotations

from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.loop_nest import LoopNest, Operand, Store

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and_": "&", "or_": "|", "xor": "^"}


def print_kernel(nest: LoopNest) -> str:
    """Loops and the statement inside.

    kernel add_multiply f64[n, 4]
      for i0 < n: for i1 < 4:
        out[i0, i1] = (x[i0, i1] + s) * y[i1]
    """
    loops = " ".join(f"for i{axis} < {size}:" for axis, size in enumerate(nest.sizes))
    value = print_expression(nest.expression, nest.operands)
    everywhere = ", ".join(f"i{axis}" for axis in range(len(nest.sizes)))
    if isinstance(nest.output, Store):
        statement = f"{nest.output.target}[{everywhere}] = {value}"
    else:
        kept = ", ".join(f"i{axis}" for axis in range(len(nest.sizes)) if axis not in nest.output.axes)
        statement = f"total[{kept}] = {nest.output.op}(total[{kept}], {value})"
    return f"kernel {nest.name}\n  {loops or 'once:'}\n    {statement}"


def print_operand(operand: Operand) -> str:
    if operand.index_map is None:
        return operand.name
    return f"{operand.name}[{', '.join('0' if axis is None else f'i{axis}' for axis in operand.index_map)}]"


def print_expression(expression: Expr, operands: tuple[Operand, ...]) -> str:
    """The expression with operands by name and index, infix where Python has it."""
    if expression.op == "operand":
        return print_operand(operands[expression.value])
    if expression.op == "const":
        return str(expression.value)
    args = [print_expression(arg, operands) for arg in expression.args]
    if expression.op in INFIX:
        return f"({args[0]} {INFIX[expression.op]} {args[1]})"
    name = expression.value if expression.op == "call" else expression.dtype.name if expression.op == "cast" else expression.op.rstrip("_")
    return f"{name}({', '.join(args)})"

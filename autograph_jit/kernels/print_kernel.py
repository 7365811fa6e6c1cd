"""Loop nests as readable text."""

from __future__ import annotations

from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.loop_nest import LoopNest, Operand, Store

Parts = dict[int, tuple[Expr, str]]
WRITTEN_OUT = 500  # parts of an expression that is printed in one line
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and_": "&", "or_": "|", "xor": "^"}


def print_kernel(nest: LoopNest) -> str:
    """Loops and the statement inside.

    kernel add_multiply f64[n, 4]
      for i0 < n: for i1 < 4:
        out[i0, i1] = (x[i0, i1] + s) * y[i1]
    """
    loops = " ".join(f"for i{axis} < {size}:" for axis, size in enumerate(nest.sizes))
    parts = named_parts(nest.expression)
    lines = [f"{name} = {print_expression(part, nest.operands, parts, part)}" for part, name in parts.values()]
    value = print_expression(nest.expression, nest.operands, parts)
    everywhere = ", ".join(f"i{axis}" for axis in range(len(nest.sizes)))
    if isinstance(nest.output, Store):
        statement = f"{nest.output.target}[{everywhere}] = {value}"
    else:
        kept = ", ".join(f"i{axis}" for axis in range(len(nest.sizes)) if axis not in nest.output.axes)
        statement = f"total[{kept}] = {nest.output.op}(total[{kept}], {value})"
    return "\n    ".join([f"kernel {nest.name}\n  {loops or 'once:'}", *lines, statement])


def named_parts(expression: Expr) -> Parts:
    """The parts of a long expression that are used more than once, with names, each behind those that it uses: written out at every use, an
    expression may have exponential length."""
    lengths: dict[int, int] = {}
    uses: dict[int, int] = {}
    order: list[Expr] = []
    pending = [(expression, False)]
    while pending:
        part, is_done = pending.pop()
        if is_done:
            lengths[id(part)] = 1 + sum(lengths[id(arg)] for arg in part.args)
            order.append(part)
        elif id(part) not in uses:
            uses[id(part)] = 0
            pending += [(part, True), *((arg, False) for arg in part.args)]
        uses[id(part)] += not is_done
    if lengths[id(expression)] <= WRITTEN_OUT:
        return {}
    shared = [part for part in order if part.args and uses[id(part)] > 1]
    return {id(part): (part, f"v{number}") for number, part in enumerate(shared)}


def print_operand(operand: Operand, operands: tuple[Operand, ...]) -> str:
    """An operand with its index; of an axis that is rotated by an amount that the run knows, `~i0`."""
    if operand.index_map is None:
        return operand.name
    places = ["0" if axis is None else f"i{axis}" for axis in operand.index_map]
    for axis, index in enumerate(operand.indices):
        if index is not None:
            places[axis] = print_expression(index, operands, {})
    for axis, _ in operand.turns:
        places[axis] = f"~{places[axis]}"
    return f"{operand.name}[{', '.join(places)}]"


def print_expression(expression: Expr, operands: tuple[Operand, ...], parts: Parts, printed: Expr | None = None) -> str:
    """The expression with operands by name and index, infix where Python has it; `parts` by name, but for the one that is printed."""
    if id(expression) in parts and expression is not printed:
        return parts[id(expression)][1]
    if expression.op == "operand":
        return print_operand(operands[expression.value], operands)
    if expression.op == "const":
        return str(expression.value)
    args = [print_expression(arg, operands, parts) for arg in expression.args]
    if expression.op in INFIX:
        return f"({args[0]} {INFIX[expression.op]} {args[1]})"
    name = expression.value if expression.op == "call" else expression.dtype.name if expression.op == "cast" else expression.op.rstrip("_")
    return f"{name}({', '.join(args)})"

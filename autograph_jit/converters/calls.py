"""Calls: `f(a, *b, k=c)` becomes `ag__.call(f, (a, *ag__.spread_items(b)), {"k": c})`.

`super()` gets its two arguments; `locals()`, `eval(...)` and the like act on the frame of the user's function.
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.generators import with_items_alone
from autograph_jit.converters.literals import convert_positional
from autograph_jit.source import OPERATORS
from autograph_jit.syntax.templates import const, load, op, thunk, tuple_of

GOING_THROUGH = frozenset("len sorted sum min max set list tuple enumerate any all".split())
FRAME_BUILTINS = frozenset({"locals", "globals", "vars", "dir", "eval", "exec"})


def is_operator(node: gast.AST) -> bool:
    """Whether a function is `ag__.<operator>`."""
    return isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.value.id == OPERATORS


def convert_call(node: gast.Call, context: Context) -> gast.AST:
    """A call; a call of an operator that another rule wrote only has its arguments converted."""
    if is_operator(node.func):
        return gast.Call(node.func, context.exprs(node.args), [])
    if isinstance(node.func, gast.Name) and not context.is_shadowed(node.func.id):
        if node.func.id == "super" and not node.args and not node.keywords:
            return _super(node, context)
        if node.func.id in FRAME_BUILTINS:
            args, kwargs = _arguments(node, context)
            return op("call_in_frame", node.func, args, kwargs, context.module_dictionary(), thunk(_locals(context)))
        if node.func.id == "len" and len(node.args) == 1 and isinstance(node.args[0], gast.BinOp) and not node.keywords:
            how, parts = node.args[0].op, [node.args[0].left, node.args[0].right]
            if isinstance(how, (gast.BitAnd, gast.BitOr)):
                return op("len_of_two", *context.exprs(parts), const(isinstance(how, gast.BitAnd)))
        if node.func.id in GOING_THROUGH and len(node.args) == 1:
            node.args = [with_items_alone(node.args[0])]
    target = context.expr(node.func)
    return op("look_up" if getattr(node, "gives_items", False) else "call", target, *_arguments(node, context))


def _arguments(node: gast.Call, context: Context) -> tuple[gast.AST, gast.AST]:
    args = tuple_of(convert_positional(node.args, context))
    pieces: list[gast.AST] = []
    for keyword in node.keywords:
        value = context.expr(keyword.value)
        if keyword.arg is None:
            pieces.append(op("spread_keywords", value))
        elif pieces and isinstance(pieces[-1], gast.Dict):
            pieces[-1].keys.append(const(keyword.arg))
            pieces[-1].values.append(value)
        else:
            pieces.append(gast.Dict([const(keyword.arg)], [value]))
    if not pieces:
        return args, const(None)
    if len(pieces) == 1:
        return args, pieces[0] if node.keywords[0].arg is not None else gast.Dict([None], [pieces[0]])
    return args, op("merge_keywords", *pieces)


def _super(node: gast.Call, context: Context) -> gast.AST:
    owner = context
    while owner.inline and owner.parent is not None:
        owner = owner.parent
    if not owner.params:
        raise context.unit.refuse("super() in a function without parameters", node, "Write super(Class, instance).")
    return op("call", node.func, tuple_of([load("__class__"), load(owner.params[0])]), const(None))


def _locals(context: Context) -> gast.AST:
    names: set[str] = set()
    owner: Context | None = context
    while owner is not None and owner.inline:
        owner = owner.parent
    if owner is not None:
        free = {n for n in owner.uses.free if n in context.unit.free or (owner.parent is not None and owner.parent.owner(n) is not None)}
        names = (owner.user_names() | free) - {"__class__"}
    ordered = sorted(names)
    values = [op("state_of", thunk(load(n)), const(n)) for n in ordered]
    return gast.Dict([const(n) for n in ordered], values)

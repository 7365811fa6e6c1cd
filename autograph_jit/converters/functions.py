"""Functions inside a converted function: definitions, lambdas, classes, and expressions that need statements.

Before: `def g(v): return v + k`, `lambda v: v * 2`
After:  `@ag__.converted def g(v): ...`, `ag__.converted(lambda v: v * 2)`

Generators, coroutines and class-level statements stay as they are; only their reads of variables that may be unbound are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph_jit.converters.calls import FRAME_BUILTINS, is_operator
from autograph_jit.converters.context import Context
from autograph_jit.converters.generators import consumable_form, is_consumable, lower_yields
from autograph_jit.converters.jumps import JumpLowering, blocks_of
from autograph_jit.converters.late_reads import mark_late
from autograph_jit.converters.simplify import simplify
from autograph_jit.syntax.liveness import Liveness
from autograph_jit.syntax.origin import place
from autograph_jit.syntax.reaching import DefiniteAssignment
from autograph_jit.syntax.scopes import (
    FUNCTIONS,
    comprehension_targets,
    function_uses,
    is_suspending,
    outer_parts,
    parameter_names,
    uses_of,
)
from autograph_jit.syntax.templates import const, function, load, native_call, op, operator, tuple_of, undefined


def child_context(node: gast.AST, context: Context) -> Context:
    """The context of a function defined in `context`."""
    uses = function_uses(node)
    return Context(context.unit, context, uses, set(uses.bound), parameter_names(node.args))


def analyse(stmts: list[gast.stmt], context: Context) -> None:
    """Find the state of every region and the reads that may find a variable unbound."""
    uses = context.uses
    known = frozenset(context.own | uses.nonlocal_names)
    sees_frame = bool(uses.reads & FRAME_BUILTINS)
    always = known & (known if sees_frame else uses.captured | uses.nonlocal_names)
    live = Liveness(known, frozenset(always), frozenset(uses.rebound & known))
    live.block(stmts, frozenset(), frozenset())
    context.state, context.begun = live.state, live.begun
    start = frozenset(context.params) | uses.nonlocal_names
    assignment = DefiniteAssignment(known, context.state, uses.deleted)
    assignment.block(stmts, start)
    context.doubtful = assignment.doubtful
    never = uses.bound - uses_of(stmts).writes - set(context.params)
    context.unbound = ((assignment.unbound | uses.deleted) & context.own) | never


def convert_body(body: list[gast.stmt], context: Context) -> list[gast.stmt]:
    """Convert the body of a function."""
    is_doc = isinstance(body[0], gast.Expr) and isinstance(body[0].value, gast.Constant) and isinstance(body[0].value.value, str)
    head: list[gast.stmt] = body[:1] if is_doc else []
    mark_late(body)
    simple, temporaries = simplify(body[len(head) :], context.unit)
    if context.generator:
        simple = lower_yields(simple, context.unit)
    lowering = JumpLowering(context.unit.namer, gives_value=not context.generator)
    stmts = lowering.function(simple) if simple else []
    context.own |= lowering.variables | temporaries
    analyse(stmts, context)
    out = context.block(stmts)
    start = undefined_names(out, context)
    lines = context.declarations([*out, *start])
    used = context.uses.nonlocal_names
    lines = [n for n in lines if not isinstance(n, gast.Nonlocal)] + ([gast.Nonlocal(sorted(used))] if used else [])
    return [*head, *lines, *start, *out] or [gast.Pass()]


def undefined_names(out: list[gast.stmt], context: Context) -> list[gast.stmt]:
    """Start the variables that may be seen unbound, or that only inner functions assign."""
    native = uses_of(out).writes
    names = (context.unbound | (context.own - native)) - set(context.params) - context.uses.nonlocal_names
    return [undefined(n) for n in sorted(names)]


def inline_function(stem: str, body: list[gast.stmt], params: list[str], context: Context, is_scope: bool = False) -> gast.FunctionDef:
    """Hoist a function of statements that computes an expression of `context`; names bound by `:=` in it are the context's."""
    new = function(context.unit.namer.fresh(stem), params, body)
    uses = function_uses(new)
    outside = walrus_names(body)
    declared = {n for n in outside if context.is_declared_global(n)}
    uses.global_names |= declared
    uses.nonlocal_names |= outside - declared
    inner = Context(context.unit, context, uses, set(uses.bound), params, inline=True, is_scope=is_scope)
    new.body = convert_body(body, inner)
    context.hoisted.append(new)
    return new


def call_inline(
    stem: str, body: list[gast.stmt], arguments: list[tuple[str, gast.AST]], context: Context, is_scope: bool = False
) -> gast.AST:
    """Compute an expression by statements: a hoisted function and its call."""
    values = [context.expr(value) for _, value in arguments]
    new = inline_function(stem, body, [name for name, _ in arguments], context, is_scope)
    return native_call(load(new.name), *values)


def walrus_names(nodes: list[Any]) -> set[str]:
    """Names bound by `:=`, also in comprehensions, but not in nested functions."""
    found: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, FUNCTIONS):
            pending += outer_parts(node)
            continue
        if isinstance(node, gast.NamedExpr):
            found.add(node.target.id)
        pending += gast.iter_child_nodes(node)
    return found


def convert_arguments(args: gast.arguments, context: Context) -> None:
    """Convert the default values, which belong to the scope around the function."""
    args.defaults = context.exprs(args.defaults)
    args.kw_defaults = [context.expr(d) if d is not None else None for d in args.kw_defaults]


def decorators(node: Any, convert: Callable[[gast.AST], gast.AST]) -> list[gast.AST]:
    """The decorators of a definition: they are called as converted functions are."""
    return [place(op("decorator", convert(decorator)), decorator) for decorator in node.decorator_list]


def convert_definition(node: gast.FunctionDef, context: Context) -> list[gast.stmt]:
    """A function defined inside the converted one."""
    if is_suspending(node):
        return convert_generator_definition(node, context)
    child = child_context(node, context)
    node.decorator_list = [*decorators(node, context.expr), operator("converted")]
    convert_arguments(node.args, context)
    node.body = convert_body(node.body, child)
    return [node]


def convert_generator_definition(node: gast.FunctionDef, context: Context) -> list[gast.stmt]:
    """A generator stays as it is, with its consumable form beside it."""
    form, by_loops = consumable_form(node, context), is_consumable(node.body)
    if form is None:
        node = protect(node, context)
        node.decorator_list = [*node.decorator_list, op("generator", const(None), const(False))]
        return [node]
    child = child_context(form, context)
    child.generator = True
    form.body = convert_body(form.body, child)
    node = protect(node, context)
    node.decorator_list = [*node.decorator_list, op("generator", load(form.name), const(by_loops))]
    return [form, node]


def convert_async(node: gast.AsyncFunctionDef, context: Context) -> list[gast.stmt]:
    """A coroutine function stays as it is."""
    return [protect(node, context)]


def convert_lambda(node: gast.Lambda, context: Context) -> gast.AST:
    """A lambda; one whose body needs statements becomes a function with the lambda's name."""
    if is_suspending(node):
        return protect(node, context)
    child = child_context(node, context)
    convert_arguments(node.args, context)
    stmts = convert_lambda_body(node, child)
    if len(stmts) == 1:
        return op("converted", gast.Lambda(node.args, stmts[0].value))
    defaults, keywords = node.args.defaults, node.args.kw_defaults
    pairs = [(p.id, d) for p, d in zip(node.args.kwonlyargs, keywords) if d is not None]
    node.args.defaults, node.args.kw_defaults = [], [None for _ in keywords]
    new = place(function(context.unit.namer.fresh("lambda_"), [], [place(stmt, node.body) for stmt in stmts]), node)
    new.args = node.args
    context.hoisted.append(new)
    return op("lambda_", load(new.name), tuple_of(defaults), gast.Dict([const(n) for n, _ in pairs], [d for _, d in pairs]))


def convert_lambda_body(node: gast.Lambda, context: Context) -> list[gast.stmt]:
    """The statements of a lambda: one `return` unless its expression needs definitions."""
    assignment = DefiniteAssignment(frozenset(context.own), {})
    assignment.value(node.body, frozenset(context.params))
    context.doubtful, context.unbound = assignment.doubtful, assignment.unbound
    stmts = context.returning(node.body)
    return [*undefined_names(stmts, context), *stmts]


def convert_class(node: gast.ClassDef, context: Context) -> list[gast.stmt]:
    """A class: its methods are converted; its other statements run as they are, but that what they make is the program's."""
    node.decorator_list = [*decorators(node, context.expr), operator("converted")]
    node.bases = context.exprs(node.bases)
    for keyword in node.keywords:
        keyword.value = context.expr(keyword.value)
    hidden = uses_of(node.body).writes
    node.body = [_class_statement(s, hidden, context) for s in node.body]
    return [node]


def _class_statement(node: gast.stmt, hidden: set[str], context: Context) -> gast.stmt:
    if isinstance(node, gast.FunctionDef) and not is_suspending(node):
        child = child_context(node, context)
        guard = _Protection(context, hidden)
        node.decorator_list = [*decorators(node, _ClassStatement(context, hidden).visit), operator("converted")]
        node.args.defaults = [guard.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [guard.visit(d) if d is not None else None for d in node.args.kw_defaults]
        node.body = convert_body(node.body, child)
        return node
    if isinstance(node, (gast.If, gast.For, gast.While, gast.With, gast.Try)):
        for block in blocks_of(node):
            block[:] = [_class_statement(s, hidden, context) for s in block]
        return node
    return _ClassStatement(context, hidden).visit(node)


def protect(node: Any, context: Context) -> Any:
    """Check the reads of this function's unbound variables in code that is otherwise left alone."""
    return _Protection(context, set()).visit(node)


class _Protection(gast.NodeTransformer):
    def __init__(self, context: Context, hidden: set[str]) -> None:
        self.context, self.hidden = context, hidden

    def visit_Name(self, node: gast.Name) -> gast.AST:
        owner = self.context.owner(node.id)
        if not isinstance(node.ctx, gast.Load) or node.id in self.hidden or owner is None or node.id not in owner.unbound:
            return node
        return op("ld_free", node, const(node.id))

    def _scope(self, node: Any) -> Any:
        if isinstance(node, FUNCTIONS):
            inner = _Protection(self.context, self.hidden | function_uses(node).bound)
            node.body = [inner.visit(s) for s in node.body] if isinstance(node.body, list) else inner.visit(node.body)
            node.args.defaults = [self.visit(d) for d in node.args.defaults]
            return node
        inner = _Protection(self.context, self.hidden | comprehension_targets(node))
        inner.generic_visit(node)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _scope
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _scope


class _ClassStatement(_Protection):
    """A statement of a class body: its displays and calls are operators, so that what they make is made anew by every run."""

    def visit_List(self, node: gast.List) -> gast.AST:
        self.generic_visit(node)
        return op("new_list", node) if isinstance(node.ctx, gast.Load) else node

    def visit_Dict(self, node: gast.Dict) -> gast.AST:
        self.generic_visit(node)
        return op("new_dict", node)

    def visit_Set(self, node: gast.Set) -> gast.AST:
        self.generic_visit(node)
        return op("new_set", node)

    def visit_ListComp(self, node: gast.ListComp) -> gast.AST:
        return op("new_list", self._scope(node))

    def visit_DictComp(self, node: gast.DictComp) -> gast.AST:
        return op("new_dict", self._scope(node))

    def visit_SetComp(self, node: gast.SetComp) -> gast.AST:
        return op("new_set", self._scope(node))

    def visit_Call(self, node: gast.Call) -> gast.AST:
        self.generic_visit(node)
        if is_operator(node.func) or isinstance(node.func, gast.Name) and node.func.id in (*FRAME_BUILTINS, "super"):
            return node
        keywords = gast.Dict([const(k.arg) if k.arg is not None else None for k in node.keywords], [k.value for k in node.keywords])
        return op("call", node.func, tuple_of(node.args), keywords)

"""Which names a piece of code reads, binds and captures, by Python's scoping rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

import gast

from autograph_jit.records import dataclass

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp)
NAMELESS = (gast.Constant, gast.expr_context, gast.operator, gast.unaryop, gast.boolop, gast.cmpop)  # a third of a tree
SUSPENSIONS = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)


@dataclass(slots=True)
class Uses:
    """The names that code uses in the scope it stands in.

    reads: read directly (also by comprehensions); writes: bound or deleted; captured: used by nested functions, classes and generator
    expressions; rebound: assigned by nested functions through `nonlocal`; deletes: by `del`; deleted: by that of nested functions;
    global_names, nonlocal_names: declared as such.
    """

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    deletes: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)

    @property
    def bound(self) -> set[str]:
        """The names that belong to the scope itself."""
        return self.writes - self.global_names - self.nonlocal_names

    @property
    def free(self) -> set[str]:
        """The names that a function with this body takes from outside."""
        return (self.reads | self.captured | self.nonlocal_names) - self.bound - self.global_names


def parameter_nodes(args: gast.arguments) -> list[gast.Name]:
    """All parameters in the order of `co_varnames`."""
    rest = [p for p in (args.vararg, args.kwarg) if p is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *rest]


def parameter_names(args: gast.arguments) -> list[str]:
    """The names of all parameters."""
    return [p.id for p in parameter_nodes(args)]


def outer_parts(node: gast.AST) -> list[gast.AST]:
    """What a definition evaluates where it stands: decorators, defaults, annotations, base classes."""
    parts = list(getattr(node, "decorator_list", []))
    if isinstance(node, gast.ClassDef):
        return parts + list(node.bases) + list(node.keywords)
    parts += node.args.defaults + [d for d in node.args.kw_defaults if d is not None]
    parts += [p.annotation for p in parameter_nodes(node.args) if p.annotation is not None]
    return parts + ([node.returns] if getattr(node, "returns", None) is not None else [])


class _Collector(gast.NodeVisitor):
    def __init__(self) -> None:
        self.uses = Uses()

    def visit_all(self, nodes: Iterable[gast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def generic_visit(self, node: gast.AST) -> None:
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, list):
                self.visit_all([child for child in part if isinstance(child, gast.AST) and not isinstance(child, NAMELESS)])
            elif isinstance(part, gast.AST) and not isinstance(part, NAMELESS):
                self.visit(part)

    def visit_Name(self, node: gast.Name) -> None:
        if isinstance(node.ctx, gast.Load):
            self.uses.reads.add(node.id)
        else:
            self.uses.writes.add(node.id)
            if isinstance(node.ctx, gast.Del):
                self.uses.reads.add(node.id)
                self.uses.deletes.add(node.id)

    def visit_AugAssign(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self.uses.reads.add(node.target.id)
        self.generic_visit(node)

    def _definition(self, node: gast.AST) -> None:
        if hasattr(node, "name"):
            self.uses.writes.add(node.name)
        self.visit_all(outer_parts(node))
        inner = function_uses(node) if isinstance(node, FUNCTIONS) else class_uses(node)
        hidden = {p.name for p in getattr(node, "type_params", [])}
        self.uses.captured |= inner.free - hidden
        self.uses.rebound |= (inner.nonlocal_names | (inner.rebound - inner.bound)) - hidden
        self.uses.deleted |= inner.deletes & inner.nonlocal_names | inner.deleted - inner.bound

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _definition

    def _comprehension(self, node: gast.AST) -> None:
        inner = _Collector()
        if isinstance(node, gast.GeneratorExp):  # its first iterable is evaluated where it stands
            first, *others = node.generators
            self.visit(first.iter)
            inner.visit_all([node.elt, first.target, *first.ifs, *others])
        else:
            inner.generic_visit(node)
        targets = comprehension_targets(node)
        uses = inner.uses
        reads = self.uses.captured if isinstance(node, gast.GeneratorExp) else self.uses.reads
        reads |= uses.reads - targets
        self.uses.captured |= uses.captured - targets
        self.uses.rebound |= uses.rebound - targets
        self.uses.writes |= uses.writes - targets
        if isinstance(node, gast.GeneratorExp):
            self.uses.rebound |= uses.writes - targets

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Global(self, node: gast.Global) -> None:
        self.uses.global_names.update(node.names)

    def visit_Nonlocal(self, node: gast.Nonlocal) -> None:
        self.uses.nonlocal_names.update(node.names)

    def visit_alias(self, node: gast.alias) -> None:
        if node.name != "*":
            self.uses.writes.add(node.asname or node.name.partition(".")[0])

    def _pattern(self, node: gast.AST) -> None:
        name = node.rest if isinstance(node, gast.MatchMapping) else node.name
        if name is not None:
            self.uses.writes.add(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _pattern


def comprehension_targets(node: gast.AST) -> set[str]:
    """The names that a comprehension binds in its own scope."""
    found: set[str] = set()
    for generator in node.generators:
        found |= {n.id for n in gast.walk(generator.target) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
    return found


def uses_of(nodes: Sequence[gast.AST]) -> Uses:
    """What the nodes use in the scope they stand in."""
    collector = _Collector()
    collector.visit_all(nodes)
    return collector.uses


def function_uses(node: gast.AST) -> Uses:
    """What the body of a function uses; its parameters count as written."""
    uses = uses_of(node.body if isinstance(node.body, list) else [node.body])
    uses.writes |= set(parameter_names(node.args))
    return uses


def class_uses(node: gast.ClassDef) -> Uses:
    """What a class body takes from outside: names that it binds hide nothing from its methods."""
    inner = uses_of(node.body)
    free = ((inner.reads - inner.bound) | inner.captured | inner.nonlocal_names) - inner.global_names
    return Uses(reads=free - {"__class__"}, rebound=inner.rebound, nonlocal_names=inner.nonlocal_names)


def is_suspending(node: gast.AST) -> bool:
    """Whether a function is a generator or a coroutine, so that calling it runs nothing."""
    if isinstance(node, gast.AsyncFunctionDef):
        return True
    pending = list(node.body) if isinstance(node.body, list) else [node.body]
    while pending:
        child = pending.pop()
        if isinstance(child, SUSPENSIONS):
            return True
        if isinstance(child, (*FUNCTIONS, gast.ClassDef)):
            pending += outer_parts(child)
        else:
            pending += gast.iter_child_nodes(child)
    return False


def has_walrus(node: gast.AST) -> bool:
    """Whether evaluating an expression binds a name of the scope it stands in."""
    return bool(uses_of([node]).writes)

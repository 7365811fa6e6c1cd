"""Definite assignment of code without jumps: which reads of a variable may find it unbound.

Conservative where a region may be skipped or left by an exception: only straight-line assignments and assignments in both
branches of an `if` count.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import field

import gast

from autograph_jit.records import dataclass
from autograph_jit.syntax.scopes import COMPREHENSIONS, comprehension_targets, outer_parts

Names = frozenset[str]


def _meet(a: Names | None, b: Names | None) -> Names | None:
    """What is bound on both of two paths; None is a path that does not go on."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


def deleted_in(*nodes: gast.AST) -> set[str]:
    """The variables that statements delete, the names of handlers among them."""
    found = [n for node in nodes for n in gast.walk(node)]
    handled = {n.name.id for n in found if isinstance(n, gast.ExceptHandler) and n.name is not None}
    return handled | {n.id for n in found if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Del)}


@dataclass(slots=True)
class DefiniteAssignment:
    """One forward walk over a function: fills `doubtful` (Name nodes) and `unbound` (names that may be seen unbound). What nested functions
    delete may be unbound anywhere."""

    variables: Names
    state: Mapping[gast.AST, tuple[str, ...]]
    deleted: Set[str] = frozenset()
    doubtful: set[gast.AST] = field(default_factory=set)
    unbound: set[str] = field(default_factory=set)

    def block(self, stmts: list[gast.stmt], bound: Names | None) -> Names | None:
        """What is bound after a block, or None if its end is not reached."""
        for node in stmts:
            bound = self.statement(node, self.variables if bound is None else bound)
        return bound

    def statement(self, node: gast.stmt, bound: Names) -> Names | None:
        """What is bound after a statement."""
        self.unbound.update(n for n in self.state.get(node, ()) if n not in bound or n in self.deleted)
        if isinstance(node, gast.If):
            bound = self.value(node.test, bound)
            return _meet(self.block(node.body, bound), self.block(node.orelse, bound))
        if isinstance(node, gast.While):
            after = self.value(node.test, bound)
            return self._loop(node, [], after)
        if isinstance(node, gast.For):
            bound = self.value(node.iter, bound)
            extra = getattr(node, "extra_test", None)
            if extra is not None:
                self.value(extra, bound)
            return self._loop(node, [node.target], bound)
        if isinstance(node, (gast.Try, gast.TryStar)):
            return self._try(node, bound)
        if isinstance(node, gast.With):
            return self._with(node, bound)
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            return self._definition(node, bound) | {node.name}
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            self._read(node.target, bound)
            return self.value(node.value, bound) | {node.target.id}
        after = self._parts(node, bound)
        return None if isinstance(node, (gast.Raise, gast.Return)) else after

    def _parts(self, node: gast.stmt, bound: Names) -> Names:
        if isinstance(node, (gast.Assign, gast.AnnAssign)) and node.value is not None:
            bound = self.value(node.value, bound)
            for target in node.targets if isinstance(node, gast.Assign) else [node.target]:
                bound = self.value(target, bound)
            return bound
        for child in gast.iter_child_nodes(node):
            bound = self.value(child, bound)
        return bound

    def _loop(self, node: gast.stmt, targets: list[gast.AST], bound: Names) -> Names:
        head = bound
        while True:
            start = head
            for target in targets:
                start = self.value(target, start)
            end = self.block(node.body, start)
            new = head if end is None else head & end
            if new == head:
                return head
            head = new
            if isinstance(node, gast.While):
                self.value(node.test, head)

    def _try(self, node: gast.stmt, bound: Names) -> Names | None:
        kept = bound - deleted_in(node)
        after = self.block(node.body, bound)
        if node.orelse and after is not None and self.block(node.orelse, after) is None:
            after = None  # what else binds is doubtful behind the statement, where the else clause is a branch of its own
        for handler in node.handlers:
            inside = self.value(handler.type, kept) if handler.type is not None else kept
            inside |= {handler.name.id} if handler.name is not None else frozenset()
            end = self.block(handler.body, inside)
            after = _meet(after, end - {handler.name.id} if handler.name is not None and end is not None else end)
        if not node.finalbody:
            return after
        final = self.block(node.finalbody, kept)
        if final is None or (after is None and not getattr(node, "override", None)):
            return None
        return (after or frozenset()) - deleted_in(*node.finalbody) | final if not getattr(node, "override", None) else final

    def _with(self, node: gast.With, bound: Names) -> Names:
        for item in node.items:
            bound = self.value(item.context_expr, bound)
        inside = bound
        for item in node.items:
            inside = self.value(item.optional_vars, inside) if item.optional_vars is not None else inside
        after = self.block(node.body, inside)
        return bound if after is None else bound & after

    def _definition(self, node: gast.AST, bound: Names) -> Names:
        for part in outer_parts(node):
            bound = self.value(part, bound)
        return bound

    def _read(self, node: gast.Name, bound: Names) -> None:
        if node.id in self.variables and (node.id not in bound or node.id in self.deleted):
            self.doubtful.add(node)
            self.unbound.add(node.id)

    def value(self, node: gast.AST, bound: Names) -> Names:
        """What is bound after an expression or an assignment target was evaluated."""
        if isinstance(node, gast.Name):
            if isinstance(node.ctx, gast.Store):
                return bound | {node.id}
            self._read(node, bound)
            if isinstance(node.ctx, gast.Del) and node.id in self.variables:
                self.unbound.add(node.id)
                return bound - {node.id}
            return bound
        if isinstance(node, gast.Lambda):
            return self._definition(node, bound)
        if isinstance(node, gast.GeneratorExp):
            self._children(node, bound | comprehension_targets(node))
            return self.value(node.generators[0].iter, bound)
        if isinstance(node, (gast.BoolOp, gast.IfExp)) or (isinstance(node, gast.Compare) and len(node.ops) > 1):
            return self._choices(node, bound)
        if isinstance(node, COMPREHENSIONS):
            self._children(node, bound | comprehension_targets(node))
            self.value(node.generators[0].iter, bound)
            return bound
        if isinstance(node, gast.NamedExpr):
            return self.value(node.target, self.value(node.value, bound))
        if isinstance(node, gast.alias):
            return bound | {node.asname or node.name.partition(".")[0]}
        return self._children(node, bound)

    def _children(self, node: gast.AST, bound: Names) -> Names:
        for child in gast.iter_child_nodes(node):
            bound = self.value(child, bound)
        return bound

    def _choices(self, node: gast.AST, bound: Names) -> Names:
        if isinstance(node, gast.BoolOp):
            first, rest = node.values[0], node.values[1:]
        elif isinstance(node, gast.IfExp):
            first, rest = node.test, [node.body, node.orelse]
        else:
            first, rest = node.left, node.comparators
        bound = self.value(first, bound)
        inside = bound
        for part in rest:
            inside = self.value(part, bound if isinstance(node, gast.IfExp) else inside)
        return bound

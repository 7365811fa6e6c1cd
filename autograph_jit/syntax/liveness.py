"""Live variables of code without jumps: which names may still be read after a statement, and the state of each region.

Requires: `break`, `continue` and early `return` lowered to flags, so a block is left at its end or by an exception.
"""

from __future__ import annotations

from dataclasses import field

import gast

from autograph_jit.records import dataclass
from autograph_jit.syntax.scopes import uses_of

Names = frozenset[str]
REGIONS = (gast.If, gast.For, gast.While, gast.Try, gast.With)


@dataclass(slots=True)
class Liveness:
    """One backward walk over a function.

    variables: the names that can be state; always: those read from elsewhere at any time (by nested functions); shared: those that
    nested functions assign; state: the result, per region statement; begun: of a loop's state, what its test assigns before all reads.
    """

    variables: Names
    always: Names
    shared: Names
    state: dict[gast.AST, tuple[str, ...]] = field(default_factory=dict)
    begun: dict[gast.AST, list[str]] = field(default_factory=dict)

    def block(self, stmts: list[gast.stmt], after: Names, on_error: Names) -> Names:
        """The names live before a block, given those live after it and those live where an exception would lead."""
        for statement in reversed(stmts):
            after = self.statement(statement, after | on_error | self.always, on_error)
        return after

    def statement(self, node: gast.stmt, after: Names, on_error: Names) -> Names:
        """The names live before a statement."""
        if isinstance(node, gast.If):
            return self._if(node, after, on_error)
        if isinstance(node, gast.While):
            return self._loop(node, [node.test], [], after, on_error)
        if isinstance(node, gast.For):
            extra = [node.extra_test] if getattr(node, "extra_test", None) is not None else []
            live = self._loop(node, extra, [node.target], after, on_error)
            return self._before([node.iter], live)
        if isinstance(node, (gast.Try, gast.TryStar)):
            return self._try(node, after, on_error)
        if isinstance(node, gast.With):
            return self._with(node, after, on_error)
        if isinstance(node, (gast.Raise, gast.Return)):
            return self._before([node], on_error | self.always)
        return self._before([node], after)

    def _before(self, nodes: list[gast.AST], after: Names) -> Names:
        uses = uses_of(nodes)
        return (after - (uses.writes - perhaps_assigned(nodes))) | uses.reads | uses.captured

    def _record(self, node: gast.stmt, parts: list[gast.AST], live: Names) -> None:
        assigned = uses_of(parts).writes & self.variables & live
        self.state[node] = tuple(sorted(assigned | self.shared))

    def _if(self, node: gast.If, after: Names, on_error: Names) -> Names:
        entry = self.block(node.body, after, on_error) | self.block(node.orelse, after, on_error)
        self._record(node, node.body + node.orelse, after | entry)
        return self._before([node.test], entry)

    def _loop(self, node: gast.stmt, tests: list[gast.AST], targets: list[gast.AST], after: Names, on_error: Names) -> Names:
        head = self._before(tests, after)
        while True:
            body = self._before(targets, self.block(node.body, head, on_error))
            new = head | self._before(tests, after | body)
            if new == head:
                break
            head = new
        self._record(node, [*tests, *targets, *node.body], after | head | body)
        self.begun[node] = [name for name in self.state[node] if name not in head | on_error | self.always]
        return head

    def _try(self, node: gast.stmt, after: Names, on_error: Names) -> Names:
        override = frozenset([node.override]) if getattr(node, "override", None) else frozenset()
        final = self.block(node.finalbody, after | on_error | override, on_error) if node.finalbody else after
        beyond = final | on_error if node.finalbody else on_error
        caught = beyond
        for handler in node.handlers:
            body = self.block(handler.body, final, beyond)
            names = [part for part in (handler.name, handler.type) if part is not None]
            caught |= self._before(names, body)
        orelse = self.block(node.orelse, final, beyond)
        entry = self.block(node.body, orelse, caught)
        parts = [*node.body, *node.orelse, *node.finalbody, *node.handlers]
        self._record(node, parts, after | entry | caught | orelse | final)
        return entry | caught

    def _with(self, node: gast.With, after: Names, on_error: Names) -> Names:
        targets = [i.optional_vars for i in node.items if i.optional_vars is not None]
        body = self._before(targets, self.block(node.body, after, after | on_error)) | after
        self._record(node, [*targets, *node.body], after | body)
        return self._before([i.context_expr for i in node.items], body)


def perhaps_assigned(nodes: list[gast.AST]) -> Names:
    """The names that `:=` assigns in parts of expressions that may be left out, as the right side of `and`."""
    walked = [part for node in nodes for part in gast.walk(node)]
    optional = [part for node in walked for part in optional_parts(node)]
    return frozenset(node.target.id for part in optional for node in gast.walk(part) if isinstance(node, gast.NamedExpr))


def optional_parts(node: gast.AST) -> list[gast.AST]:
    """The parts of an expression that are computed on some ways only."""
    if isinstance(node, gast.BoolOp):
        return node.values[1:]
    if isinstance(node, gast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, gast.Compare):
        return node.comparators[1:]
    if isinstance(node, (gast.ListComp, gast.SetComp, gast.GeneratorExp, gast.DictComp)):
        return [part for part in gast.iter_child_nodes(node) if part is not node.generators[0]] + node.generators[0].ifs
    return []

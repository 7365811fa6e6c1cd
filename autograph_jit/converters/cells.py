"""Variables that functions capture and that change afterwards, as attributes of a cell: an instance, which the functions hold by reference.

Before: `n = 0`, then `def tick(): nonlocal n; n += 1; return n`
After:  `cell_of_n = ag__.new_cell(..., 0)`, then `def tick(): cell_of_n.captured += 1; return cell_of_n.captured`

Only where the trace asks for it, since such functions are kept in containers: other captured variables are those of Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from autograph_jit.converters.calls import FRAME_BUILTINS
from autograph_jit.source import Variable
from autograph_jit.syntax.names import Namer
from autograph_jit.syntax.origin import locate, place
from autograph_jit.syntax.scopes import (
    COMPREHENSIONS,
    FUNCTIONS,
    comprehension_targets,
    function_uses,
    is_suspending,
    outer_parts,
    parameter_names,
    parameter_nodes,
    uses_of,
)
from autograph_jit.syntax.templates import assign, attribute, const, load, op

CONTENTS, CAPTURED = "contents", "captured"  # as the function reads it that has the variable, and as those inside do


class NoCell(Exception):
    """A statement binds the variable in a way that no attribute can be bound."""


def use_cells(node: Any, variables: Iterable[Variable], namer: Namer) -> None:
    """Rewrite a function in place so that these variables, of it or of functions inside, are attributes of cells."""
    for variable in sorted(variables):
        for owner in list(owners(node, variable)):
            try:
                new = body_with_cell(owner, variable, namer)
            except NoCell:
                continue
            owner.body = new


def owners(node: Any, variable: Variable) -> Iterator[Any]:
    """The functions on a line that have a variable of this name which others capture."""
    _, line, name = variable
    for inner in gast.walk(node):
        if isinstance(inner, gast.FunctionDef) and line in {inner.lineno, *(each.lineno for each in inner.decorator_list)}:
            uses = function_uses(inner)
            if name in uses.bound and name in uses.captured | uses.rebound and not is_suspending(inner):
                yield inner


def body_with_cell(owner: Any, variable: Variable, namer: Namer) -> list[gast.stmt]:
    """The body of a function with one of its variables in a cell."""
    name, body = variable[2], owner.body
    if any(name in bound_otherwise(node) or is_seen_whole(node, name) for node in nodes_about(body, name)):
        raise NoCell
    cell, made = namer.fresh(f"cell_of_{name}"), [const(part) for part in variable]
    head = 0 if gast.get_docstring(owner, clean=False) is None else 1
    first = next(number for number, statement in enumerate(body) if number >= head and mentions(statement, name))
    before, after, value = body[:first], body[first:], bound_first(body[first], name)
    if name in parameter_names(owner.args):
        start = [assign(cell, op("new_cell", *made, load(name)))]
    elif value is not None:
        kept = [body[first]] if value is not body[first].value else []
        start = [*kept, assign(cell, op("new_cell", *made, value))]
        after = after[1:]
    else:
        before, after, start = body[:head], body[head:], [assign(cell, op("new_cell", *made))]
    for statement in start:
        locate(place(statement, body[first]), owner)
    return [*before, *start, *Renaming(name, cell, CONTENTS).block(after)]


def bound_first(statement: Any, name: str) -> Any:
    """What a variable of which nothing was said before holds when a statement has given it a value, and to no other: the value itself,
    or the variable, as long as it is one. None where the statement does anything else."""
    if isinstance(statement, gast.AnnAssign) and statement.value is not None and not mentions(statement.value, name):
        return statement.value
    if not isinstance(statement, gast.Assign) or mentions(statement.value, name):
        return None
    target = statement.targets[0]
    if len(statement.targets) == 1 and isinstance(target, gast.Name):
        return statement.value
    names = [inner for each in statement.targets for inner in gast.walk(each) if isinstance(inner, gast.Name) and inner.id == name]
    return load(name) if all(isinstance(inner.ctx, gast.Store) for inner in names) else None


def mentions(node: Any, name: str) -> bool:
    """Whether a name stands anywhere in a piece of code."""
    return any(
        getattr(inner, "id", None) == name or getattr(inner, "name", None) == name or name in (getattr(inner, "names", None) or ())
        for inner in gast.walk(node)
    )


def nodes_about(body: list[gast.stmt], name: str) -> Iterator[Any]:
    """The nodes of a body, but of functions inside that have a variable of this name themselves."""
    pending: list[Any] = list(body)
    for node in pending:
        yield node
        is_other = isinstance(node, FUNCTIONS) and name in function_uses(node).bound
        pending += outer_parts(node) if is_other else gast.iter_child_nodes(node)


def bound_otherwise(node: Any) -> set[Any]:
    """The names that a node binds in a way that no attribute can be bound, or that mean something else in it."""
    if isinstance(node, gast.alias):
        return {node.asname or node.name.partition(".")[0]}
    if isinstance(node, gast.Global):
        return set(node.names)
    if isinstance(node, gast.ClassDef):
        return {node.name, *uses_of(node.body).writes}
    if isinstance(node, (*COMPREHENSIONS, gast.GeneratorExp)):
        return comprehension_targets(node)
    if isinstance(node, gast.Name):
        return {node.id} if isinstance(node.ctx, gast.Del) else set()
    if isinstance(node, gast.withitem):
        return {each.id for each in gast.walk(node) if isinstance(each, gast.Name) and isinstance(each.ctx, gast.Store)}
    target = node.target if isinstance(node, gast.NamedExpr) else node.name if isinstance(node, gast.ExceptHandler) else None
    return {getattr(target, "id", None), *(getattr(node, field, None) for field in ("rest", *(["name"] if is_pattern(node) else [])))}


def is_seen_whole(node: Any, name: str) -> bool:
    """Whether a node reads all variables, or is a function that stays as it is and assigns this one."""
    if isinstance(node, gast.Name):
        return node.id in FRAME_BUILTINS
    return isinstance(node, FUNCTIONS) and is_suspending(node) and name in function_uses(node).nonlocal_names


def is_pattern(node: Any) -> bool:
    """Whether a node is a pattern that binds its name."""
    return isinstance(node, (gast.MatchAs, gast.MatchStar))


class Renaming(gast.NodeTransformer):
    """Puts the attribute of a cell in the place of a variable."""

    def __init__(self, name: str, cell: str, attribute_name: str) -> None:
        self.name, self.cell, self.attribute_name = name, cell, attribute_name

    def block(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """Statements, with one behind the definition of a function of this name."""
        found: list[gast.stmt] = []
        for statement in statements:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return found

    def access(self, ctx: Any) -> gast.Attribute:
        """The attribute."""
        found = attribute(load(self.cell), self.attribute_name)
        found.ctx = ctx
        return found

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id != self.name:
            return node
        new = gast.copy_location(self.access(node.ctx), node)
        locate(new.value, new)
        return new

    def visit_Nonlocal(self, node: gast.Nonlocal) -> gast.stmt:
        node.names = [name for name in node.names if name != self.name]
        return node if node.names else gast.copy_location(gast.Pass(), node)

    def visit_arguments(self, node: gast.arguments) -> gast.arguments:
        node.defaults = [self.visit(each) for each in node.defaults]
        node.kw_defaults = [each if each is None else self.visit(each) for each in node.kw_defaults]
        for given in parameter_nodes(node):
            given.annotation = given.annotation and self.visit(given.annotation)
        return node

    def _function(self, node: Any) -> Any:
        uses = function_uses(node)
        self.visit_arguments(node.args)
        if not isinstance(node, gast.Lambda):
            node.decorator_list = [self.visit(each) for each in node.decorator_list]
            node.returns = node.returns and self.visit(node.returns)
        if self.name not in uses.bound | uses.global_names:
            inner = Renaming(self.name, self.cell, CAPTURED)
            node.body = inner.block(node.body) if isinstance(node.body, list) else inner.visit(node.body)
        if getattr(node, "name", None) != self.name:
            return node
        new = gast.Assign([self.access(gast.Store())], load(self.name), None)
        locate(place(new, node), node)
        return [node, new]

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function

    def visit_ClassDef(self, node: gast.ClassDef) -> gast.ClassDef:
        for field in ("bases", "keywords", "decorator_list"):
            setattr(node, field, [self.visit(each) for each in getattr(node, field)])
        node.body = Renaming(self.name, self.cell, CAPTURED).block(node.body)
        return node

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> gast.AST:
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        inner = Renaming(self.name, self.cell, CAPTURED)
        node.elt = inner.visit(node.elt)
        first.ifs = [inner.visit(each) for each in first.ifs]
        node.generators[1:] = [inner.visit(each) for each in node.generators[1:]]
        return node

"""The function under conversion: its variables, how each name is read, and where generated statements go."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import gast

from autograph_jit.errors import ConversionError
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan
from autograph_jit.syntax.names import Namer
from autograph_jit.syntax.origin import place
from autograph_jit.syntax.scopes import Uses, uses_of
from autograph_jit.syntax.templates import attribute, const, function, load, native_call, op, parameters, store, thunk, tuple_of

ExpressionRule = Callable[[Any, "Context"], gast.AST]
StatementRule = Callable[[Any, "Context"], list[gast.stmt]]


@dataclass(frozen=True, slots=True)
class Unit:
    """What all functions of one conversion share: names, the file, real free variables, module names, the rules, and whether the trace
    takes note of what operators make."""

    namer: Namer
    filename: str
    free: frozenset[str]
    module_names: Mapping[str, Any]
    expressions: Mapping[type, ExpressionRule]
    statements: Mapping[type, StatementRule]
    notes_made: bool = False

    def is_builtin(self, name: str) -> bool:
        """Whether a global name means a builtin."""
        return hasattr(builtins, name) and name not in self.module_names

    def refuse(self, what: str, node: gast.AST, remedy: str) -> ConversionError:
        """The error for a construct that cannot be converted."""
        span = SourceSpan(self.filename, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        return ConversionError(what, span, "", remedy)


@dataclass(slots=True)
class Context:
    """One function under conversion.

    inline: a comprehension or operand turned into a function, whose outer names belong to `parent`; is_scope: Python has a function there,
    too, which says something else of a missing name; own: the names of its scope;
    generator: its items go to the loop that consumes them;
    unbound: those that may be seen unbound, which start as `Undefined`; doubtful: the reads that must be checked; state: of each region;
    begun: of a loop's state, what its test assigns before all reads.
    """

    unit: Unit
    parent: Context | None
    uses: Uses
    own: set[str]
    params: list[str]
    inline: bool = False
    is_scope: bool = False
    generator: bool = False
    unbound: set[str] = field(default_factory=set)
    doubtful: set[gast.AST] = field(default_factory=set)
    state: dict[gast.AST, tuple[str, ...]] = field(default_factory=dict)
    begun: dict[gast.AST, list[str]] = field(default_factory=dict)
    hoisted: list[gast.stmt] = field(default_factory=list)

    def expr(self, node: gast.AST) -> Any:
        """Convert an expression; definitions it needs go to `hoisted`."""
        rule = self.unit.expressions.get(type(node))
        return place(rule(node, self) if rule is not None else self._generic(node), node)

    def exprs(self, nodes: list[gast.AST]) -> list[gast.AST]:
        """Convert expressions from left to right."""
        return [self.expr(node) for node in nodes]

    def _generic(self, node: gast.AST) -> gast.AST:
        for name, value in gast.iter_fields(node):
            if isinstance(value, gast.expr):
                setattr(node, name, self.expr(value))
            elif isinstance(value, list):
                setattr(node, name, [self.expr(v) if isinstance(v, (gast.expr, gast.Slice)) else v for v in value])
        return node

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        """Convert a statement; definitions that its expressions need come first."""
        saved, self.hoisted = self.hoisted, []
        rule = self.unit.statements.get(type(node))
        if rule is None:
            raise self.unit.refuse(f"`{type(node).__name__}` statement", node, "Move it out of the converted function.")
        new = rule(node, self)
        new, self.hoisted = [*self.hoisted, *new], saved
        return [place(n, node) for n in new]

    def block(self, stmts: list[gast.stmt]) -> list[gast.stmt]:
        """Convert a block."""
        return [new for node in stmts for new in self.statement(node)]

    def returning(self, node: gast.AST) -> list[gast.stmt]:
        """The statements of a function that returns an expression, with the definitions that it needs."""
        saved, self.hoisted = self.hoisted, []
        value = self.expr(node)
        stmts, self.hoisted = [*self.hoisted, gast.Return(value)], saved
        return stmts

    def operand(self, node: gast.AST) -> gast.AST:
        """A zero-argument function that evaluates an expression."""
        return thunk(self.expr(node))

    def closure(self, stem: str, params: list[str], body: list[gast.stmt]) -> gast.FunctionDef:
        """A function inside this one that assigns this function's variables; `body` is converted already."""
        new = function(self.unit.namer.fresh(stem), params, body)
        new.body = [*self.declarations(new.body), *new.body]
        return new

    def declarations(self, body: list[gast.stmt]) -> list[gast.stmt]:
        """The `nonlocal` and `global` lines that a closure with this body needs."""
        writes = uses_of(body).writes
        inner = sorted(writes & (self.own | self.uses.nonlocal_names))
        outer = sorted(writes & self.uses.global_names)
        return [*([gast.Nonlocal(inner)] if inner else []), *([gast.Global(outer)] if outer else [])]

    def state_arguments(self, node: gast.AST) -> tuple[list[gast.stmt], list[gast.AST]]:
        """Definitions, and the last three arguments of a region's operator: get_state, set_state, names."""
        names = self.state.get(node, ())
        getter = thunk(tuple_of(load(n) for n in names))
        if not names:
            return [], [getter, gast.Lambda(parameters(["values"]), const(None)), tuple_of(())]
        values = self.unit.namer.fresh("values")
        targets = gast.Tuple([store(n) for n in names], gast.Store())
        setter = self.closure("set_state", [values], [gast.Assign([targets], load(values), None)])
        return [setter], [getter, load(setter.name), tuple_of(const(n) for n in names)]

    def user_names(self) -> set[str]:
        """The names of the function's own scope that the user wrote."""
        return self.uses.bound

    def owner(self, name: str) -> Context | None:
        """The converted function that a name belongs to, or None for a real free variable or a global."""
        context: Context | None = self
        while context is not None:
            if name in context.own:
                return context
            if name in context.uses.global_names:
                return None
            context = context.parent
        return None

    def is_declared_global(self, name: str) -> bool:
        """Whether this function or one around it declares the name `global`."""
        context: Context | None = self
        while context is not None and name not in context.own:
            if name in context.uses.global_names:
                return True
            context = context.parent
        return False

    def is_shadowed(self, name: str) -> bool:
        """Whether a builtin's name means something else here."""
        return self.owner(name) is not None or name in self.unit.free or not self.unit.is_builtin(name)

    def module_dictionary(self) -> gast.AST:
        """`globals()`, or another way to it where that name is taken."""
        if self.is_shadowed("globals"):
            return attribute(thunk(const(None)), "__globals__")
        return native_call(load("globals"))

    def read(self, node: gast.Name) -> gast.AST:
        """Convert a read of a variable."""
        name = node.id
        owner = self.owner(name)
        if name == "__class__":
            return node
        if owner is None:
            if self.is_declared_global(name):
                return op("global_load", self.module_dictionary(), const(name))
            if name not in self.unit.free and self.unit.is_builtin(name):
                return node
            return op("outer", thunk(node), const(name))
        context: Context = self
        while context.inline and not context.is_scope and context is not owner and context.parent is not None:
            context = context.parent
        if context is not owner:
            return op("ld_free", node, const(name)) if name in owner.unbound else node
        if name in self.unit.namer.generated:
            return node
        doubtful = node in owner.doubtful or (self is not owner and name in owner.unbound)
        return op("ld", node, const(name)) if doubtful else node

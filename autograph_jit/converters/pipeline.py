"""Converts a function: the rules, one construct per file, and the order in which a function goes through them."""

from __future__ import annotations

import ast
import inspect
import threading
from dataclasses import field, replace
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph_jit.converters import (
    assertions,
    assignments,
    attributes,
    comprehensions,
    conditionals,
    formatting,
    fstrings,
    functions,
    literals,
    logical,
    loops,
    native,
    searches,
    subscripts,
    try_,
    variables,
    with_,
)
from autograph_jit.converters.cells import use_cells
from autograph_jit.converters.context import Context, Unit
from autograph_jit.converters.generators import is_consumable
from autograph_jit.converters.leaks import guard_leaks
from autograph_jit.converters.mangling import mangle
from autograph_jit.converters.resumable import resumable_form
from autograph_jit.errors import ConversionError
from autograph_jit.forks import hold_across_forks
from autograph_jit.records import dataclass
from autograph_jit.source import OPERATORS, SourceSpan, Variable
from autograph_jit.syntax.loader import CONVERSIONS, LAMBDA_STEM, bind, compile_function, to_ast
from autograph_jit.syntax.names import Namer, identifiers
from autograph_jit.syntax.origin import locate
from autograph_jit.syntax.parse import Parsed, parse_function
from autograph_jit.syntax.scopes import function_uses, parameter_names
from autograph_jit.syntax.templates import Attempt, Loop, function, parameter
from autograph_jit.weak import WeakKeys

# `simplify` (match, with), then `jumps` (break, continue, return), then liveness, then these rules, applied once from the outside in.
EXPRESSIONS = {
    gast.Name: variables.convert_name,
    gast.NamedExpr: variables.convert_walrus,
    gast.Attribute: attributes.convert_attribute,
    gast.Subscript: subscripts.convert_subscript,
    gast.Slice: subscripts.convert_slice,
    gast.Call: searches.convert_call,
    gast.BinOp: formatting.convert_modulo,
    gast.Compare: logical.convert_compare,
    gast.BoolOp: logical.convert_boolean,
    gast.UnaryOp: logical.convert_not,
    gast.IfExp: logical.convert_conditional,
    gast.List: literals.convert_list,
    gast.Tuple: literals.convert_tuple,
    gast.Set: literals.convert_set,
    gast.Dict: literals.convert_dict,
    gast.Starred: literals.convert_starred,
    gast.JoinedStr: fstrings.convert_fstring,
    gast.ListComp: comprehensions.convert_comprehension,
    gast.SetComp: comprehensions.convert_comprehension,
    gast.DictComp: comprehensions.convert_comprehension,
    gast.GeneratorExp: comprehensions.convert_generator,
    gast.Lambda: functions.convert_lambda,
}
STATEMENTS = {
    gast.If: conditionals.convert_if,
    gast.While: loops.convert_while,
    gast.For: loops.convert_for,
    Loop: loops.convert_for,
    Attempt: try_.convert_try,
    gast.TryStar: try_.convert_try_star,
    gast.With: with_.convert_with,
    gast.Assign: assignments.convert_assign,
    gast.AugAssign: assignments.convert_augmented,
    gast.AnnAssign: assignments.convert_annotated,
    gast.Delete: assignments.convert_delete,
    gast.Assert: assertions.convert_assert,
    gast.Raise: assertions.convert_raise,
    gast.Return: native.convert_return,
    gast.Expr: native.convert_expression,
    gast.Pass: native.keep,
    gast.Import: native.keep,
    gast.ImportFrom: native.keep,
    gast.TypeAlias: native.keep_checked,
    gast.Global: variables.convert_declaration,
    gast.Nonlocal: variables.convert_declaration,
    gast.FunctionDef: functions.convert_definition,
    gast.AsyncFunctionDef: functions.convert_async,
    gast.ClassDef: functions.convert_class,
}


@dataclass(frozen=True, slots=True)
class Form:
    """In which of several ways a function is converted: these variables are attributes of cells, and the trace takes note of the
    containers that operators make."""

    in_cells: frozenset[Variable] = frozenset()
    notes_made: bool = False


USUAL = Form()


@dataclass(frozen=True, slots=True)
class Converted:
    """The result of converting one code object: the new code, and the tree with the signature that the user wrote."""

    code: CodeType
    tree: gast.FunctionDef


@dataclass(frozen=True, slots=True)
class Conversions:
    """What a function was converted to, from which code, by the identity of the operators and the form."""

    function: FunctionType | None = None
    found: dict[tuple[int, Form], tuple[CodeType, FunctionType]] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """A copy of the function starts with nothing."""
        return Conversions, ()


_by_code: WeakKeys[CodeType, dict[tuple[str, Form], Converted]] = WeakKeys()
_consumable: WeakKeys[CodeType, dict[tuple[str, bool], bool]] = WeakKeys()
_resumable: WeakKeys[CodeType, dict[str, tuple[Converted, Converted, tuple[str, ...], tuple[str, ...]] | None]] = WeakKeys()
_lock = threading.RLock()
hold_across_forks(_lock)


def is_convertible(fn: FunctionType) -> bool:
    """Whether a function has a body that runs when it is called: not a generator, not a coroutine, not converted yet."""
    lazy = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    return not fn.__code__.co_flags & lazy and OPERATORS not in fn.__code__.co_freevars


def is_generator(fn: FunctionType) -> bool:
    """Whether a function is a generator that is not in its consumable form yet."""
    return bool(fn.__code__.co_flags & inspect.CO_GENERATOR)


def convert_generator(fn: FunctionType, operators: Any, by_with: bool = False) -> FunctionType | None:
    """The consumable form of a generator function (see `converters.generators`), for loops or a with statement; None where it has none."""
    with _lock:
        known = _consumable.setdefault(fn.__code__, {})  # equal code may stand in several files
        key = fn.__code__.co_filename, by_with
        if key not in known:
            known[key] = is_consumable(parse_function(fn).node.body, by_with)  # type: ignore[attr-defined]
    return bound_conversion(fn, operators) if known[key] else None


def convert_function(fn: FunctionType, operators: Any, form: Form = USUAL) -> FunctionType:
    """The function with its control flow, calls and stores expressed by `operators`; generators and coroutines are returned as they are.

    Raises ConversionError where the source is missing or a construct cannot be converted.
    """
    return bound_conversion(fn, operators, form) if is_convertible(fn) else fn


def bound_conversion(fn: FunctionType, operators: Any, form: Form = USUAL) -> FunctionType:
    """The conversion of a function with its own cells and defaults, made once. The function itself keeps it: it shares the function's
    globals, which may hold the function, so that a table here would keep all three for ever."""
    with _lock:
        known = fn.__dict__.get(CONVERSIONS)
        if known is None or known.function is not fn:  # another's, whose attributes were copied
            known = fn.__dict__[CONVERSIONS] = Conversions(fn)
        key = id(operators), form
        source, new = known.found.get(key, (None, None))
        if new is None or source is not fn.__code__:
            new = bind(_convert_code(fn, form).code, fn, operators)
            known.found[key] = fn.__code__, new
        new.__defaults__, new.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
        return new


def convert_resumable(fn: FunctionType, operators: Any) -> tuple[FunctionType, FunctionType, tuple[str, ...], tuple[str, ...]] | None:
    """The functions that begin and advance a generator which is kept, its parameters, and all that it keeps; None where it has none."""
    with _lock:
        known = _resumable.setdefault(fn.__code__, {})
        key = fn.__code__.co_filename
        if key not in known:
            known[key] = _resumable_code(fn)
        found = known[key]
    if found is None:
        return None
    begin, step, parameters, kept = found
    return without_attributes(bind(begin.code, fn, operators)), bare_step(bind(step.code, fn, operators)), parameters, kept


def without_attributes(made: FunctionType) -> FunctionType:
    """A function that does not hold what the generator function's attributes do."""
    made.__dict__.clear()
    return made


def bare_step(step: FunctionType) -> FunctionType:
    """A step without the default values of the generator's own parameters, which is kept longer than the generator function."""
    step.__defaults__, step.__kwdefaults__ = None, None
    return without_attributes(step)


def _resumable_code(fn: FunctionType) -> tuple[Converted, Converted, tuple[str, ...], tuple[str, ...]] | None:
    parsed = parse_function(fn)
    mangle(parsed.node, parsed.class_name)
    unit = _unit_of(parsed, fn)
    inside = replace(unit, free=frozenset())
    try:
        form = resumable_form(parsed.node, unit)
        begin, step = (_convert_node(fn, each, inside) for each in (form.begin, form.step))
    except ConversionError:
        return None
    return begin, step, form.parameters, form.kept


def to_source(fn: FunctionType) -> str:
    """The converted function as Python text."""
    return ast.unparse(transformed_ast(fn))


def transformed_ast(fn: FunctionType) -> ast.FunctionDef:
    """The tree of the converted function, with the user's line numbers."""
    if fn.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        span = SourceSpan(fn.__code__.co_filename, fn.__code__.co_firstlineno)
        why = "an event loop suspends and resumes its frame: it runs as plain Python"
        raise ConversionError(f"the async function {fn.__qualname__} is not converted", span, why, "convert the functions that it calls")
    return to_ast(_convert_code(fn).tree)


def _convert_code(fn: FunctionType, form: Form = USUAL) -> Converted:
    by_file = _by_code.setdefault(fn.__code__, {})  # equal code may stand in several files
    key = fn.__code__.co_filename, form
    found = by_file.get(key)
    if found is None:
        try:
            found = by_file[key] = _convert_source(fn, form)
        except RecursionError as error:
            span = SourceSpan(fn.__code__.co_filename, fn.__code__.co_firstlineno)
            why = "an expression or its statements are nested too deep for Python's stack"
            remedy = "give parts of it names of their own, or raise sys.setrecursionlimit"
            raise ConversionError(f"`{fn.__qualname__}` cannot be converted", span, why, remedy) from error
    return found


def _convert_source(fn: FunctionType, form: Form) -> Converted:
    parsed = parse_function(fn)
    mangle(parsed.node, parsed.class_name)
    unit = replace(_unit_of(parsed, fn), notes_made=form.notes_made)
    use_cells(parsed.node, form.in_cells, unit.namer)
    if is_generator(fn):
        parsed.node.body = guard_leaks(parsed.node.body, unit)
    return _convert_node(fn, parsed.node, unit, is_generator(fn))


def _unit_of(parsed: Parsed, fn: FunctionType) -> Unit:
    namer = Namer(identifiers(parsed.node) | set(fn.__code__.co_freevars))
    return Unit(namer, parsed.filename, frozenset(fn.__code__.co_freevars), fn.__globals__, EXPRESSIONS, STATEMENTS)


def _convert_node(fn: FunctionType, node: Any, unit: Unit, by_generator: bool = False) -> Converted:
    """The conversion of a function's tree; `by_generator`: in its consumable form."""
    uses = function_uses(node)
    # The names of functions around this one are real cells, not variables of the conversion.
    context = Context(unit, None, uses, set(uses.bound), parameter_names(node.args), generator=by_generator)
    if isinstance(node, gast.Lambda):
        stmts = functions.convert_lambda_body(node, context)
        new = function(unit.namer.fresh(LAMBDA_STEM), [], stmts)
        new.args = node.args
    else:
        new = function(node.name, [], functions.convert_body(node.body, context))
        new.args = node.args
    gast.copy_location(new, node)
    locate(new, node)
    # Under another name, so that the function's own name stays what it is in the user's module.
    bare = gast.copy_location(function(unit.namer.fresh("converted"), [], new.body), new)
    bare.args = _bare_parameters(new.args)
    locate(bare.args, bare)  # the body has its places
    return Converted(compile_function(to_ast(bare), fn.__code__, unit.namer.generated), new)


def _bare_parameters(args: gast.arguments) -> gast.arguments:
    """The parameters without what belongs to the scope around the function: defaults, annotations."""

    def bare(node: gast.Name | None) -> gast.Name | None:
        return parameter(node.id) if node is not None else None

    def all_bare(nodes: list[gast.Name]) -> list[gast.Name | None]:
        return [bare(n) for n in nodes]

    none = [None for _ in args.kwonlyargs]
    plain, positional, keyword = all_bare(args.args), all_bare(args.posonlyargs), all_bare(args.kwonlyargs)
    return gast.arguments(plain, positional, bare(args.vararg), keyword, none, bare(args.kwarg), [])

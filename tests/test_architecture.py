"""The house holds: who may import whom, no cycles, no hidden imports, sizes of files and functions, docstrings."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.tables import table

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "autograph_jit"
MAX_FILE_LINES = 450
MAX_FUNCTION_LINES = 60
MAX_TRACE_FIELDS = 20
MAX_UNTYPED_FIELDS = 4
MAX_SHARED_NAMES = 100  # top-level functions and classes whose name three or more modules define; it only falls
EMPTY_WORDS = {"manager", "helper", "helpers", "util", "utils", "process", "handle", "data", "info", "misc", "common"}
OTHER_NAMES = frozenset(
    """fission distribution jam jammed lockstep interchanged upward windows sliding slid companions side_by_side neighbours diamonds held
    held_rows carried_sums trip_sums counted few_trips digits relations counters settled versions afterwards deferral speculation ahead
    elsewhere waiting clearing turned_factors find_local reuse passing kept_states kept_results share merging tell_notes
    records kinds places apart phantoms lasting leaving stand_in stand_ins exchanged given giving host_values hoist columns trip notes
    tells look keeps""".split()
)
"""Names that say an idea for which the field has a term of its own: `apart` what is disjoint, `counted` a raised loop, and so on."""
NAMES_OF_TENSORFLOW = {"CheckpointManager"}  # that users know

# The layers, lowest first. A package imports only from those above it in this table that stand in its row;
# packages that do not name each other do not know each other. Two trunks meet only in `runtime`.
BASE = (
    "budget",
    "callers",
    "errors",
    "forks",
    "garbage",
    "interpreters",
    "interrupts",
    "originals",
    "progress",
    "records",
    "source",
    "weak",
)
GRAPH = (*BASE, "ir", "ops")
MIDDLE = (*GRAPH, "tensor", "transforms", "kernels")
SYNTAX = (*BASE, "syntax", "converters")
RUNTIME = (*MIDDLE, "syntax", "converters", "tracing", "library", "autodiff", "backends")
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "records": (),
    "forks": (),
    "garbage": (),
    "interpreters": (),
    "interrupts": (),
    "weak": (),
    "originals": ("records",),
    "source": ("records",),
    "callers": ("source",),
    "errors": ("records", "source"),
    "progress": ("forks",),
    "budget": ("progress", "records", "source", "errors"),
    "ir": BASE,
    "ops": (*BASE, "ir"),
    "tensor": GRAPH,
    "transforms": GRAPH,
    "kernels": GRAPH,
    "syntax": BASE,
    "converters": (*BASE, "syntax"),
    "tracing": MIDDLE,
    "library": (*MIDDLE, "tracing"),
    "autodiff": (*GRAPH, "tensor", "tracing", "library"),  # the reverse sweep is recorded with the operators of tracing
    "convolution": (*GRAPH, "tracing", "library", "autodiff"),
    "backends": MIDDLE,
    "runtime": RUNTIME,
    "api": (*RUNTIME, "runtime"),
    "testing": ("records", "api", "autodiff", "tracing"),
    "historical": ("api", "autodiff"),
    "optim": (PACKAGE,),  # the model library uses the package's public names only
    "metrics": (PACKAGE,),
    "checkpoints": (PACKAGE,),
    "summaries": (PACKAGE,),
    "cli": (*RUNTIME, "runtime", "api", PACKAGE),
    "__main__": ("cli",),
    "distributed": (PACKAGE, "nn", "optim"),
    "nn": (PACKAGE,),  # programs above the public API use public names only
    PACKAGE: (*RUNTIME, "convolution", "runtime", "api", "testing", "historical"),  # the package's own __init__.py
}


def module_name(path: Path) -> str:
    """`autograph_jit/ir/graph.py` is `autograph_jit.ir.graph`; an `__init__.py` is its package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((ROOT / PACKAGE).rglob("*.py"))}
each_module = table("module", MODULES)


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(), str(MODULES[module]))


@cache
def nodes_of(module: str) -> list[ast.AST]:
    return list(ast.walk(tree_of(module)))


def layer_of(module: str) -> str:
    """The first name under the package, or the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else PACKAGE


def absolute_name(node: ast.ImportFrom, importer: str) -> str:
    """The dotted name after `from`, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    is_package = MODULES[importer].name == "__init__.py"
    parts = importer.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, node.module] if node.module else base)


@cache
def imported_modules(module: str) -> list[tuple[str, int]]:
    """Modules of this package that `module` imports, each with the line of the import."""
    found = []
    for node in nodes_of(module):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute_name(node, module)
            names = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names]
        else:
            continue
        found += [(name, node.lineno) for name in names if name.split(".")[0] == PACKAGE]
    return found


def functions(module: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in nodes_of(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def find_cycle(edges: dict[str, set[str]]) -> list[str]:
    """One cycle of the graph as a list of its nodes, or an empty list."""
    finished: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in finished:
            return []
        for target in sorted(edges.get(node, ())):
            if cycle := visit(target, [*path, node]):
                return cycle
        finished.add(node)
        return []

    return next((cycle for node in sorted(edges) if (cycle := visit(node, []))), [])


@each_module
def test_module_imports_only_from_lower_layers(module: str) -> None:
    layer = layer_of(module)
    assert layer in MAY_IMPORT, f"{layer} has no row in MAY_IMPORT: give it a place among the layers"
    allowed = {layer, *MAY_IMPORT[layer]}
    wrong = [f"{MODULES[module]}:{line} imports {name}" for name, line in imported_modules(module) if layer_of(name) not in allowed]
    assert not wrong, "\n".join([*wrong, f"`{layer}` may import only: {', '.join(sorted(allowed))}"])


@each_module
def test_module_imports_modules_that_exist(module: str) -> None:
    missing = [f"{MODULES[module]}:{line}: {name}" for name, line in imported_modules(module) if name not in MODULES]
    assert not missing, "\n".join(missing)


@each_module
def test_function_contains_no_import(module: str) -> None:
    indented = [node for node in nodes_of(module) if isinstance(node, ast.Import | ast.ImportFrom) and node.col_offset]
    bodies = [set(map(id, ast.walk(function))) for function in functions(module)] if indented else []
    inner = [f"{MODULES[module]}:{node.lineno}" for node in indented if any(id(node) in body for body in bodies)]
    assert not inner, "import inside a function: " + ", ".join(inner)


@each_module
def test_module_opens_with_a_docstring(module: str) -> None:
    assert ast.get_docstring(tree_of(module)), f"{MODULES[module]} has no docstring"


@each_module
def test_file_is_short(module: str) -> None:
    lines = len(MODULES[module].read_text().splitlines())
    assert lines <= MAX_FILE_LINES, f"{MODULES[module]} has {lines} lines, at most {MAX_FILE_LINES}: split it"


@each_module
def test_functions_are_short(module: str) -> None:
    sizes = [(f"{MODULES[module]}:{node.lineno} {node.name}", node.end_lineno - node.lineno + 1) for node in functions(module)]
    long = [f"{where} has {size} lines" for where, size in sizes if size > MAX_FUNCTION_LINES]
    assert not long, "\n".join([*long, f"at most {MAX_FUNCTION_LINES}"])


@each_module
def test_no_exception_is_swallowed_in_silence(module: str) -> None:
    handlers = (node for node in nodes_of(module) if isinstance(node, ast.ExceptHandler))
    silent = [f"{MODULES[module]}:{node.lineno}" for node in handlers if len(node.body) == 1 and isinstance(node.body[0], ast.Pass)]
    assert not silent, "`except: pass` at " + ", ".join(silent)


@each_module
def test_names_of_modules_and_classes_say_what_they_are(module: str) -> None:
    classes = [node.name for node in nodes_of(module) if isinstance(node, ast.ClassDef) and node.name not in NAMES_OF_TENSORFLOW]
    words = {name: set(re.findall(r"[A-Z]?[a-z]+", name)) for name in [module.split(".")[-1], *classes]}
    empty = [name for name, parts in words.items() if {part.lower() for part in parts} & EMPTY_WORDS]
    assert not empty, f"{MODULES[module]}: {', '.join(empty)}: name the thing itself, not `{'`, `'.join(sorted(EMPTY_WORDS))}`"


def test_package_has_no_import_cycle() -> None:
    cycle = find_cycle({module: {name for name, _ in imported_modules(module)} for module in MODULES})
    assert not cycle, " -> ".join(cycle)


@each_module
def test_class_has_no_untyped_hooks(module: str) -> None:
    """What is filled in from above is typed: as a `typing.Protocol`, or as a table or callable of a stated type."""
    classes = [node for node in nodes_of(module) if isinstance(node, ast.ClassDef)]
    fields = [(node.name, ast.unparse(line)) for node in classes for line in node.body if isinstance(line, ast.AnnAssign)]
    hooks = [(name, field) for name, field in fields if field.endswith(": Any = None")]
    tables = {name for name, _ in hooks if sum(other == name for other, _ in hooks) > MAX_UNTYPED_FIELDS}
    assert not tables, f"{MODULES[module]}: {', '.join(tables)}: a table of untyped hooks"


def test_trace_has_few_fields() -> None:
    trace = next(node for node in nodes_of("autograph_jit.tracing.values.trace") if isinstance(node, ast.ClassDef) and node.name == "Trace")
    stores = [node for node in ast.walk(trace) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    fields = {node.attr for node in stores if ast.unparse(node.value) == "self"}
    assert 10 < len(fields) <= MAX_TRACE_FIELDS, sorted(fields)


def test_layer_table_has_no_cycle() -> None:
    assert not find_cycle({layer: set(allowed) for layer, allowed in MAY_IMPORT.items()})


def test_names_of_functions_and_classes_tell_them_apart() -> None:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    counts = Counter(name for module in MODULES for name in {node.name for node in tree_of(module).body if isinstance(node, definitions)})
    shared = sorted(name for name, count in counts.items() if count >= 3)
    assert len(shared) <= MAX_SHARED_NAMES, f"{len(shared)} names are defined in three modules or more: {', '.join(shared)}"


@table("layer", ("tracing", "library"))
def test_sub_packages_form_no_cycle(layer: str) -> None:
    edges: dict[str, set[str]] = {}
    for module in MODULES:
        if layer_of(module) == layer:
            targets = {sub_package_of(name) for name, _ in imported_modules(module) if layer_of(name) == layer}
            edges.setdefault(sub_package_of(module), set()).update(targets - {sub_package_of(module)})
    cycle = find_cycle(edges)
    assert not cycle, " -> ".join(cycle)


def sub_package_of(module: str) -> str:
    """`autograph_jit.tracing.arrays.views` is of `tracing.arrays`; a module beside the sub-packages is one by itself."""
    return ".".join(module.split(".")[1:3])


def defined_names(module: str) -> Iterator[str]:
    """The names that a module defines at its top level."""
    for node in tree_of(module).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def test_ideas_of_the_field_have_the_names_of_the_field() -> None:
    modules = [module for module in MODULES if layer_of(module) in ("tracing", "library")]
    wrong = [
        f"{MODULES[module]}: {name}"
        for module in modules
        for name in (module.split(".")[-1], *defined_names(module))
        if name.lower() in OTHER_NAMES
    ]
    assert modules and not wrong, "\n".join(wrong)


def test_cycle_is_found_where_there_is_one() -> None:
    assert find_cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_trunks_meet_only_in_runtime() -> None:
    assert not (set(SYNTAX) - set(BASE)) & {*MAY_IMPORT["tracing"], *MAY_IMPORT["library"]}
    assert not {"tracing", "library", "ops", "ir"} & set(MAY_IMPORT["converters"])

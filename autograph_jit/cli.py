"""The command line: shows what becomes of a function, runs a script eagerly, describes the installation.

    autograph-jit convert FILE.py::NAME | module:NAME [--ast | --diff] [--color auto|always|never]
    autograph-jit graph | kernels | explain TARGET [--args "np.ones((3, 4)), 5"]
    autograph-jit run [--eager] SCRIPT [ARGUMENT ...]
    autograph-jit cache info | clear
    autograph-jit doctor
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import difflib
import importlib
import importlib.util
import inspect
import os
import runpy
import sys
import textwrap
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import astunparse
import numpy as np

import autograph_jit
from autograph_jit.api import compile, to_source
from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.converters.pipeline import transformed_ast
from autograph_jit.errors import AutographJitError, CommandError
from autograph_jit.runtime.binding import BoundFunction
from autograph_jit.runtime.doctor import describe_cache, describe_installation
from autograph_jit.runtime.highlight import highlight_diff, highlight_python
from autograph_jit.runtime.settings import config

FAILURE = 2


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 0, or 2 for arguments that cannot be used."""
    options = build_parser().parse_args(argv)
    try:
        return options.command(options) or 0
    except CommandError as error:
        print(f"autograph-jit: {one_line(str(error))}", file=sys.stderr)
        return FAILURE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone: nothing more can be said
        return 0


def one_line(text: str) -> str:
    """A message as one line."""
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


def build_parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(prog="autograph-jit", description="Shows what becomes of a function, and runs scripts eagerly.")
    parser.add_argument("--version", action="version", version=f"autograph-jit {autograph_jit.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    convert = add_command(commands, "convert", show_source, "print a function's transformed source")
    form = convert.add_mutually_exclusive_group()
    form.add_argument("--ast", action="store_true", help="print its syntax tree")
    form.add_argument("--diff", action="store_true", help="print the difference from the original")
    for name, text in (("graph", "print the graph"), ("kernels", "print the loop nests"), ("explain", "report on the compilation")):
        command = add_command(commands, name, show_compiled, f"{text} of a function for example arguments")
        command.set_defaults(question=name)
        text = 'as in a call: "np.ones((3, 4)), n=5"; names of the module may be used'
        command.add_argument("--args", default="", metavar="EXPRESSIONS", help=text)
    run = commands.add_parser("run", help="run a script", description="Run a script as Python does, eagerly if asked for.")
    run.add_argument("--eager", action="store_true", help="compiled functions run as plain Python")
    run.add_argument("script")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    run.set_defaults(command=run_script)
    cache = commands.add_parser("cache", help="show or clear what is kept on disk", description="The compiled code that is kept on disk.")
    cache.add_argument("action", choices=("info", "clear"))
    cache.set_defaults(command=show_cache)
    doctor = commands.add_parser("doctor", help="print versions, processor, threads, CUDA")
    doctor.set_defaults(command=lambda options: print(describe_installation()))
    return parser


def show_cache(options: argparse.Namespace) -> None:
    """`cache info` and `cache clear`."""
    description = describe_cache()
    if options.action == "clear":
        try:
            disk_cache.clear()
        except OSError as error:
            raise CommandError(f"{disk_cache.directory} cannot be cleared: {error}") from error
        description = f"removed from {description}"
    print(description)


def add_command(commands: Any, name: str, command: Callable[[argparse.Namespace], Any], text: str) -> argparse.ArgumentParser:
    """A command on one function."""
    parser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    parser.add_argument("target", metavar="TARGET", help="FILE.py::NAME or module:NAME; a method is Class.method")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    parser.set_defaults(command=command)
    return parser


def wants_color(options: argparse.Namespace) -> bool:
    """Colours on a terminal, plain text in a pipe."""
    if options.color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return options.color == "always"


def show_source(options: argparse.Namespace) -> None:
    """`convert`."""
    _, target = find_target(options.target)
    function = original_function(target)
    try:
        if options.ast:
            print(astunparse.dump(transformed_ast(function)))
            return
        source = to_source(function) + "\n"
    except AutographJitError as error:
        raise CommandError(str(error)) from error
    if options.diff:
        text = difference(function, source, options.target)
        print(highlight_diff(text) if wants_color(options) else text, end="")
    else:
        print(highlight_python(source) if wants_color(options) else source, end="")


def difference(function: types.FunctionType, source: str, name: str) -> str:
    """A unified diff from the original source to the transformed one; comments and layout are left out of both."""
    text = textwrap.dedent(inspect.getsource(function))
    with contextlib.suppress(SyntaxError):  # a lambda in the middle of an expression is shown as it stands
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.decorator_list = []
        text = ast.unparse(tree) + "\n"
    lines = difflib.unified_diff(text.splitlines(True), source.splitlines(True), name, f"{name} (transformed)")
    return "".join(lines)


def show_compiled(options: argparse.Namespace) -> None:
    """`graph`, `kernels` and `explain`."""
    module, target = find_target(options.target)
    args, kwargs = evaluate_arguments(options.args, vars(module))
    try:
        function = target if hasattr(target, "specializations") else compile(target, fallback="error")
        inspect.signature(function).bind(*args, **kwargs)
        text = getattr(function, options.question)(*args, **kwargs)
    except (AutographJitError, TypeError) as error:
        raise CommandError(str(error)) from error
    color = wants_color(options) and options.question != "explain"
    print(highlight_python(str(text)) if color else str(text).rstrip("\n"))


def evaluate_arguments(text: str, names: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call written as text, evaluated among the names of a module, `np` and `ag`."""
    scope = {"np": np, "numpy": np, "ag": autograph_jit, **names, "__capture__": lambda *args, **kwargs: (args, kwargs)}
    try:
        return eval(compile_call(text), scope)
    except Exception as error:
        raise CommandError(f"--args {text!r}: {type(error).__name__}: {error}") from error


def compile_call(text: str) -> types.CodeType:
    """The code of a call with these arguments."""
    tree = ast.parse(f"__capture__({text}\n)", "--args", "eval")
    if not isinstance(tree.body, ast.Call) or not isinstance(tree.body.func, ast.Name):
        raise SyntaxError("expected the arguments of one call")
    return builtins.compile(tree, "--args", "eval")


def find_target(text: str) -> tuple[types.ModuleType, Any]:
    """The module and the function that `FILE.py::NAME` or `module:NAME` stand for."""
    place, separator, name = text.partition("::")
    if not separator:
        place, separator, name = text.partition(":")
        if place.endswith(".py"):
            raise CommandError(f"{text!r}: write {place}::{name or 'NAME'} for a function of a file")
    if not place or not name:
        raise CommandError(f"{text!r} names no function: write FILE.py::NAME or module:NAME")
    module = load_file(place) if "::" in text else load_module(place)
    found: Any = module
    for part in name.split("."):
        try:
            found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
        except AttributeError:
            raise CommandError(f"{place} has no function {name!r}{suggestion(found, part)}") from None
    return module, found


def suggestion(owner: Any, name: str) -> str:
    """Names that are close to the one that was not found."""
    close = difflib.get_close_matches(name, [key for key, value in vars(owner).items() if callable(value)])
    return f": is it {' or '.join(close)}?" if close else ""


def load_file(path: str) -> types.ModuleType:
    """A Python file as a module, its folder on the path as for a script."""
    if not os.path.isfile(path):
        raise CommandError(f"there is no file {path}")
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, os.path.abspath(path))
    if spec is None or spec.loader is None:
        raise CommandError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    sys.modules.setdefault(name, module)
    with reported(path):
        spec.loader.exec_module(module)
    return module


def load_module(name: str) -> types.ModuleType:
    """An importable module, the current folder included."""
    sys.path.insert(0, os.getcwd())
    with reported(name):
        return importlib.import_module(name)


@contextlib.contextmanager
def reported(place: str) -> Iterator[None]:
    """An exception in the user's module becomes one line; what it prints goes to standard error, so that our output stays ours."""
    try:
        with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
            yield
    except SyntaxError as error:
        raise CommandError(f"{error.filename or place}:{error.lineno}: {error.msg}") from error
    except ModuleNotFoundError as error:
        raise CommandError(f"{place} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:
        raise CommandError(f"{place} cannot be imported: {type(error).__name__}: {error}") from error


def original_function(target: Any) -> types.FunctionType:
    """The plain function behind what a name stands for."""
    while isinstance(target, BoundFunction | staticmethod | classmethod):
        target = target.func if isinstance(target, BoundFunction) else target.__func__
    target = inspect.unwrap(target) if callable(target) else target
    if isinstance(target, types.MethodType):
        target = target.__func__
    if not isinstance(target, types.FunctionType):
        raise CommandError(f"{target!r} is no Python function")
    return target


def run_script(options: argparse.Namespace) -> int:
    """`run`: as `python SCRIPT`, its exceptions included."""
    if not os.path.isfile(options.script):
        raise CommandError(f"there is no file {options.script}")
    before = sys.argv[:]
    sys.argv[:] = [options.script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    try:
        with config(eager=True) if options.eager else contextlib.nullcontext():
            runpy.run_path(options.script, run_name="__main__")
    finally:
        sys.argv[:] = before
    return 0

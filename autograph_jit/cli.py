"""The command line: shows what becomes of a function, runs a script eagerly, describes the installation.

autograph-jit convert FILE.py::NAME | module:NAME [--run] [--ast | --diff] [--color auto|always|never]
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
from gast import gast_to_ast

import autograph_jit
from autograph_jit.api import compile
from autograph_jit.backends.disk_cache import disk_cache, reason
from autograph_jit.converters.pipeline import transformed_ast
from autograph_jit.errors import AutographJitError, CommandError
from autograph_jit.runtime.binding import BoundFunction
from autograph_jit.runtime.doctor import describe_installation
from autograph_jit.runtime.highlight import highlight_diff, highlight_python
from autograph_jit.runtime.settings import config
from autograph_jit.syntax.parse import parse_function
from autograph_jit.syntax.unexecuted import functions_of

FAILURE, INTERRUPTED = 2, 130  # as shells say that a signal ended a command: 128 + SIGINT
HARMLESS = ("compile", "convert", "staticmethod", "classmethod", "property")  # decorators that leave the function that is converted


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 0, or 2 for what cannot be used or written, or 130 where Ctrl-C ended it."""
    options = build_parser().parse_args(argv)
    try:
        status = options.command(options) or 0
        if sys.stdout is not None and options.command is not run_script:
            sys.stdout.flush()
        return status
    except CommandError as error:
        return complain(one_line(str(error)))
    except KeyboardInterrupt:
        if options.command is run_script:
            raise
        return complain("interrupted", INTERRUPTED)
    except OSError as error:
        if options.command is run_script and not isinstance(error, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more can be said, at the end of the process either
        return 0 if isinstance(error, BrokenPipeError) else complain(f"the output cannot be written: {error.strerror or error}")


def complain(text: str, status: int = FAILURE) -> int:
    """A line on standard error; the exit status."""
    print(f"autograph-jit: {text}", file=sys.stderr)
    return status


def one_line(text: str) -> str:
    """A message as one line."""
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


def build_parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(prog="autograph-jit", description="Shows what becomes of a function, and runs scripts eagerly.")
    parser.add_argument("--version", action="version", version=f"autograph-jit {autograph_jit.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    convert = add_command(commands, "convert", show_source, "print a function's transformed source")
    convert.add_argument("--run", action="store_true", help="execute FILE.py first; otherwise it is read only")
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
    cache = commands.add_parser("cache", help="show or clear what is kept on disk", description="What is kept on disk: code, refusals.")
    cache.add_argument("action", choices=("info", "clear"))
    cache.set_defaults(command=show_cache)
    doctor = commands.add_parser("doctor", help="print versions, processor, threads, CUDA")
    doctor.set_defaults(command=lambda options: print(describe_installation()))
    return parser


def show_cache(options: argparse.Namespace) -> None:
    """`cache info` and `cache clear`."""
    try:
        usage = disk_cache.clear() if options.action == "clear" else disk_cache.usage()
    except OSError as error:
        raise CommandError(reason(error, disk_cache.directory)) from error
    print(f"removed from {usage}" if options.action == "clear" else usage)
    if options.action == "info" and disk_cache.refusal():
        print(f"not used: {disk_cache.refusal()}")


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
        return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return options.color == "always"


def show_source(options: argparse.Namespace) -> None:
    """`convert`."""
    with users_code(options.target):
        if "::" in options.target and not options.run:
            function = read_function(options.target)
        else:
            function = original_function(find_target(options.target)[1])
        tree = transformed_ast(function)
        source = ast.unparse(tree) + "\n"
        changed = difference(function, source, options.target) if options.diff else ""
    if options.ast:
        print(astunparse.dump(tree))
    elif options.diff:
        print(highlight_diff(changed) if wants_color(options) else changed, end="")
    else:
        print(highlight_python(source) if wants_color(options) else source, end="")


def read_function(target: str) -> types.FunctionType:
    """The function that `FILE.py::NAME` stands for, as it is written in the file, which is not run."""
    path, name = target.split("::", 1)
    expect_file(path)
    with users_code(path):
        functions = functions_of(path)
    found = functions.get(name, [])
    if not found:
        close = difflib.get_close_matches(name, functions)
        hint = f": is it {' or '.join(close)}?" if close else ""
        raise CommandError(f"{path} has no function {name!r}{hint} (--run executes the file, and finds what it imports or makes)")
    if len(found) > 1:
        lines = ", ".join(str(function.__code__.co_firstlineno) for function in found)
        raise CommandError(f"{path} defines {name} in lines {lines}: --run executes the file, and takes the one that is left")
    decorators = [ast.unparse(gast_to_ast(node)) for node in getattr(parse_function(found[0]).node, "decorator_list", ())]
    unknown = [f"@{text}" for text in decorators if text.partition("(")[0].rpartition(".")[2] not in HARMLESS]
    if unknown:
        complain(f"{name} is shown without {', '.join(unknown)}: --run executes the file, and shows what the name stands for")
    return found[0]


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
    with users_code(options.target):
        module, target = find_target(options.target)
        args, kwargs = evaluate_arguments(options.args, vars(module))
        function = target if hasattr(target, "specializations") else compile(target, fallback="error")
        inspect.signature(function).bind(*args, **kwargs)
        text = str(getattr(function, options.question)(*args, **kwargs))
    color = wants_color(options) and options.question != "explain"
    print(highlight_python(text) if color else text.rstrip("\n"))


def evaluate_arguments(text: str, names: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call written as text, evaluated among the names of a module, `np` and `ag`."""
    scope = {"np": np, "numpy": np, "ag": autograph_jit, **names, "__capture__": lambda *args, **kwargs: (args, kwargs)}
    with users_code(f"--args {text!r}"):
        return eval(compile_call(text), scope)


def compile_call(text: str) -> types.CodeType:
    """The code of a call with these arguments."""
    try:
        tree = ast.parse(f"__capture__({text}\n)", "--args", "eval")
    except SyntaxError as error:
        raise CommandError(f"--args {text!r}: SyntaxError: {error.msg}") from error
    if not isinstance(tree.body, ast.Call) or not isinstance(tree.body.func, ast.Name):
        raise CommandError(f"--args {text!r}: SyntaxError: expected the arguments of one call")
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
    close = difflib.get_close_matches(name, [key for key, value in getattr(owner, "__dict__", {}).items() if callable(value)])
    return f": is it {' or '.join(close)}?" if close else ""


def expect_file(path: str) -> None:
    """CommandError where there is no file."""
    if not os.path.isfile(path):
        raise CommandError(f"there is no file {path}")


def load_file(path: str) -> types.ModuleType:
    """A Python file as a module, its folder on the path as for a script."""
    expect_file(path)
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, os.path.abspath(path))
    if spec is None or spec.loader is None:
        raise CommandError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    sys.modules.setdefault(name, module)
    with users_code(f"{path} cannot be imported"):
        spec.loader.exec_module(module)
    return module


def load_module(name: str) -> types.ModuleType:
    """An importable module, the current folder included."""
    sys.path.insert(0, os.getcwd())
    with users_code(f"{name} cannot be imported"):
        return importlib.import_module(name)


@contextlib.contextmanager
def users_code(what: str) -> Iterator[None]:
    """An exception of the user's code becomes one line; what it prints goes to standard error, so that our output stays ours."""
    try:
        with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
            yield
    except (CommandError, KeyboardInterrupt):
        raise
    except AutographJitError as error:
        raise CommandError(str(error)) from error
    except SyntaxError as error:
        raise CommandError(f"{error.filename or what}:{error.lineno}: {error.msg}") from error
    except BaseException as error:
        raise CommandError(f"{what}: {type(error).__name__}: {error}") from error


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
    expect_file(options.script)
    before = sys.argv[:]
    sys.argv[:] = [options.script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    try:
        with config(eager=True) if options.eager else contextlib.nullcontext():
            runpy.run_path(options.script, run_name="__main__")
    finally:
        sys.argv[:] = before
    return 0

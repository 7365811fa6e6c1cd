"""The state of a graph of objects: its Variables, random generators and numbers, each with the paths that lead to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import autograph_jit as ag

Number = bool | int | float | np.number | np.bool_
NOT_WALKED = (type, ModuleType, FunctionType, MethodType, BuiltinFunctionType, np.ndarray, np.generic, str, bytes, ag.Tensor)


@dataclass(slots=True)
class Place:
    """A number where it can be written: in a list, a dict, or as an attribute of the root."""

    holder: Any
    key: Any

    def write(self, value: Any) -> None:
        old = self.holder[self.key]
        self.holder[self.key] = type(old)(value) if isinstance(old, np.generic) else value


@dataclass(slots=True)
class State:
    """What was found, each once, in order of the walk: `variables` and `generators` by identity, with all their paths, numbers by path."""

    variables: list[tuple[ag.Variable, list[str]]] = field(default_factory=list)
    generators: list[tuple[np.random.Generator, list[str]]] = field(default_factory=list)
    numbers: dict[str, Place] = field(default_factory=dict)


def find_state(root: dict[str, Any]) -> State:
    """Go through the objects of a namespace, their attributes, lists, tuples and dicts, depth first; each object once.

    A class may name attributes that belong to others in `untracked`. Numbers count in lists and dicts that are reached through
    nothing but these; as attributes of objects they are settings.
    """
    state, known, paths = State(), set[int](), dict[int, list[str]]()
    waiting = [(name, value, True) for name, value in reversed(root.items()) if not isinstance(value, Number)]
    state.numbers = {name: Place(root, name) for name, value in root.items() if isinstance(value, Number)}
    while waiting:
        path, x, is_plain = waiting.pop()
        if isinstance(x, (ag.Variable, np.random.Generator)):
            if id(x) not in paths:
                paths[id(x)] = []
                (state.variables if isinstance(x, ag.Variable) else state.generators).append((x, paths[id(x)]))  # type: ignore[arg-type]
            paths[id(x)].append(path)
        elif id(x) not in known:
            known.add(id(x))
            waiting.extend(reversed(list(children(path, x, is_plain, state))))
    return state


def children(path: str, x: Any, is_plain: bool, state: State) -> Iterator[tuple[str, Any, bool]]:
    """What an object leads to, with paths, and whether only plain containers lead there; numbers are noted."""
    if isinstance(x, (list, tuple, dict)):
        for key, item in x.items() if isinstance(x, dict) else enumerate(x):
            name = f"{path}[{key!r}]"
            if not isinstance(item, Number):
                yield name, item, is_plain
            elif is_plain and not isinstance(x, tuple):
                state.numbers[name] = Place(x, key)
    elif not isinstance(x, NOT_WALKED) and not hasattr(x, "__wrapped__"):
        untracked = getattr(type(x), "untracked", ())
        for name in attributes(x):
            if name not in untracked:
                yield f"{path}.{name}", getattr(x, name, None), False


def attributes(x: Any) -> list[str]:
    """The names of an object's own attributes: those of its `__dict__`, then those of its slots."""
    slots = [vars(kind).get("__slots__", ()) for kind in reversed(type(x).__mro__)]
    names = [name for of_class in slots for name in ((of_class,) if isinstance(of_class, str) else of_class)]
    return [*getattr(x, "__dict__", ()), *(name for name in names if not name.startswith("__"))]


def generator_state(generator: np.random.Generator) -> Any:
    """The state of a generator in values of JSON."""
    return to_json(generator.bit_generator.state)


def to_json(x: Any) -> Any:
    if isinstance(x, dict):
        return {key: to_json(value) for key, value in x.items()}
    return {"array": x.tolist(), "dtype": str(x.dtype)} if isinstance(x, np.ndarray) else x.item() if isinstance(x, np.generic) else x


def from_json(x: Any) -> Any:
    if not isinstance(x, dict):
        return x
    return np.array(x["array"], x["dtype"]) if "array" in x else {key: from_json(value) for key, value in x.items()}

"""Which exceptions an operation may raise, and what a handler asks of them, as far as that is known before the program runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_jit.errors import BEYOND_TEXTS
from autograph_jit.ir.function import CALLS, Function
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect, ErrorSpec
from autograph_jit.ir.types import OBJECT, ArrayType
from autograph_jit.ops.direct_calls import Given, direct_call
from autograph_jit.records import dataclass
from autograph_jit.weak import WeakKeys

OF_INDICES = ("load", "store", "gather", "scatter", "basic_index", "list_get", "list_set", "list_pop")
OF_FUNCTIONS: WeakKeys[Function, set[type[BaseException] | None]] = WeakKeys()


@dataclass(frozen=True, slots=True)
class Unseen(ErrorSpec):
    """An exception of a class and no more."""

    def build(self, payload: tuple[Any, ...] = ()) -> Exception:
        return self.exception.__new__(self.exception)


@dataclass(frozen=True, slots=True)
class Unmade(Unseen):
    """The same of one that compiled code cannot make: the program is traced anew where somebody sees it."""


def may_be_beyond(operation: Operation) -> bool:
    """Whether an operation other than `raise_` may raise an exception that Python would not."""
    if operation.name in CALLS or operation.name.startswith("pyint_") or operation.attributes.get("beyond"):
        return True
    error = operation.attributes.get("error")
    return error is not None and error.template.startswith(BEYOND_TEXTS)


def class_raised(operation: Operation) -> type[BaseException] | None:
    """The class of exceptions that an operation other than `raise_` of an object raises; None where only the run knows."""
    error = operation.attributes.get("error")
    if error is not None:
        return error.exception
    if operation.name == "host_call":
        return Exception if not operation.attributes.get("pure") or operation.attributes.get("fails", True) else None
    if operation.name in CALLS or operation.name == "pyint_truncate":
        return None  # what the function does, or a ValueError for nan
    if operation.name.startswith("pyint_"):
        return OverflowError
    if operation.name == "scatter" and isinstance(operation.operands[1].type, ArrayType):
        return None  # a ValueError where the value does not fit
    return IndexError if operation.name in OF_INDICES else ValueError


def classes_raised(operation: Operation) -> set[type[BaseException] | None]:
    """The classes of exceptions of an operation that handlers may take, of a call those in the function; None: only the run knows it."""
    if operation.name == "raise_" and operation.attributes.get("error") is None:
        return {operation.attributes.get("kind")}
    if operation.name == "host_call" and operation.attributes.get("errors") is not None:
        return set(operation.attributes["errors"])
    if operation.name == "pyint_truncate":
        return {ValueError, OverflowError}  # of nan and inf
    if operation.name not in CALLS:
        is_beyond = may_be_beyond(operation) and operation.name != "host_call"
        return set() if is_beyond else {class_raised(operation)}
    callee = operation.attributes["callee"]
    if callee.is_total:
        return set()
    if callee.is_open or callee.is_recursive:
        return {None}
    found = OF_FUNCTIONS.get(callee)
    if found is None:
        failing = (x for x in callee.graph.walk() if x.can_fail or x.name == "raise_")
        found = OF_FUNCTIONS[callee] = set[Any]().union(*map(classes_raised, failing))
    return found


def questions_of(handler: Block, exception: Value, is_last: bool = True) -> tuple[list[Operation], list[Operation]] | None:
    """The operations that ask for the class of an exception, and those that raise it again where no handler takes it; None where it is
    used in another way, or where something may have failed before it is raised again. Where the exception is not one whose values the
    handler has, more may be asked of it. Where another `try` may be around, as not `is_last` says, so may it be raised as what is known."""
    if exception.type != OBJECT:
        return None
    uses = [x for x in walk_block(handler) if exception in x.operands or exception in x.unwind]
    yielded = any(exception in block.yields for block in [handler, *(region for x in walk_block(handler) for region in x.regions)])
    tests: list[Operation] = []
    raises: list[Operation] = []
    follow(handler, exception, tests, raises)
    uses = [x for x in uses if not (x.attributes.get("of_others") or not is_last and x.name == "raise_" and x.attributes.get("known"))]
    raises = [x for x in raises if x in uses]
    return (tests, raises) if not yielded and set(uses) == {*tests, *raises} else None


def asks_more(handler: Block) -> bool:
    """Whether a handler asks more than their class of exceptions whose values it does not have."""
    return any(operation.attributes.get("of_others") for operation in walk_block(handler))


def follow(block: Block, exception: Value, tests: list[Operation], raises: list[Operation]) -> None:
    """Collect the questions along the way on which no handler has been found yet."""
    for operation in block.operations:
        if operation.name == "raise_" and operation.operands == [exception]:
            raises.append(operation)
        elif is_test(operation, exception):
            tests.append(operation)
        elif operation.name == "cond" and operation.operands[0] in [test.result for test in tests]:
            follow(operation.regions[1], exception, tests, raises)
            return
        elif operation.name == "cond" and all(region.terminated for region in operation.regions):
            for region in operation.regions:
                follow(region, exception, tests, raises)
            return
        elif not is_harmless(operation):
            return


def is_harmless(operation: Operation) -> bool:
    """Whether an operation neither fails nor does anything but compute and count."""
    if operation.regions or operation.can_fail:
        return False
    return operation.name == "tally" or operation.opdef.effect in (Effect.PURE, Effect.VIEW)


def is_test(operation: Operation, exception: Value) -> bool:
    """Whether an operation asks whether an exception is of known classes."""
    if operation.name != "host_call" or operation.attributes["label"] != "except" or operation.operands != [exception]:
        return False
    return classes_asked_for(operation) is not None


def classes_asked_for(test: Operation) -> Any:
    """The class, or the tuple of classes, that a test asks for; None where it is made in another way."""
    direct = direct_call(test.attributes["fn"])
    found = constant_in(direct.arguments[1]) if direct is not None and len(direct.arguments) == 2 else None
    classes = found if isinstance(found, tuple) else (found,)
    return found if all(isinstance(each, type) for each in classes) else None


def constant_in(given: Given) -> Any:
    """An argument that is known, or a tuple of such."""
    return given.constant if given.items is None else tuple(map(constant_in, given.items))


def answers_at(operation: Operation, tests: Sequence[Operation], asks_more: bool) -> list[bool] | None:
    """What the tests give for what an operation raises; None where that is not known before it has failed, or more is asked of it."""
    if operation.name in ("host_call", *CALLS) or asks_more and not operation.attributes.get("known"):
        return None
    is_object = operation.name == "raise_" and operation.attributes.get("error") is None
    kind = operation.attributes.get("kind") if is_object else class_raised(operation)
    if kind in (None, Exception, BaseException):
        return None
    answers = [False if may_be_beyond(operation) else takes(classes_asked_for(test), kind) for test in tests]
    if operation.attributes.get("known"):  # of this class and none below it
        return list(map(bool, answers))
    return None if None in answers else answers  # type: ignore[return-value]


def takes(classes: Any, kind: type[BaseException]) -> bool | None:
    """Whether a handler for these classes takes an exception of a class, or of one below it; None where that is not sure."""
    if issubclass(kind, classes):
        return True
    options = classes if isinstance(classes, tuple) else (classes,)
    return None if any(issubclass(option, kind) for option in options) else False

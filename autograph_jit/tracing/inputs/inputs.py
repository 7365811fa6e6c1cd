"""What a trace reads from outside: arguments, globals, closures, attributes. Arrays and numbers become parameters, the rest guards.

A `Getter` finds a value again at every later call, from that call's arguments. Arrays found by several ways are one parameter.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.dims import Size, atom
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import OBJECT, ArrayType, ScalarType, Type, is_supported
from autograph_jit.tensor.tensor import Tensor, is_fixed
from autograph_jit.tensor.variable import Variable
from autograph_jit.tracing.aliasing.journal import AttributePlace, expect_open, has_come_or_gone
from autograph_jit.tracing.aliasing.row_classes import is_row_too
from autograph_jit.tracing.aliasing.shared_objects import note_shared
from autograph_jit.tracing.containers import buffers, outside
from autograph_jit.tracing.containers.callers_instances import row_of_instance
from autograph_jit.tracing.containers.structured_arrays import form_of_memory
from autograph_jit.tracing.inputs import containers as container_inputs
from autograph_jit.tracing.inputs.found_containers import found_as_data
from autograph_jit.tracing.inputs.kept_apart import keep_apart, note_whole
from autograph_jit.tracing.objects import callers_objects
from autograph_jit.tracing.objects.callers_objects import method_made_anew, note_owner, origin_of
from autograph_jit.tracing.objects.operator_methods import meet
from autograph_jit.tracing.plain.calls import forwarded
from autograph_jit.tracing.structures.getters import Applied, Attribute, Entry, Getter, Known, MissingAttribute, MissingVariable, Reading
from autograph_jit.tracing.structures.guards import (
    ATOMIC,
    CONSTANT,
    LIBRARY_CONSTANTS,
    SMALL_INT,
    SMALL_SIZE,
    Guard,
    content_of,
    device_layout,
    has_own_content,
    holds_arrays,
    holds_what,
    is_constant,
    is_opaque,
    is_tuple_class,
    unchanged,
)
from autograph_jit.tracing.structures.made_containers import is_for_the_run
from autograph_jit.tracing.texts.arguments import TEXT_TYPES, argument_text
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar
from autograph_jit.tracing.values.axis_order import order_in_memory
from autograph_jit.tracing.values.lift import dtype_of, element, is_weak
from autograph_jit.tracing.values.trace import Restart, Trace, user_span

NAMED = (FunctionType, BuiltinFunctionType, type)


def is_number(x: Any) -> bool:
    """Whether a value is a number that may be an input."""
    return isinstance(x, (int, float, complex, np.number)) and not isinstance(x, (bool, Enum))


class Inputs:
    """The parameters and guards of one trace."""

    object_of_call = staticmethod(callers_objects.object_of_call)  # for modules below
    changed_names = staticmethod(callers_objects.changed_names)
    expect_unchanged = staticmethod(callers_objects.expect_unchanged)
    as_data, decision_to_read_in = found_as_data, container_inputs.decision_to_read_in
    note_whole = note_whole

    def __init__(self, trace: Trace, generalized: frozenset[Any] = frozenset()) -> None:
        self.trace, self.generalized = trace, generalized
        self.parameters: list[tuple[Value, Getter]] = []
        self.guards: list[Guard] = []
        self.functions: dict[int, FunctionType] = {}
        self.tensors: dict[int, Getter] = {}
        self.variables: dict[Value, tuple[StagedArray, Variable]] = {}
        self.boxes = False
        self.arrays: dict[int, tuple[Any, StagedArray, Getter]] = {}
        self.identities: dict[int, tuple[Any, Getter, set[str]]] = {}
        self.origins: dict[int, tuple[Any, Getter, str]] = {}
        self.reads: dict[Any, Any] = {}
        self.asked, self.asked_variables = set[str](), set[str]()  # names of attributes and variables that were read
        self.lists: list[tuple[Any, Any, Getter]] = []
        self.containers: list[tuple[Any, Getter, Any]] = []
        self.only_read: list[tuple[Any, Getter, Any]] = []
        self.copies: list[tuple[str, list[Any], Getter]] = []  # the lists, dicts and sets in a container of which copies are read in
        self.lengths_outside: dict[Value, int] = {}  # of lists that were found outside
        self.instances: Any = None  # `CallersInstances`, where lists hold some
        self.inside: dict[int, Any] = {}
        self.under_way: dict[int, Any] = {}
        self.constants: dict[Any, tuple[str, Getter, Any]] = {}  # numbers of which the program is for one value
        self.read_in: list[tuple[Any, Any, Any, Getter]] = []  # containers, their stand-ins, what leaves them to Python
        self.views: list[tuple[Any, Getter]] = []  # what stands for objects of the caller's by their memory
        self.given: set[int] = set()  # what Python can reach of the objects that it is given

    def parameter(self, type_: Type, getter: Getter, hint: str) -> Value:
        value = self.trace.graph.block.add_argument(type_, hint)
        self.parameters.append((value, getter))
        return value

    def guard(self, getter: Getter, kind: str, expected: Any, text: str) -> None:
        self.guards.append(Guard(getter, kind, expected, text))

    def function(self, function: FunctionType) -> None:
        """A function of the user's that the trace calls: a call after its code was replaced needs another program."""
        if id(function) not in self.functions and id(function) not in self.trace.definitions.functions:
            self.functions[id(function)] = function
            container_inputs.note_defaults(self, function)
            self.guards += unchanged(function, self.trace.decisions)

    def guard_content(self, x: Any, getter: Getter, name: str) -> None:
        """A collection of its own content that the program does not change holds what it held."""
        if type(x) is frozenset:
            self.guard(Applied(holds_what(x), (getter,)), "value", True, f"{name} has the same content")
        elif has_own_content(x) and not outside.is_changed(self.trace, x):
            self.guard(Applied(content_of, (getter,)), "value", content_of(x), f"{name} has the same content")

    def array(self, x: np.ndarray, getter: Getter, name: str, settled: bool = False) -> StagedArray:
        """An array read from outside."""
        return self.array_of(x, x.dtype, x.shape, "array", getter, name, bool(x.flags.writeable), settled)

    def array_of(
        self, x: Any, dtype: np.dtype, shape: tuple[int, ...], kind: str, getter: Getter, name: str,
        writeable: bool = True, settled: bool = False,
    ) -> StagedArray:  # fmt: skip
        """The parameter of an array on the host (kind "array") or on the device ("device array"), under a guard; one an object."""
        if (known := self.arrays.get(id(x))) is not None:
            self.guard(Applied(operator.is_, (getter, known[2])), "value", True, f"{name} is the same array as another input")
            return known[1]
        dims, fixed = list[Size](), list[tuple[int, int]]()
        for axis, size in enumerate(shape):
            if self.is_fixed(name, axis, size, settled):
                dims.append(size)
                fixed.append((axis, size))
            else:
                dims.append(atom(f"s:{name}.{axis}"))
                self.trace.sources.sizes[f"s:{name}.{axis}"] = ("size", name, axis)
        staged = StagedArray(self.parameter(ArrayType(dtype, tuple(dims)), getter, name), writeable)
        self.arrays[id(x)] = (x, staged, getter)
        order = order_in_memory(x) if kind == "array" else None
        if order is not None:
            self.trace.sources.steps[staged.value] = tuple(
                0 if shape[axis] == 1 else len(shape) - order.index(axis) for axis in range(len(shape))
            )
        sizes = f" with sizes {dict(fixed)}" if fixed else ""
        noun = ("an " if kind == "array" else "a ") + kind if writeable else f"a read-only {kind}"
        place = f", its axes {order} from the slowest to the fastest" if order is not None else ""
        expected = (dtype, len(shape), tuple(fixed), writeable, order)
        self.guard(getter, kind, expected, f"{name} is {noun} {dtype.name} of rank {len(shape)}{sizes}{place}")
        return staged

    def tensor(self, x: Tensor, getter: Getter, name: str) -> Any:
        """A Tensor: its ndarray is the input; arrays in the result become Tensors."""
        if not is_supported(x.dtype):
            return self.opaque(x, getter, name)
        staged = self.array(x.array, Attribute(getter, "array"), name, isinstance(x, Variable))
        self.guard(getter, "type", type(x), f"{name} is a {type(x).__name__}")
        self.tensors.setdefault(id(staged.value), getter)
        self.boxes = True
        if isinstance(x, Variable):
            self.variables.setdefault(staged.value, (staged, x))
        return element(staged) if type(x) is Tensor and is_fixed(x) else staged

    def variable_attribute(self, value: Value, name: str) -> Any:
        """An attribute of the Variable that an array stands for, under a guard."""
        if value not in self.variables:
            raise AttributeError(f"this array is no Variable, it has no attribute '{name}'")
        found = getattr(self.variables[value][1], name)
        if ("variable", id(value), name) not in self.reads:
            self.reads["variable", id(value), name] = found
            self.guard(Attribute(self.tensors[id(value)], name), "value", found, f"{name} of a Variable == {found!r}")
        return found

    def identify(self, x: Any, getter: Getter, name: str) -> None:
        """Guard that two inputs which are one object in the trace are so in the call: a change to one is a change to the other."""
        known = self.identities.setdefault(id(x), (x, getter, {name}))
        if name not in known[2]:
            known[2].add(name)
            first = known[1]
            self.guard(Applied(operator.is_, (getter, first)), "value", True, f"{name} is the same object as another input")

    keep_apart = keep_apart

    def is_fixed(self, name: str, axis: int, size: int, settled: bool = False) -> bool:
        """Whether this size is specialised: 0 and 1 always, small ones and a Variable's (`settled`) until a second value was seen, and
        where Python code asks for it."""
        if size <= 1 or ("static", ("size", name, axis)) in self.trace.decisions:
            return True
        return (settled or size <= SMALL_SIZE) and ("size", name, axis) not in self.generalized

    def capture(self, x: np.ndarray) -> StagedArray:
        """An array met without a way to read it again (inside a captured container): this very object is read at every call."""
        if id(x) in self.arrays:
            return self.arrays[id(x)][1]
        if not is_supported(x.dtype):
            raise ConversionError(
                f"an array of dtype {x.dtype} cannot be staged",
                user_span(),
                "compiled code knows bool, integers of 8 to 64 bits, float32/64 and complex64/128",
                "convert it with astype",
            )
        return self.array(x, Known(x), f"captured{len(self.arrays)}")

    def number(self, x: Any, getter: Getter, name: str) -> Any:
        """A number read from outside: a parameter, or a guarded constant where it must be one."""
        origin = ("number", name)
        if isinstance(x, bool) or ("static", origin) in self.trace.decisions or (isinstance(x, int) and abs(x) >= SMALL_INT):
            self.guard(getter, "value", x, f"{name} == {x!r}")
            self.constants[name, None] = name, getter, x
            return x
        dtype, weak = dtype_of(x), is_weak(x)
        if not is_supported(dtype):
            return self.opaque(x, getter, name)
        value = self.parameter(ScalarType(dtype), getter, name)
        kind, expected = ("int", SMALL_INT) if type(x) is int else ("type", type(x))
        self.guard(getter, kind, expected, f"{name} is {'a' if type(x).__name__[0] not in 'aeiou' else 'an'} {type(x).__name__}")
        self.trace.sources.numbers[id(value)] = origin
        if weak and dtype.kind == "i":
            self.trace.sources.sizes[f"v:{name}"] = origin
            return StagedScalar(value, True, atom(f"v:{name}"), 62)
        return StagedScalar(value, weak)

    def opaque(self, x: Any, getter: Getter, name: str) -> StagedObject:
        """A Python object passed through as it is."""
        self.guard(getter, "type", type(x), f"{name} is a {type(x).__name__}")
        return StagedObject(self.parameter(OBJECT, getter, name), type(x))

    def argument(self, x: Any, getter: Getter, name: str) -> Any:
        """The stand-in of an argument, containers included."""
        if isinstance(x, Tensor):
            return self.tensor(x, getter, name)
        if (form := form_of_memory(self, x, name)) is not None:
            return form(self, x, getter, name)
        if isinstance(x, np.ndarray) or is_for_the_run(x):
            return self.array(x, getter, name) if type(x) is np.ndarray and is_supported(x.dtype) else self.opaque(x, getter, name)
        if isinstance(x, Enum):
            self.guard(getter, "is", x, f"{name} is {x}")
            return x
        if isinstance(x, ATOMIC):
            return argument_text(self, x, getter, name)
        if isinstance(x, (int, float, complex, np.number, np.bool_)):
            return self.number(x, getter, name)
        if type(x) in (list, dict) or isinstance(x, tuple) or container_inputs.is_given_set(self.trace, x, name):
            is_python = container_inputs.is_python(self.trace, x, name)
            return (self.run_time if is_python else self.container)(x, getter, name)
        if buffers.is_viewed(self, x, name):
            return buffers.view(self, x, getter, name)
        layout = device_layout(x)
        if layout is not None and is_supported(layout[0]):
            return self.array_of(x, *layout, "device array", getter, name)  # its memory stays where it is
        self.origins[id(x)] = (meet(self.trace, x), getter, name)
        if outside.belongs_to_run(self.trace, x):
            return self.run_time(x, getter, name)
        if isinstance(x, MethodType):
            return self.method(x, getter, name)
        if isinstance(x, partial):
            return self.partial(x, getter, name)
        note_owner(self, x, getter, name)
        if is_opaque(x) and not has_own_content(x):
            self.guard(getter, "is", x, f"{name} is {getattr(x, '__name__', type(x).__name__)}")
        else:
            self.guard(getter, "type", type(x), f"{name} is a {type(x).__name__}")
            self.identify(x, getter, name)
        self.guard_content(x, getter, name)
        return x

    def method(self, x: MethodType, getter: Getter, name: str) -> Any:
        """A bound method: equal ones are the same; the attributes of its object are read from that object at every call."""
        self.guard(getter, "value", x, f"{name} is {x.__qualname__} of the same object")
        owner = Attribute(getter, "__self__")
        self.origins[id(x.__self__)] = (x.__self__, owner, f"{name}.__self__")
        self.identify(x.__self__, owner, f"{name}.__self__")
        return x

    def partial(self, x: partial, getter: Getter, name: str) -> Any:
        """A partial: its arguments are arguments."""
        self.guard(getter, "type", type(x), f"{name} is a partial")
        function = self.argument(x.func, Attribute(getter, "func"), f"{name}.func")
        given = self.container(x.args, Attribute(getter, "args"), f"{name}.args")
        named = self.container(x.keywords, Attribute(getter, "keywords"), f"{name}.keywords")
        made = partial(function, *given, **dict(dict.items(named)))
        return self.reads.setdefault(("partial", id(made)), made)

    def container(self, x: Any, getter: Getter, name: str, leaf: Callable[[Any, Getter, str], Any] | None = None) -> Any:
        """A list, dict or tuple argument; `leaf` makes the stand-ins of its items."""
        return container_inputs.container(self, x, getter, name, leaf or self.argument)

    def entry(self, getter: Getter, key: Any) -> Getter:
        self.trace.watch.input()
        return Entry(getter, key)

    def outer(self, x: Any, read: Callable[[], Any], name: str) -> Any:
        """A global or closure variable that converted code reads."""
        scope = (id(getattr(read, "__globals__", None)), *map(id, getattr(read, "__closure__", None) or ()))
        return self.found(x, Reading(read), name, scope)

    def missing_variable(self, read: Callable[[], Any], name: str) -> None:
        """A global or closure variable that converted code reads, and that is not there: it may be, in a later call."""
        self.guard(MissingVariable(read), "value", True, f"{name} is not defined")

    def attribute_presence(self, owner: Any, name: str) -> None:
        """Whether an object from outside has an attribute, which the program has asked for: it may get or lose it before a later call."""
        if has_come_or_gone(self.trace, AttributePlace(owner, name)):
            return  # by what the program has done
        getter, label = (self.origins.get(id(owner)) or (owner, Known(owner), type(owner).__name__))[1:]
        is_missing = MissingAttribute(Known(owner), name)(())
        self.guard(MissingAttribute(getter, name), "value", is_missing, f"{label} has {'no' if is_missing else 'an'} attribute {name}")

    def variable(self, x: Any, getter: Getter, name: str, key: Any) -> Any:
        """A variable or attribute that the program also assigns: a number is an input, since it changes from call to call."""
        if not is_number(x):
            return self.found(x, getter, name)
        if (known := self.reads.get(key)) is None:
            known = self.reads[key] = self.number(x, getter, name)
        return known

    def attribute(self, owner: Any, name: str, x: Any) -> Any:
        """An attribute of an object that came from outside."""
        if (known := origin_of(self, owner)) is None:
            return self.found_inside(x)
        getter, label = known[1], f"{known[2]}.{name}"
        if (method := method_made_anew(owner, name, x, getter)) is not None:
            if not isinstance(x, BuiltinFunctionType):
                self.found(*method, label, id(owner))
            return x
        if self.trace.regions and container_inputs.is_data(self, x, label):
            expect_open(self.trace, AttributePlace(owner, name))  # what an operation that fails leaves has to be known before it
        return self.found(x, Attribute(getter, name), label, id(owner))

    def item(self, owner: Any, key: Any, x: Any) -> Any:
        """An entry of a container that came from outside."""
        self.reads["by item", id(owner)] = owner
        known = self.origins.get(id(owner))
        return self.found_inside(x) if known is None else self.found(x, self.entry(known[1], key), f"{known[2]}[{key!r}]", id(owner))

    def contents(self, x: Any) -> Any:
        """A list, tuple or dict of the caller's with its items as inputs or guarded constants; anything else as it is."""
        known = self.origins.get(id(x))
        if known is None or known[0] is not x or type(x) not in (list, tuple, dict):
            return x
        if (decision := self.decision_to_read_in(x)) is not None:
            raise Restart(decision)
        if ("contents", id(x)) not in self.reads:
            self.reads["contents", id(x)] = (x, container_inputs.guarded_contents(self, x, *known[1:]))
        return self.reads["contents", id(x)][1]

    def decision_to_change(self, x: Any) -> tuple[Any, ...]:
        """What lets the program change a container of the caller's."""
        return self.decision_to_read_in(x) or ("outside", id(x))

    def found_inside(self, x: Any) -> Any:
        """A value of unknown origin: arrays are read from this very object."""
        if outside.is_container(x) or outside.belongs_to_run(self.trace, x):
            self.inside[id(x)] = x
            return self.run_time(x, Known(x), f"inside{len(self.inside)}") if outside.belongs_to_run(self.trace, x) else x
        if isinstance(x, Tensor):
            return self.tensor(x, Known(x), f"captured{len(self.arrays)}")
        if isinstance(x, np.ndarray):
            is_known = type(x) is np.ndarray and is_supported(x.dtype)
            return self.capture(x) if is_known else self.kept(x, Known(x), f"inside{len(self.inside)}")
        if holds_arrays(x) or container_inputs.holds_changed(self.trace, x):
            return self.found(x, Known(x), f"captured{len(self.containers)}")
        return meet(self.trace, x)

    def kept(self, x: np.ndarray, getter: Getter, name: str) -> StagedObject:
        """An array that compiled code has no form for: an object of the run, read afresh as all arrays are."""
        if ("kept", id(x)) not in self.reads:
            self.reads["kept", id(x)] = (x, self.opaque(x, getter, name))
        return self.reads["kept", id(x)][1]

    def found(self, x: Any, getter: Getter, name: str, scope: Any = None) -> Any:
        """A value read from outside by `getter`: arrays become parameters, constants are guarded once. Names are unique in a scope."""
        if isinstance(x, Tensor):
            return self.tensor(x, getter, name)
        if type(x) is np.ndarray and is_supported(x.dtype):
            return self.array(x, getter, name)
        if isinstance(x, np.ndarray):
            return (form_of_memory(self, x, name) or Inputs.kept)(self, x, getter, name)
        if type(x) in TEXT_TYPES and isinstance(getter, Attribute):
            return argument_text(self, x, getter, name, scope)
        if isinstance(getter, Attribute) and container_inputs.is_data(self, x, name):
            return container_inputs.read_in(self, x, getter, name)
        if outside.belongs_to_run(self.trace, x):
            return self.run_time(x, getter, name)
        if holds_arrays(x) or container_inputs.holds_changed(self.trace, x):
            return self.container(x, getter, name, lambda item, entry, label: self.found(item, entry, label, id(x)))
        if type(x) is not tuple and is_tuple_class(type(x)):
            return container_inputs.named_tuple(self, x, getter, name, scope)
        if is_number(x) and isinstance(getter, (Attribute, Entry)):
            if ("value", name, 0) in self.generalized:
                return self.variable(x, getter, name, (name, scope))
            self.constants[name, scope] = name, getter, x
        if (name, scope) not in self.reads:
            self.reads[name, scope] = x
            self.guard_found(x, getter, name)
        if not isinstance(x, CONSTANT):
            self.origins.setdefault(id(x), (meet(self.trace, x), getter, name))
            note_owner(self, x, getter, name)
        return x

    def is_reached(self, x: Any) -> bool:
        """Whether an object was found by way of the call's arguments or of variables, and so is the caller's."""
        known = self.origins.get(id(x))
        return known is not None and known[0] is x or self.inside.get(id(x)) is x

    def run_time(self, x: Any, getter: Getter, name: str) -> Any:
        """A container of the caller's that the program changes: the object itself, a parameter."""
        if is_row_too(self.trace, x):
            return row_of_instance(self, x, getter)
        self.identify(x, getter, name)
        if (known := self.reads.get(("outside", id(x)))) is None:

            def guard_entry(key: Any, value: Any) -> None:
                kind, expected = ("int", SMALL_INT) if type(value) is int else ("type", type(value))
                self.guard(self.entry(getter, key), kind, expected, f"{name}[{key!r}] is of type {type(value).__name__}")

            note_shared(x, getter)
            known = self.reads["outside", id(x)] = (x, outside.of_the_run(self.trace, x, self.opaque(x, getter, name), guard_entry))
        return known[1]

    def guard_found(self, x: Any, getter: Getter, name: str) -> None:
        """The guard of a value read from outside: constants by value, what has content by type, code and enumerations by identity."""
        if isinstance(x, Enum):
            self.guard(getter, "is", x, f"{name} is {x}")
        elif is_constant(x) or isinstance(x, LIBRARY_CONSTANTS):
            self.guard(getter, "value", x, f"{name} == {x!r}")
        elif isinstance(x, (list, dict, tuple)):
            self.guard(getter, "length", (type(x), len(x)), f"{name} is a {type(x).__name__} of {len(x)}")
            if not isinstance(x, tuple):
                self.identify(x, getter, name)
            for index, item in enumerate(x) if isinstance(x, tuple) else ():
                self.found(item, self.entry(getter, index), f"{name}[{index}]", id(x))
        elif callable(x := forwarded(x) or x):  # every access makes another method
            text = f"{name} is {x.__name__ if isinstance(x, NAMED) else f'the same {type(x).__name__}'}"
            self.guard(getter, "value" if isinstance(x, MethodType) else "is", x, text)
        elif isinstance(x, ModuleType):
            self.guard(getter, "is", x, f"{name} is the module {x.__name__}")
        else:
            self.guard(getter, "type", type(x), f"{name} is a {type(x).__name__}")
            self.identify(x, getter, name)
        self.guard_content(x, getter, name)

"""Ranges of integers: proves that an index is in bounds, and that an integer operation does not overflow.

An integer is an affine sum (`ir.dims`) of sizes, of loop indices, and of values that nothing is known of. Inside the body of a
counted loop start <= index < stop, so the extreme of a sum is found by putting the bounds in the place of the indices,
innermost first. Sizes are at most 2**60 (they are sizes of memory), which is what keeps sums of a few of them in 64 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograph_jit.ir.dims import Dim, Size, atom, combine, scale
from autograph_jit.ir.dims import lower_bound as size_lower_bound
from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.types import I64, ArrayType

SUMS = {"add": 1, "pyint_add": 1, "subtract": -1, "pyint_subtract": -1}
PRODUCTS = ("multiply", "pyint_multiply")
SIZE_LETTERS = ("s", "d")
LARGEST_COEFFICIENT = 4
LARGEST_CONSTANT = 2**60


@dataclass(frozen=True, slots=True)
class Bounds:
    """An atom is not below `low` and not above `high`; None where nothing is known."""

    low: Size | None
    high: Size | None


@dataclass(slots=True)
class Ranges:
    """What is known of the i64 values of one graph; atoms `i` are loop indices, `v` other values."""

    loops: dict[Value, Operation] = field(default_factory=dict)
    forms: dict[Value, Size] = field(default_factory=dict)
    bounds: dict[str, Bounds] = field(default_factory=dict)

    def affine(self, value: Value) -> Size:
        """The value as an affine sum, modulo 2**64: it is exact where the sum is in range."""
        if value not in self.forms:
            self.forms[value] = self.find_affine(value)
        return self.forms[value]

    def find_affine(self, value: Value) -> Size:
        operation = value.owner
        if value in self.loops:
            return self.loop_index(value)
        if not isinstance(operation, Operation) or value.type != I64:
            return atom(f"v{len(self.forms)}:{id(value)}")
        operands = operation.operands
        if operation.name == "constant":
            return int(operation.attributes["value"])
        if operation.name == "dim":
            type = operands[0].type
            assert isinstance(type, ArrayType)
            return type.dims[operation.attributes["axis"]]
        if operation.name in SUMS:
            return combine(self.affine(operands[0]), self.affine(operands[1]), SUMS[operation.name])
        if operation.name in PRODUCTS:
            x, y = self.affine(operands[0]), self.affine(operands[1])
            if isinstance(x, int) or isinstance(y, int):
                return scale(y, x) if isinstance(x, int) else scale(x, y)  # type: ignore[arg-type]
        if operation.name in ("minimum", "maximum"):
            return self.extremum(operation)
        return self.other(operation, value)

    def other(self, operation: Operation, value: Value) -> Size:
        """An atom of its own; a quotient by a positive literal lies between 0 and what is divided, if that is not negative."""
        if operation.name == "floor_divide" and isinstance(divisor := self.affine(operation.operands[1]), int) and divisor > 0:
            dividend = self.exact(operation.operands[0])
            if dividend is not None and self.is_nonnegative(dividend):
                name = f"iv{len(self.forms)}:{id(value)}"
                self.bounds[name] = Bounds(0, dividend)
                return atom(name)
        return atom(f"v{len(self.forms)}:{id(value)}")

    def extremum(self, operation: Operation) -> Size:
        """A minimum is not above its first operand whose bound helps; likewise a maximum is not below."""
        x, y = (self.exact(operand) for operand in operation.operands)
        name = f"iv{len(self.forms)}:{id(operation)}"
        if x is None or y is None:
            return atom("v" + name)
        lower = operation.name == "minimum"
        known, other = (x, y) if not isinstance(x, int) else (y, x)
        common = 0 if self.is_nonnegative(x) and self.is_nonnegative(y) else None
        if lower:
            self.bounds[name] = Bounds(common, known)
        else:
            nonnegative = self.is_nonnegative(x) or self.is_nonnegative(y)
            top = known if self.is_nonnegative(combine(known, other, -1)) else None
            self.bounds[name] = Bounds(other if isinstance(other, int) else 0 if nonnegative else None, top)
        return atom(name)

    def loop_index(self, value: Value) -> Size:
        """The index of a counted loop with a literal step."""
        loop = self.loops[value]
        start, stop = self.exact(loop.operands[0]), self.exact(loop.operands[1])
        step = self.affine(loop.operands[2])
        name = f"i{len(self.forms)}:{id(value)}"
        if isinstance(step, int) and step > 0:
            self.bounds[name] = Bounds(start, None if stop is None else combine(stop, 1, -1))
        elif isinstance(step, int) and step < 0:
            self.bounds[name] = Bounds(None if stop is None else combine(stop, 1, 1), start)
        else:
            return atom("v" + name)
        return atom(name)

    def exact(self, value: Value) -> Size | None:
        """The affine sum if it is surely the number itself, not a number modulo 2**64."""
        form = self.affine(value)
        if isinstance(form, int) or is_single_atom(form):
            return form
        return form if self.fits(form) or self.is_checked(value) else None

    def is_checked(self, value: Value) -> bool:
        """Whether a value is computed by operations that fail rather than wrap."""
        operation = value.owner
        if isinstance(operation, Operation) and operation.name in ("pyint_add", "pyint_subtract", "pyint_multiply"):
            return all(self.exact(operand) is not None for operand in operation.operands)
        return False

    def extreme(self, form: Size, low: bool) -> Size | None:
        """A bound of the sum in terms of sizes and unknown values only; None if an index has no bound on that side."""
        while isinstance(form, Dim):
            indices = [(name, coefficient) for name, coefficient in form.terms if name in self.bounds]
            if not indices:
                return form
            name, coefficient = max(indices, key=lambda term: atom_number(term[0]))
            bounds = self.bounds[name]
            bound = bounds.low if (coefficient > 0) == low else bounds.high
            if bound is None:
                return None
            form = combine(combine(form, scale(atom(name), coefficient), -1), scale(bound, coefficient), 1)
        return form

    def is_nonnegative(self, form: Size) -> bool:
        lowest = self.extreme(form, low=True)
        if lowest is None:
            return False
        bound = size_lower_bound(lowest)
        return bound is not None and bound >= 0

    def fits(self, form: Size) -> bool:
        """Whether the sum, as a number, lies in 64 bits."""
        return all(is_small(self.extreme(form, low)) for low in (True, False))

    def is_index(self, value: Value, size: Size) -> tuple[bool, bool]:
        """Whether 0 <= value, and whether value < size."""
        form = self.affine(value)
        return self.is_nonnegative(form), self.is_nonnegative(combine(combine(size, form, -1), 1, -1))

    def is_bounded_by_sizes(self, loop: Operation) -> bool:
        """Whether a counted loop makes no more trips than some array has elements."""
        start, stop = self.exact(loop.operands[0]), self.exact(loop.operands[1])
        if start is None or stop is None or not isinstance(self.affine(loop.operands[2]), int):
            return False
        downward = self.affine(loop.operands[2]) < 0  # type: ignore[operator]
        most = self.extreme(combine(start, stop, -1) if downward else combine(stop, start, -1), low=False)
        return most is not None and (isinstance(most, int) or all(name[0] in SIZE_LETTERS for name, _ in most.terms))

    def cannot_overflow(self, operation: Operation) -> bool:
        """Whether the result of an integer sum or product is surely in range."""
        forms = [self.exact(operand) for operand in operation.operands]
        if any(form is None for form in forms):
            return False
        form = self.affine(operation.result)
        return not (isinstance(form, Dim) and is_single_atom(form) and form.terms[0][0].startswith("v")) and self.fits(form)


def is_single_atom(form: Size) -> bool:
    return isinstance(form, Dim) and form.const == 0 and len(form.terms) == 1 and form.terms[0][1] == 1


def is_small(form: Size | None) -> bool:
    """Whether a sum of sizes is far from 2**63; a single unknown value is in range as it is."""
    if form is None:
        return False
    if isinstance(form, int):
        return abs(form) < LARGEST_CONSTANT
    if is_single_atom(form):
        return True
    small = all(name[0] in SIZE_LETTERS and abs(coefficient) <= LARGEST_COEFFICIENT for name, coefficient in form.terms)
    return small and len(form.terms) <= LARGEST_COEFFICIENT // 2 and abs(form.const) < LARGEST_CONSTANT


def atom_number(name: str) -> int:
    """The order in which atoms were made: an index's bounds are made before it."""
    return int("".join(letter for letter in name.partition(":")[0] if letter.isdigit()))


def find_ranges(graph: Graph) -> Ranges:
    """Ranges of a graph; forms are found when they are asked for."""
    ranges = Ranges()
    for operation in graph.walk():
        if operation.name == "for_loop":
            ranges.loops[operation.regions[0].args[0]] = operation
    return ranges

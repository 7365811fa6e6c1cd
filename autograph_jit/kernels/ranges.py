"""Ranges of integers: proves that an index is in bounds, and that an integer operation does not overflow.

An integer is an affine sum (`ir.dims`) of sizes and of unknowns: loop indices, values that loops carry, quotients, values that
nothing is known of. What is known of an unknown is a list of inequalities (`inequalities`); what a branch or a check adds at one
place comes from `conditions`, what holds for a loop's values in every trip from `invariants`.
"""

from __future__ import annotations

from dataclasses import field

from autograph_jit.ir.dims import Dim, Size, combine, scale
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.inequalities import Inequalities, is_single_atom
from autograph_jit.ir.types import I64, ArrayType
from autograph_jit.kernels.conditions import Facts, facts_of
from autograph_jit.kernels.digits import learn_count
from autograph_jit.kernels.invariants import DIVISIONS, Carried, alternatives, find_invariants, replaced
from autograph_jit.kernels.limits import limits_of
from autograph_jit.kernels.relations import learn_relations
from autograph_jit.records import dataclass

SUMS = {"add": 1, "pyint_add": 1, "subtract": -1, "pyint_subtract": -1}
PRODUCTS = ("multiply", "pyint_multiply")
CHECKED = ("pyint_add", "pyint_subtract", "pyint_multiply")
EXTREMA = {"minimum": -1, "maximum": 1}
CHOICES = ("cond", "where")
MOST_SIDES = 4
DEEPEST = 80  # values that are looked at for one another: of one that is further away nothing is known
SIZED = {"full": 1, "empty": 0}  # operations whose operands from this position on are the sizes of the result
PATIENCE = 2**28  # trips that pass before anyone notices
USUAL_SIZE = 2**26
SMALL = 2**62
LONGEST_CHAIN = 100  # of sums that fail rather than wrap, looked through for one of them: where they are written out, each is looked at


@dataclass(slots=True)
class Ranges:
    """What is known of the i64 values of one graph.

    owners   the operation that a block is a region of
    places   block and position of each operation
    checks   positions and conditions of the checks in a block
    sizes    for a size that an operand gives, such as that of `np.zeros(n)`: the operand
    carried  what loops carry, by position
    homes    the blocks in which unknowns are made
    depth    how many values are being looked at, each for the one before
    """

    owners: dict[Block, Operation] = field(default_factory=dict)
    places: dict[Operation, tuple[Block, int]] = field(default_factory=dict)
    checks: dict[Block, list[tuple[int, Value]]] = field(default_factory=dict)
    sizes: dict[str, Value] = field(default_factory=dict)
    carried: dict[Operation, dict[int, Carried]] = field(default_factory=dict)
    forms: dict[Value, Size] = field(default_factory=dict)
    homes: dict[str, Block | None] = field(default_factory=dict)
    known: Inequalities = field(default_factory=Inequalities)
    compared: dict[tuple[str, Value, Value], Facts] = field(default_factory=dict)
    depth: int = 0

    def note_sizes(self, operation: Operation) -> None:
        """Remember which operands are the sizes of an operation's result."""
        type = operation.result.type
        assert isinstance(type, ArrayType)
        for dim, value in zip(type.dims, operation.operands[SIZED[operation.name] :]):
            if is_single_atom(dim) and name_of(dim).startswith("d"):
                self.sizes.setdefault(name_of(dim), value)

    def limit(self, value: Value, low: int, high: int) -> None:
        """A value, of which nothing was asked yet, is never below and never above these."""
        form = self.forms[value] = self.known.unknown()
        self.known.limits[name_of(form)] = (low, high)

    def affine(self, value: Value) -> Size:
        """The value as an affine sum, modulo 2**64: it is exact where the sum is in range."""
        if value not in self.forms:
            self.depth += 1
            try:
                form = self.find_affine(value) if self.depth < DEEPEST else self.known.unknown()
            finally:
                self.depth -= 1
            self.forms.setdefault(value, form)
            if is_single_atom(form):
                self.homes.setdefault(name_of(form), self.block_of(value))
            self.learn_sizes(self.forms[value])
        return self.forms[value]

    def block_of(self, value: Value) -> Block | None:
        """The block in which a value is made; the test of a `while` runs at least once where the loop does."""
        block = value.owner if isinstance(value.owner, Block) else self.places.get(value.owner, (None, 0))[0]
        while block in self.owners and self.owners[block].name == "while_loop" and block is self.owners[block].regions[0]:
            block = self.places[self.owners[block]][0]
        return block

    def find_affine(self, value: Value) -> Size:
        operation = value.owner
        if value.type != I64:
            return self.known.unknown()
        if isinstance(operation, Block):
            return self.argument(value, operation)
        operands = operation.operands
        if operation.name == "constant":
            return int(operation.attributes["value"])
        if operation.name == "dim":
            type = operands[0].type
            assert isinstance(type, ArrayType)
            return type.dims[operation.attributes["axis"]]
        if operation.name in SUMS:
            return combine(self.affine(operands[0]), self.affine(operands[1]), SUMS[operation.name])
        if operation.name == "negative":
            return scale(self.affine(operands[0]), -1)
        if operation.name in PRODUCTS:
            x, y = self.affine(operands[0]), self.affine(operands[1])
            if isinstance(x, int) or isinstance(y, int):
                return scale(y, x) if isinstance(x, int) else scale(x, y)  # type: ignore[arg-type]
        if operation.name in ("while_loop", "for_loop"):
            return self.result_of_loop(value, operation)
        greatest = self.side_of_extremum(operation) if operation.name in EXTREMA else None
        if greatest is not None:
            return greatest
        sides = self.sides_of(value)
        form = self.known.unknown()
        self.limit_extremum(operation, form)
        limits = limits_of(operation, [self.affine(operand) for operand in operands if operand.type == I64])
        if limits is not None:
            self.known.limits[name_of(form)] = limits
        self.known.learn(name_of(form), *self.facts_of_result(operation, form), *self.facts_of_choice(operation, sides, form))
        return form

    def argument(self, value: Value, block: Block) -> Size:
        """A parameter, the index of a counted loop, or a value that a loop carries."""
        loop = self.owners.get(block)
        if loop is None or loop.name not in ("while_loop", "for_loop"):
            return self.known.unknown()
        if loop.name == "while_loop" and block is loop.regions[1]:
            return self.affine(loop.regions[0].yields[value.index + 1])
        if loop.name == "for_loop" and value.index == 0:
            return self.loop_index(loop)
        self.enter_loop(loop, block)
        return self.forms[value]

    def loop_index(self, loop: Operation) -> Size:
        """The index of a counted loop; nothing is known of it unless the step is a literal."""
        before = self.facts_before(loop)
        start, stop = (self.exact(bound, before) for bound in loop.operands[:2])
        step = self.affine(loop.operands[2])
        form = self.known.unknown()
        if isinstance(step, int) and step != 0:
            first, last = (start, stop) if step > 0 else (stop, start)
            if first is not None:
                self.known.learn(name_of(form), combine(form, first if step > 0 else combine(first, 1, 1), -1))
            if last is not None:
                self.known.learn(name_of(form), combine(combine(last, 1, -1) if step > 0 else last, form, -1))
            if first is not None and last is not None:
                self.known.limits[name_of(form)] = (self.known.limits_of_sum(first)[0], self.known.limits_of_sum(last)[1])
        return form

    def enter_loop(self, loop: Operation, block: Block) -> None:
        """Find what holds for all integers that the loop carries."""
        first = int(loop.name == "for_loop")
        if first:
            self.affine(block.args[0])
        unknowns = {}
        for position, arg in enumerate(block.args[first:]):
            if arg.type == I64:
                unknowns[position] = self.known.unknown()
                self.homes[name_of(unknowns[position])] = self.block_of(arg)
                self.forms[arg] = unknowns[position]
        entered = set(self.carried)
        self.learn_carried(loop, unknowns)
        for other in reversed([other for other in self.carried if other not in entered and self.is_inside(loop, other)]):
            self.learn_carried(other, {position: each.unknown for position, each in self.carried[other].items()})

    def learn_carried(self, loop: Operation, unknowns: dict[int, Dim]) -> None:
        """Learn what holds for integers that a loop carries; of one around a loop that was not known yet, once more when that is known."""
        block = loop.regions[0]
        carried = find_invariants(self, loop, unknowns)
        by_name = {each.name: each for each in carried}
        self.carried[loop] = {position: by_name[name_of(form)] for position, form in unknowns.items() if name_of(form) in by_name}
        if loop.name == "for_loop":
            for each in carried:
                self.learn_progress(each, loop, block.args[0])
        else:
            learn_count(self, loop, self.carried[loop])
            learn_relations(self, loop, self.carried[loop])

    def is_inside(self, loop: Operation, other: Operation) -> bool:
        """Whether a loop is in a region of another one."""
        while loop in self.places and self.places[loop][0] in self.owners:
            loop = self.owners[self.places[loop][0]]
            if loop is other:
                return True
        return False

    def learn_progress(self, carried: Carried, loop: Operation, index: Value) -> None:
        """A counter is at most its largest step times the number of trips away from its start."""
        start = self.exact(loop.operands[0])
        if carried.steps and start is not None and self.affine(loop.operands[2]) == 1:
            trips = combine(self.affine(index), start, -1)
            self.known.learn(carried.name, *steps_away(carried.unknown, carried, trips))

    def result_of_loop(self, value: Value, loop: Operation) -> Size:
        """After a `while` its last test's values; after a `for` an unknown for which the invariants hold too."""
        if loop.name == "while_loop":
            return self.affine(loop.regions[0].yields[value.index + 1])
        form = self.known.unknown()
        block = loop.regions[0]
        self.affine(block.args[value.index + 1])
        carried = self.carried.get(loop, {}).get(value.index)
        if carried is not None:
            if carried.name in self.known.limits:
                self.known.limits[name_of(form)] = self.known.limits[carried.name]
            self.known.learn(name_of(form), *(replaced(fact, carried.name, form) for fact in carried.candidates))
            start, stop = self.exact(loop.operands[0]), self.exact(loop.operands[1])
            if start is not None and stop is not None and carried.steps and self.affine(loop.operands[2]) == 1:
                trips = combine(stop, start, -1)
                if self.known.is_nonnegative(trips, self.facts_before(loop)):
                    self.known.learn(name_of(form), *steps_away(form, carried, trips))
        return form

    def facts_of_result(self, operation: Operation, form: Dim) -> Facts:
        """Inequalities of a quotient, a remainder, a minimum, a maximum or a choice."""
        if operation.name in EXTREMA:
            x, y = (self.exact(operand) for operand in operation.operands)
            sign = EXTREMA[operation.name]
            sides = [scale(combine(form, side, -1), sign) for side in (x, y) if side is not None]
            return (*sides, *self.signs((x, y), form))
        if operation.name in DIVISIONS:
            return self.facts_of_division(operation, form, self.facts_before(operation))
        return ()

    def side_of_extremum(self, operation: Operation) -> Size | None:
        """The side that a maximum or minimum surely is."""
        x, y = (self.exact(operand) for operand in operation.operands)
        if x is None or y is None:
            return None
        way = scale(combine(x, y, -1), EXTREMA[operation.name])
        return x if self.known.is_nonnegative(way) else y if self.known.is_nonnegative(scale(way, -1)) else None

    def limit_extremum(self, operation: Operation, form: Dim) -> None:
        """A maximum or minimum is between the limits of both sides."""
        sides = [self.exact(operand) for operand in operation.operands] if operation.name in EXTREMA else [None]
        found = [self.known.limits_of_sum(side) for side in sides if side is not None]
        if len(found) == len(sides):
            self.known.limits[name_of(form)] = (min(low for low, _ in found), max(high for _, high in found))

    def signs(self, sides: tuple[Size | None, ...], form: Dim) -> Facts:
        """Not negative where no side is."""
        return (form,) if all(side is not None and self.known.is_nonnegative(side) for side in sides) else ()

    def sides_of(self, value: Value) -> list[tuple[Size | None, Facts]]:
        """What the result of a choice may be, each with what is known there; nothing for other values."""
        operation = value.owner
        if not isinstance(operation, Operation) or operation.name not in CHOICES:
            return []
        found = alternatives(self, value, self.facts_before(operation))
        if any(side is value for side, _ in found):  # too many sides to look at
            return []
        return [(self.exact(side, facts), facts) for side, facts in found]

    def facts_of_choice(self, operation: Operation, sides: list[tuple[Size | None, Facts]], form: Dim) -> Facts:
        """Not negative where no side is, and bounded by a side that bounds all others. What is known of a number that is made inside of a
        branch is true where that branch is taken: such a side bounds nothing."""
        bounds = [side for side, _ in sides if side is not None]
        if not sides or len(bounds) < len(sides) or len(sides) > MOST_SIDES:
            return ()
        found: Facts = ()
        for bound in dict.fromkeys((0, *bounds)):
            if not self.is_made_outside(bound, operation):
                continue
            if all(self.known.is_nonnegative(combine(side, bound, -1), facts) for side, (_, facts) in zip(bounds, sides)):
                found += (combine(form, bound, -1),)
            if bound != 0 and all(self.known.is_nonnegative(combine(bound, side, -1), facts) for side, (_, facts) in zip(bounds, sides)):
                found += (combine(bound, form, -1),)
        return found

    def is_made_outside(self, form: Size, operation: Operation) -> bool:
        """Whether all unknowns of a sum are made in the block of an operation, or around it."""
        around = set()
        block = self.places[operation][0] if operation in self.places else None
        while block is not None:
            around.add(block)
            block = self.places[self.owners[block]][0] if block in self.owners else None
        homes = [self.homes.get(name) for name in names_in(form) if name in self.known.numbers]
        return all(home is None or home in around for home in homes)

    def facts_of_division(self, operation: Operation, form: Dim, given: Facts) -> Facts:
        """Of a quotient by a positive literal, and of a remainder by what is surely positive, or at least not negative."""
        dividend, divisor = (self.exact(operand, given) for operand in operation.operands)
        if divisor is None or not self.known.is_nonnegative(combine(divisor, 1, -1), given):
            return (form,) if operation.name == "remainder" and divisor is not None and self.known.is_nonnegative(divisor, given) else ()
        if operation.name == "remainder":
            return form, combine(combine(divisor, form, -1), 1, -1)
        if dividend is None or not isinstance(divisor, int):
            return ()
        rest = combine(dividend, scale(form, divisor), -1)
        return rest, combine(divisor - 1, rest, -1)

    def learn_sizes(self, form: Size) -> None:
        """A size that an operand gave is equal to it."""
        for name, _ in form.terms if isinstance(form, Dim) else ():
            if name in self.sizes:
                same = self.exact(self.sizes.pop(name))
                if same is not None:
                    difference = combine(Dim(((name, 1),)), same, -1)
                    self.known.learn(name, difference, combine(0, difference, -1))

    def exact(self, value: Value, given: Facts = ()) -> Size | None:
        """The affine sum if it is surely the number itself, not a number modulo 2**64."""
        form = self.affine(value)
        return form if self.known.fits(form, given) or self.is_checked(value, given) else None

    def is_checked(self, value: Value, given: Facts) -> bool:
        """Whether a value is computed by operations that fail rather than wrap, not too many of them."""
        todo, seen = [value], {value}
        while todo and len(seen) < LONGEST_CHAIN:
            operation = todo.pop().owner
            if not isinstance(operation, Operation) or operation.name not in CHECKED:
                return False
            new = {x for x in operation.operands if x not in seen and not self.known.fits(self.affine(x), given)}
            todo, seen = [*todo, *new], seen | new
        return not todo

    # What is known at a place.

    def facts_at(self, block: Block, position: int | None = None) -> Facts:
        """What branches, loop tests and checks say of integers at a position of a block; without one, at its end."""
        facts: Facts = ()
        inner: Block | None = block
        while inner is not None:
            for index, condition in self.checks.get(inner, ()):
                if position is None or index < position:
                    facts += facts_of(self, condition, True)
            owner = self.owners.get(inner)
            if owner is None:
                return facts
            if owner.name == "cond":
                facts += facts_of(self, owner.operands[0], inner is owner.regions[0])
            elif owner.name == "while_loop" and inner is owner.regions[1]:
                facts += facts_of(self, owner.regions[0].yields[0], True)
            elif owner.name == "for_loop":
                facts += self.facts_of_trip(owner)
            inner, position = self.places[owner]
        return facts

    def facts_of_trip(self, loop: Operation) -> Facts:
        """In a counted loop there is at least one trip."""
        start, stop, step = self.exact(loop.operands[0]), self.exact(loop.operands[1]), self.affine(loop.operands[2])
        if start is None or stop is None or not isinstance(step, int) or step == 0:
            return ()
        return (combine(scale(combine(stop, start, -1), 1 if step > 0 else -1), 1, -1),)

    def facts_before(self, operation: Operation) -> Facts:
        return self.facts_at(*self.places[operation]) if operation in self.places else ()

    # Questions.

    def is_index(self, value: Value, size: Size, at: Operation | None = None) -> tuple[bool, bool]:
        """Whether 0 <= value, and whether value < size, where the operation `at` is."""
        form = self.affine(value)
        self.learn_sizes(size)
        return self.is_surely_nonnegative(form, at), self.is_surely_nonnegative(combine(combine(size, form, -1), 1, -1), at)

    def is_surely_nonnegative(self, form: Size, at: Operation | None) -> bool:
        """Whether a sum is at least 0 where the operation `at` is."""
        return self.known.is_nonnegative(form) or (at is not None and self.known.is_nonnegative(form, self.facts_before(at)))

    def is_nonnegative(self, value: Value, at: Operation) -> bool:
        """Whether an integer is surely not negative where the operation `at` is."""
        form = self.exact(value, self.facts_before(at))
        return form is not None and self.is_surely_nonnegative(form, at)

    def is_surely_nonzero(self, condition: Value, at: Operation) -> bool:
        """Whether a condition is `n != 0`, for an integer or one as a float, and n is surely not zero where the operation `at` is."""
        comparison = condition.owner
        if not isinstance(comparison, Operation) or comparison.name != "not_equal":
            return False
        number, zero = comparison.operands
        if isinstance(number.owner, Operation) and number.owner.name == "cast":
            number = number.owner.operands[0]
        literal = zero.owner
        if number.type != I64 or not isinstance(literal, Operation) or literal.name != "constant" or literal.attributes["value"] != 0:
            return False
        form = self.exact(number, self.facts_before(at))
        return form is not None and any(self.is_surely_nonnegative(combine(scale(form, sign), 1, -1), at) for sign in (1, -1))

    def is_bounded_by_sizes(self, loop: Operation) -> bool:
        """Whether a counted loop makes no more trips than a few arrays have elements."""
        start, stop, step = self.exact(loop.operands[0]), self.exact(loop.operands[1]), self.affine(loop.operands[2])
        if start is None or stop is None or not isinstance(step, int):
            return False
        return self.is_soon_done(combine(start, stop, -1) if step < 0 else combine(stop, start, -1), loop)

    def is_soon_done(self, trips: Size, loop: Operation) -> bool:
        return self.known.is_nonnegative(combine(PATIENCE, trips, -1), self.facts_before(loop), USUAL_SIZE)

    def cannot_overflow(self, operation: Operation) -> bool:
        """Whether the result of an integer sum or product is surely in range."""
        form = self.affine(operation.result)
        if is_single_atom(form) and name_of(form) not in {name for x in operation.operands for name in names_in(self.affine(x))}:
            return False
        given = self.facts_before(operation)
        return all(self.exact(operand, given) is not None for operand in operation.operands) and self.known.fits(form, given)


def name_of(form: Size) -> str:
    """The name of a sum that is one atom."""
    assert isinstance(form, Dim)
    return form.terms[0][0]


def names_in(form: Size) -> list[str]:
    return [name for name, _ in form.terms] if isinstance(form, Dim) else []


def steps_away(form: Dim, carried: Carried, trips: Size) -> Facts:
    """At least the smallest step times the trips from the start, at most the largest; a trip that does not count does not move it."""
    assert carried.steps is not None
    low, high = min(*carried.steps, 0), max(*carried.steps, 0)
    way = combine(form, carried.start, -1)
    return combine(way, scale(trips, low), -1), combine(scale(trips, high), way, -1)


def find_ranges(graph: Graph) -> Ranges:
    """Ranges of a graph; forms are found when they are asked for."""
    ranges = Ranges()

    def visit(block: Block) -> None:
        for position, operation in enumerate(block.operations):
            ranges.places[operation] = block, position
            if operation.name == "check":
                ranges.checks.setdefault(block, []).append((position, operation.operands[0]))
            elif operation.name in SIZED:
                ranges.note_sizes(operation)
            for region in operation.regions:
                ranges.owners[region] = operation
                visit(region)

    visit(graph.block)
    for position in graph.small:
        ranges.limit(graph.block.args[position], 1 - SMALL, SMALL - 1)
    return ranges

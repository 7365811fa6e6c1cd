"""Programs that exchange objects between attributes, lists and variables, and read values of a library's classes from attributes."""

from __future__ import annotations

import datetime
import fractions
import pathlib
import re

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


class Cell:
    def __init__(self, value, after=None):
        self.value, self.after = value, after


def chain(*values):
    first = None
    for value in reversed(values):
        first = Cell(value, first)
    return first


def values_of(cell):
    found = []
    while cell is not None:
        found.append(cell.value)
        cell = cell.after
    return found


@program(lambda: (chain(1.0, 2.0, 3.0),), lambda: (chain(4.0, 5.0, 6.0),))
def a_list_of_cells_is_turned_round(cell):
    before = None
    while cell is not None:
        cell.after, before, cell = before, cell, cell.after
    return values_of(before)


@program(lambda: (Cell(Cell(1.0)), Cell(Cell(2.0))), lambda: (Cell(np.zeros(2)), Cell(np.ones(2))))
def values_change_places(one, other):
    one.value, other.value = other.value, one.value
    return one.value, other.value


@program(lambda: (Cell(np.arange(3.0), np.zeros(3)),), lambda: (Cell(np.ones(4), np.zeros(4)),))
def two_buffers_take_turns(field):
    for _ in range(3):
        field.after[1:] = field.value[:-1] + 1.0
        field.value, field.after = field.after, field.value
    return field.value, field.after


@program(lambda: (Cell(Cell(1.0)),), lambda: (Cell(Cell(2.0)),))
def an_object_changes_after_its_place_did(cell):
    inner = cell.value
    cell.value = None
    inner.value += 3.0
    return inner


@program(lambda: (Cell(Cell(1.0)), Cell(Cell(2.0)), 1.0), lambda: (Cell(Cell(3.0)), Cell(Cell(4.0)), -1.0))
def an_exchange_before_an_exception(one, other, sign):
    one.value, other.value = other.value, one.value
    if sign > 0:
        raise ValueError("too late")
    return one


@program(lambda: ([Cell(1), 1.0], [Cell(2), 2.0]), lambda: ([np.zeros(1), 3.0], [np.ones(1), 4.0]))
def items_change_places_between_lists(one, other):
    one[0], other[0] = other[0], one[0]
    one[1], other[1] = other[1], one[1]
    return one, other


VALUES = (
    lambda k: datetime.date(2000 + k, 1, 1),
    lambda k: datetime.timedelta(k),
    lambda k: fractions.Fraction(k, 7),
    lambda k: pathlib.PurePath(str(k)),
    lambda k: re.compile(str(k)),
    lambda k: slice(k),
)


@program(*(lambda make=make, k=k: (Cell(make(k), make(1)),) for make in VALUES for k in range(3)))
def values_of_a_library_in_attributes(cell):
    kept = [cell.value]
    return cell.value, str(cell.value), cell.value == cell.after, kept, (cell.after, cell.value)


@program(lambda: (Cell(fractions.Fraction(1, 3)), 5), lambda: (Cell(fractions.Fraction(1, 5)), 6))
def an_old_value_is_returned(cell, n):
    old = cell.value
    cell.value = fractions.Fraction(1, 2)
    return [old for _ in range(n)], old, cell.value


@program(lambda: (np.random.default_rng(1),), lambda: (np.random.default_rng(2),))
def a_generator_of_random_numbers_goes_through(generator):
    return {"it": generator, "first": generator.random()}


class Machine:
    def __init__(self, code):
        self.code, self.place, self.numbers = code, 0, [0, 0]

    def do_set(self, k, number):
        self.numbers[k] = number

    def do_add(self, k, number):
        self.numbers[k] += number

    def do_jump(self, k, place):
        self.numbers[k] -= 1
        if self.numbers[k]:
            self.place = place


@program(lambda: (Machine([("set", 0, 4), ("add", 1, 5), ("jump", 0, 1)]),), lambda: (Machine([("set", 0, 2), ("add", 0, 5)]),))
def methods_by_names_of_the_run(machine):
    while machine.place < len(machine.code):
        name, k, number = machine.code[machine.place]
        machine.place += 1
        getattr(machine, "do_" + name)(k, number)
    return machine.numbers

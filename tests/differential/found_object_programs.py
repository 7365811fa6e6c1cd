"""What functions that nobody wrote for the compiler do, in small: values and objects of their own classes, files, methods of a library."""

from __future__ import annotations

import _random
import collections
import difflib
import html.parser
import io
import itertools
import time

import numpy as np
from scipy.optimize import show_options

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


class Token(str):
    def __new__(cls, value, kind):
        self = super().__new__(cls, value)
        self.kind, self.defects = kind, []
        return self


class Tagged(int):
    def __new__(cls, value, tag):
        self = int.__new__(cls, value)
        self.tags = [tag]
        return self


@program(lambda: (3,), lambda: (4,))
def texts_and_numbers_with_attributes(x):
    token, number = Token("abc", x), Tagged(5, "u")
    token.defects.append(x)
    return (
        *(token, token.upper(), type(token.defects) is list, token.defects, token.kind),
        *(number, number + 1, type(number.tags) is list, Tagged(x, x).tags),
    )


class Holder:
    def __init__(self, x):
        self.x = x


@program(lambda: (Holder(np.arange(3.0, dtype=np.float32).astype("f2")),), lambda: (Holder(np.arange(3).astype(object)),))
def dtypes_of_what_only_the_run_knows(holder):
    x = holder.x
    y = x[1:]
    doubled = np.multiply(x, 2, out=x.copy())
    return np.issubdtype(x.dtype, np.inexact), np.iscomplexobj(x), np.isrealobj(y), np.may_share_memory(x, y), doubled


@program(lambda: (3,), lambda: (4,))
def library_function_that_prints(x):
    show_options("root", "hybr")
    return x + 1


class Drawing(_random.Random):
    def random(self):
        return super().random() + 1


class Amount(float):
    def __add__(self, other):
        return Amount(float(self) + other)


class Vector(tuple):
    def __new__(cls, *items):
        return tuple.__new__(cls, items)

    def __add__(self, other):
        return Vector(*[a + b for a, b in zip(self, other)])

    @property
    def x(self):
        return self[0]

    def count(self, item):
        return super().count(item) + 10


@program(
    lambda: (Drawing(3), Amount(1.5), Vector(1, 2), Token("ab", 1)),
    lambda: (Drawing(4), Amount(2.5), Vector(3, 4, 5), Token("ab", 2)),
)
def values_of_classes_of_their_own(generator, amount, vector, token):
    return (
        *(generator.random(), amount + 1, amount * 2, vector + vector, vector.x, vector.count(1), [item for item in vector], vector),
        *(token.kind, token == "ab", token + "c", time.gmtime(0).tm_year),
    )


@program(lambda: (time.gmtime(0),), lambda: (time.gmtime(1e9),))
def times_with_names(t):
    return t.tm_year, t[1], len(t)


ADVANCED = "made outside of the function, which advances it"


@program(lambda: (io.StringIO("a\nb\n"),), refused=ADVANCED)
def numbered_lines_of_a_file(file):
    return [line for n, line in enumerate(file, start=1) if n > 1]


@program(lambda: (io.StringIO("a\nb\n"),), refused=ADVANCED)
def last_line_of_a_file(file):
    return max(file)


@program(lambda: (io.StringIO("a\nb\n"),), refused=ADVANCED)
def lines_of_a_file_in_a_display(file):
    return [*file]


@program(lambda: (io.StringIO("a\nb\n"),), refused=ADVANCED)
def lines_of_a_file_in_a_set(file):
    return set(file)


@program(lambda: (io.StringIO("a\nb\n"),), refused=ADVANCED)
def unpacked_lines_of_a_file(file):
    a, *b = file
    return a, b


@program(lambda: (iter([1, 2]),), refused=ADVANCED)
def items_of_an_iterator_stored_in_a_slice(items):
    found = [0]
    found[0:1] = items
    return found


@program(lambda: (io.StringIO("a\nb\n"),), refused=ADVANCED)
def lines_of_a_file_behind_a_list(file):
    found = []
    found += file
    return found


class Parser(html.parser.HTMLParser):
    def __init__(self):
        self.lineno = self.offset = 7

    def again(self, x):
        self.told = x
        html.parser.HTMLParser.reset(self)
        return self.lineno + x, self.offset

    def behind(self, x):
        self.told = x
        super().reset()
        return self.offset


class Entries(collections.UserDict):
    pass


@program(lambda: (Parser(), 1), lambda: (Parser(), 2))
def method_of_a_library_changes_its_object(parser, x):
    return parser.again(x), list(vars(parser)), parser.lineno


@program(lambda: (Parser(), 1), lambda: (Parser(), 2))
def method_of_a_library_by_super(parser, x):
    return parser.behind(x), parser.lineno


@program(lambda: (3,), lambda: (4,))
def method_of_a_library_changes_what_is_made_here(x):
    parser, entries = Parser(), Entries()
    parser.kept = x
    parser.reset()
    entries["a"] = x
    entries.update(b=2)
    return parser.offset, parser.kept, dict(entries)


@program(lambda: ({"a": 1},), lambda: ({"b": 2},))
def objects_of_a_librarys_classes(mapping):
    chain, matcher, items = collections.ChainMap({"z": 1}, {"b": 2}), difflib.SequenceMatcher(None, "ab", "abc"), collections.UserList([1])
    same = type(chain.maps) is list, type(matcher.b2j) is dict, type(items.data) is list
    return chain, collections.ChainMap({}, mapping), matcher.ratio(), matcher.b2j, items, same


class Bad(ValueError):
    def __init__(self, weekday):
        super().__init__(weekday)
        self.weekday = weekday

    def __str__(self):
        return "bad weekday %r" % self.weekday

    def later(self, k):
        self.weekday += k
        return self.weekday


@program(lambda: (Bad(1),), lambda: (Bad(2),))
def exceptions_as_arguments(error):
    try:
        raise KeyError(1) from error
    except KeyError as other:
        same = other.__cause__ is error
    return str(error), error.args, error.later(3), isinstance(error, ValueError), same, error.weekday, type(error).__name__


@program(lambda: (Bad(1),), lambda: (Bad(2),))
def raised_argument(error):
    raise error


@program(lambda: (np.random.default_rng(3), 1), lambda: (np.random.default_rng(4), 2))
def seeds_and_bits(generator, n):
    bits = generator.bit_generator
    child = bits.seed_seq.spawn(n)[-1]
    return child.spawn_key, child.generate_state(1), bits.random_raw(), bits.seed_seq.spawn(1)[0].spawn_key, generator.random()


@program(lambda: ([1, 2, 3, 4],), refused="leaves the compiled function")
def pairs_that_leave(items):
    return zip(*[iter(items)] * 2)


@program(lambda: ([1, 2],), refused="leaves the compiled function")
def subsets_that_leave(items):
    return itertools.chain.from_iterable(itertools.combinations(items, k) for k in range(len(items) + 1))

"""What operations take that stand for a part of a function that Python has in C, as shares of what they take elsewhere."""

from __future__ import annotations

from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class InC:
    """The shares of the time in Python and compiled; whether the operations are a search, whose loops are short."""

    python: float = 1.0
    compiled: float = 1.0
    is_scan: bool = False


WHOLE = InC(0.4)  # attributes, which Python finds quicker than an item of a list
ITERATED = InC(0.3)  # the next item of a loop, beside a subscript
GATHERED = InC(0.35)  # items that `zip`, `enumerate` and the like give go into a list or a dict
SEARCHED = InC(0.2)  # heaps and bisections, which compare objects; what is done to each item around the call of a key
# One letter after the other is looked at, or one is searched; LLVM makes either short.
SCANNED, FOUND = InC(0.03, 0.2, True), InC(0.007, 0.15, True)
READ_INT, READ_FLOAT = InC(0.025, 0.2, True), InC(0.06, 0.2, True)  # of a text of digits: Python takes 30 and 120 ns
MATCHED = InC(0.0026, 0.015, True)  # steps of a regular expression: 0.3 microseconds in Python, 0.1 compiled, however many are assumed
BESIDE = InC(0.03)  # what a container keeps and checks beside the one step that Python is counted for
FURTHER_PARTS = InC(0.25)  # the further parts of a tuple that is an item, which Python handles as one object
OTHER_PARTS = InC(0.03, 1.5)  # the further parts of an item that may be a number, a text, a list or a dict
ROW_MADE = InC(0.0, 20.0)  # a list or dict gets a row
ROW_LEFT, DICT_LEFT = InC(0.0, 100.0), InC(0.0, 400.0)  # one by which a list leaves, or a dict, which Python makes again
TUPLE_MADE, TUPLE_LEFT = InC(0.5), InC(0.5, 45.0)  # a tuple that is a row; one that leaves
TABLE_MADE = InC(0.0, 2.0)  # a list of a table of tuples, which Python has not
ANEW = InC(0.0)  # the items of an argument go into lists of another kind, which Python has not
AMORTIZED = InC(0.0, 0.02)  # what is done to many entries, once for as many steps
COPIED = InC(0.03)  # what stands at some places of a list is put into another one
COUNTED = InC(2.5, 0.2)  # the items that two sets have in common, which Python makes a set of
REHASHED = InC(0.2, 3.0)  # the items of a set go into another one: Python has their hashes with them
TOLD_APART = InC(0.1)  # the letters of two texts, one for one
MERGED, ROWS_MERGED = InC(0.02, 0.6), InC(0.04, 0.6)  # items are sorted, which Python compares without a call of theirs; tuples
ORDERED = InC(2.0, 3.0)  # numbers are sorted, which Python takes some microseconds for

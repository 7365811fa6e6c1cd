"""Matches regular expressions, as programs (`library.python.pattern_programs`), by backtracking: written in Python, converted like it."""

from __future__ import annotations

from typing import Any

import numpy as np

CHAR, SET, PEEK, JUMP, RUN, LAZY, SPLIT, MARK, AT, REF, DONE = range(11)
LAST_OF_LETTERS = JUMP
LATIN, UNKNOWN = 256, 2  # in the tables: the entry of all other letters; that of those which Python is asked for
BEGIN, BEGIN_LINE, END, END_LINE, END_TEXT, BOUNDARY, NO_BOUNDARY = range(7)
CHOICE, SHORTER, LONGER, RESTORE, BOTTOM = range(5)  # on the stack: another way, a shorter or longer run, what a mark was, nothing
NOTHING_LEFT = 3  # the answer where no way is left
NO_MATCH, ASK = -1, -2


def entry_of_letter(tables: Any, row: Any, code: Any) -> Any:
    """What a table says of a letter."""
    return int(tables[row * (LATIN + 1) + (code if code < LATIN else LATIN)])


def is_word_at(tables: Any, row: Any, x: Any, place: Any, end: Any) -> Any:
    """Whether a letter of words stands at a place; UNKNOWN where Python is asked."""
    return entry_of_letter(tables, row, int(x[place])) if place >= 0 and place < end else 0


def holds_at(program: Any, pc: Any, tables: Any, x: Any, i: Any, end: Any) -> Any:
    """Whether an assertion holds; UNKNOWN where Python is asked."""
    kind = int(program[pc + 1])
    if kind == BEGIN:
        return 1 if i == 0 else 0
    if kind == BEGIN_LINE:
        return 1 if i == 0 or x[i - 1] == 10 else 0
    if kind == END_TEXT or i == end and kind < BOUNDARY:
        return 1 if i == end else 0
    if kind == END:
        return 1 if i == end - 1 and x[i] == 10 else 0
    if kind == END_LINE:
        return 1 if x[i] == 10 else 0
    row = int(program[pc + 2])
    before, behind = is_word_at(tables, row, x, i - 1, end), is_word_at(tables, row, x, i, end)
    if before == UNKNOWN or behind == UNKNOWN:
        return UNKNOWN
    return 1 if (before != behind) == (kind == BOUNDARY) else 0


def letters_taken(program: Any, pc: Any, tables: Any, x: Any, i: Any, end: Any) -> Any:
    """1 where a step that takes letters finds them, 0 where not, UNKNOWN where Python is asked; the place and the step behind it."""
    op, answer = int(program[pc]), 0
    if op == CHAR:
        answer = 1 if i < end and int(x[i]) == int(program[pc + 1]) else 0
        i, pc = i + answer, pc + 2
    if op == SET or op == PEEK:
        there = entry_of_letter(tables, int(program[pc + 1]), int(x[i])) if i < end else 0
        answer = there if op == SET or there == UNKNOWN else 1
        i += 1 if op == SET else 0
        pc = pc + 2 if op == SET else pc + 3 if there == 1 else int(program[pc + 2])
    if op == JUMP:
        answer, pc = 1, int(program[pc + 1])
    return answer, i, pc


def run_taken(row: Any, low: Any, top: Any, tables: Any, x: Any, i: Any) -> Any:
    """How far letters of a set go, at most up to a place; 1 where they go far enough, UNKNOWN where Python is asked."""
    answer = 1
    while i < top and answer == 1:
        answer = entry_of_letter(tables, row, int(x[i]))
        i += 1 if answer == 1 else 0
    return i, answer if answer == UNKNOWN else 1 if i >= low else 0


def as_few_as_fit(row: Any, behind: Any, top: Any, tables: Any, x: Any, i: Any) -> Any:
    """The first place at which what follows may begin, with letters of a set before it; UNKNOWN where Python is asked."""
    answer, fits = 1, False
    while i < top and answer == 1 and not fits:
        there = entry_of_letter(tables, behind, int(x[i])) if behind >= 0 else 1
        fits = there == 1
        answer = there if there == UNKNOWN else 1 if fits else entry_of_letter(tables, row, int(x[i]))
        i += 1 if answer == 1 and not fits else 0
    return i, answer


def set_mark(stack: Any, marks: Any, slot: Any, value: Any) -> None:
    """Set a mark, to be restored where another way is gone."""
    stack.append(int(marks[slot]))
    stack.append(slot)
    stack.append(RESTORE)
    marks[slot] = value


def same_again(marks: Any, slot: Any, x: Any, i: Any, end: Any) -> Any:
    """Whether what a group has found stands here again, and the place behind it."""
    begin, until = int(marks[slot]), int(marks[slot + 1])
    answer = 1 if begin >= 0 and until >= begin and i + until - begin <= end else 0
    while answer == 1 and begin < until:
        answer = 1 if x[begin] == x[i] else 0
        begin, i = begin + 1, i + 1
    return answer, i


def noted_step(program: Any, pc: Any, tables: Any, x: Any, i: Any, end: Any, stack: Any, marks: Any) -> Any:
    """The same of a step that notes another way, or a mark."""
    op, answer = int(program[pc]), 1
    if op == RUN:
        row, low, top = int(program[pc + 1]), i + int(program[pc + 2]), min(end, i + int(program[pc + 3]))
        i, answer = run_taken(row, low, top, tables, x, i)
        if answer == 1 and i > low and int(program[pc + 4]) == 0:
            stack.append(low)
            stack.append(i)
            stack.append(pc + 5)
            stack.append(SHORTER)
        pc += 5
    if op == LAZY:
        row, low, top = int(program[pc + 1]), i + int(program[pc + 2]), min(end, i + int(program[pc + 3]))
        i, answer = run_taken(row, low, min(low, top), tables, x, i)
        if answer == 1:
            i, answer = as_few_as_fit(row, int(program[pc + 4]), top, tables, x, i)
        if answer == 1 and i < top:
            stack.append(top)
            stack.append(i)
            stack.append(pc)
            stack.append(LONGER)
        pc += 5
    if op == SPLIT:
        stack.append(i)
        stack.append(int(program[pc + 1]))
        stack.append(CHOICE)
        pc += 2
    if op == MARK:
        slot = int(program[pc + 1])
        set_mark(stack, marks, slot, i)
        if slot % 2 == 1:
            set_mark(stack, marks, len(marks) - 1, slot // 2)
        pc += 2
    if op == AT:
        answer = holds_at(program, pc, tables, x, i, end)
        pc += 3
    if op == REF:
        answer, i = same_again(marks, int(program[pc + 1]), x, i, end)
        pc += 2
    return answer, i, pc


def way_back(program: Any, tables: Any, x: Any, stack: Any, marks: Any) -> Any:
    """The last way that was noted: 1, the place and the step; 0 where there is none."""
    answer, i, pc = min(len(stack), 0), 0, 0  # which only the run knows, so that the loop is one of the run
    while answer == 0:
        kind = stack.pop()
        if kind == CHOICE:
            pc, i, answer = stack.pop(), stack.pop(), 1
        elif kind == SHORTER:
            pc, i, low = stack.pop(), stack.pop() - 1, stack.pop()
            if i > low:
                stack.append(low)
                stack.append(i)
                stack.append(pc)
                stack.append(SHORTER)
            answer = 1
        elif kind == LONGER:
            pc, i, top = stack.pop(), stack.pop(), stack.pop()
            i, answer = run_taken(int(program[pc + 1]), i + 1, i + 1, tables, x, i)
            if answer == 1:
                i, answer = as_few_as_fit(int(program[pc + 1]), int(program[pc + 4]), top, tables, x, i)
            if answer == 1 and i < top:
                stack.append(top)
                stack.append(i)
                stack.append(pc)
                stack.append(LONGER)
            pc += 5
        elif kind == RESTORE:
            slot = stack.pop()
            marks[slot] = stack.pop()
        else:
            stack.append(BOTTOM)
            answer = NOTHING_LEFT
    return answer, i, pc


def match_program(program: Any, tables: Any, x: Any, place: Any, end: Any, mode: Any, advances: Any, size: Any) -> Any:
    """The marks of the first match from a place on: where it and its groups begin and end, -1 where one has none, and the number of the
    last group. The first is NO_MATCH where there is none, ASK where Python has to be asked. mode: 0 at the place, 1 there and to the end,
    2 anywhere behind; advances: 1 where a match at the place may not be empty."""
    marks = np.full(size, -1)
    stack = [BOTTOM] * min(size, 1)  # of compiled code from the start, as only the run knows how long it is
    start, found, i = place, NO_MATCH, place
    first = int(program[0])
    while found == NO_MATCH and start <= end:
        if mode == 2 and first >= 0:
            while start < end and entry_of_letter(tables, first, int(x[start])) == 0:
                start += 1
        pc, i, running = 1, start, start <= end
        while running:
            op, answer = int(program[pc]), 0
            if op <= LAST_OF_LETTERS:
                answer, i, pc = letters_taken(program, pc, tables, x, i, end)
            elif op != DONE:
                answer, i, pc = noted_step(program, pc, tables, x, i, end, stack, marks)
            elif not (mode == 1 and i != end or advances == 1 and i == place and start == place):
                answer, found, running = 1, i, False
            if answer == 0:
                answer, i, pc = way_back(program, tables, x, stack, marks)
            if answer == UNKNOWN:
                found = ASK
            running = running and answer == 1
        start = start if found != NO_MATCH else start + 1 if mode == 2 else end + 1
    marks[0] = start if found >= 0 else found
    marks[1] = found
    return marks


STEPS = (entry_of_letter, is_word_at, holds_at, letters_taken, run_taken, as_few_as_fit, set_mark, same_again, noted_step, way_back)
CONVERTED = (*STEPS, match_program)

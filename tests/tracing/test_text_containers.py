"""Texts in lists, dicts and sets of compiled code: Python's values, order, identity and errors, without a call of Python."""

from __future__ import annotations

import contextlib
import copy
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.str_layout import str_layout
from autograph_jit.ir.copying import copy_graph
from autograph_jit.tracing.texts import constants
from autograph_jit.tracing.values.trace import Restart
from autograph_jit.transforms.tallies import find_tallies
from tests.tables import table
from tests.tracing.agreement import assert_agrees

PLAIN = "the quick brown fox jumps over the lazy dog and the cat a a b".split()
OTHER = ["a"] * 9 + ["", "zz", "the", "x" * 300]
MANY = ["é", "日本", "a\ud800", "\U0001f600 b", "É", "the", "the", "a", "é", "cité", "日", "bb", "日本"]
TEXTS = (" ".join(PLAIN), "", " ", "  a,b ,c\n\nlast\r\nline\x0bq  ", "é 日本, a é\x1c日本 \u2003x\u2028y")


def made_and_looked_for_again(words: Any) -> Any:
    """A text that the loop makes is looked for before it is there, and again afterwards."""
    counts, rows, seen, total = {}, {}, set(), 0
    for word in words:
        start = word[:1]
        if start not in counts:
            counts[start] = 0
        counts[start] += 1
        end = word[-1:] + "."
        if end not in rows:
            rows[end] = []
        rows[end].append(len(word))
        total += end in seen
        seen.add(end)
        total += end in seen
    return counts, rows, total


def counted(words: Any) -> Any:
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts, [word for word in counts], sorted(counts), sorted(counts.items()), len(counts), "the" in counts, 5 in counts


def by_letters(words: Any) -> Any:
    counts = {}
    for word in words:
        for letter in word:
            counts[letter] = counts.get(letter, 0) + 1
    return counts, counts.get("a", 0), "ab" in counts


def removed(words: Any) -> Any:
    d = {}
    for word in words:
        d[word] = len(word)
    for word in words:
        if word in d and len(word) > 2:
            del d[word]
    return d, d.pop("a", 0), d.pop("nothing", None), d.setdefault("new", 7), list(d.values())


def in_sets(words: Any) -> Any:
    seen = set()
    kept = []
    for word in words:
        if word not in seen:
            seen.add(word)
            kept.append(word)
    seen.discard("zz")
    return kept, len(seen), [word for word in seen], sorted(seen), "the" in seen


def two_sets(words: Any) -> Any:
    x, y = set(words), set(words[3:])
    return [w for w in x & y], [w for w in x | y], [w for w in x - y], sorted(x ^ y), x == y, y <= x


def grown(words: Any) -> Any:
    words.append(words[0] + "!")
    words[1] = words[2][:1]
    words.insert(2, "inserted")
    del words[0]
    words.sort(key=len)
    taken = words.pop(3)
    return taken, words, words[::-1], words[1:4], words * 2, words + ["end"], words[-1]


def searched(words: Any) -> Any:
    found = 0
    for word in words:
        if word in words[1:]:
            found += words.count(word) + words.index(word)
    return found, "nothing" in words, 5 in words, words.index("a")


def in_order(words: Any) -> Any:
    return sorted(words), sorted(words, reverse=True), sorted(words, key=len), sorted(words, key=lambda w: (-len(w), w)), sorted(set(words))


def in_order_by_text(pairs: Any) -> Any:
    return sorted(pairs, key=lambda pair: pair[0]), sorted(pairs, key=lambda pair: pair[0], reverse=True), sorted(pairs)


def test_texts_that_agree_in_their_first_letters_are_sorted_too() -> None:
    letters = ("", "\0", "a", "a\0", "\xfd", "\xfe", "\xff", "\u0100", "\u65e5", "\U0001f600")
    texts = [start + second + end for start in ("", "item no ", "item no") for second in letters for end in ("", "2", "10", "\0")]
    assert_agrees(in_order, texts[::-1])
    assert_agrees(in_order, [f"measurement {k * 37 % 101}" for k in range(150)])
    assert_agrees(in_order_by_text, [(text, k) for k, text in enumerate(texts[::3] * 2)])


def joined(words: Any) -> Any:
    return ", ".join(words), "".join(words), words[0].join(words), "-".join([word[:2] for word in words])


def in_tuples(words: Any) -> Any:
    pairs = {}
    made = []
    for i, word in enumerate(words):
        pairs[word, i % 2] = word
        made.append((word, i))
    return pairs, ("the", 0) in pairs, ("the", 0.0) in pairs, ("the", "a") in pairs, made, sorted(made)


def as_values(words: Any) -> Any:
    last = {}
    for word in words:
        last[len(word)] = word
    return last, last.get(99, "none"), [text for text in last.values()]


def counters(words: Any) -> Any:
    c, d = Counter(words), defaultdict(int)
    for word in words:
        d[word] += len(word)
    return c, c["the"], c["nothing"], dict(d), d["nothing"], d


def longest(words: Any) -> Any:
    best = ""
    for word in words:
        if len(word) > len(best) or word > best:
            best = word
    return best, best.upper()


@table(
    "program",
    [
        made_and_looked_for_again,
        counted,
        by_letters,
        removed,
        in_sets,
        two_sets,
        grown,
        searched,
        in_order,
        joined,
        in_tuples,
        as_values,
        counters,
        longest,
    ],
    ids=lambda program: program.__name__,
)
def test_lists_of_texts_give_what_python_gives(program: Callable[..., Any]) -> None:
    assert_agrees(program, *((list(words),) for words in (PLAIN, OTHER, MANY)))


def parts(text: Any) -> Any:
    n = len(text)
    split = (
        text.split(),
        text.split(","),
        text.split(", ", 1),
        text.split(None, 2),
        text.split("a", 0),
        text.rsplit("a", 1),
        text.rsplit(","),
    )
    return n, split, text.splitlines(), text.splitlines(True), text.rsplit(None, 1), text.rsplit()


def replaced(text: Any) -> Any:
    n = len(text)
    return (
        n,
        text.replace("a", "bb"),
        text.replace("the", ""),
        text.replace("", "-"),
        text.replace("a", "", 1),
        text.replace(text[:2], "q", 2),
    )


def words_of(text: Any) -> Any:
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts, " ".join(sorted(counts, reverse=True))


def found(text: Any) -> Any:
    places = []
    place = text.find("a")
    while place >= 0:
        places.append(place)
        place = text.find("a", place + 1)
    return places, text.find("the lazy"), text.find("zz"), text.find(""), text.find("", 99), text.rfind("the"), "日本" in text


@table("program", [parts, replaced, words_of, found], ids=lambda program: program.__name__)
def test_parts_of_texts_are_those_of_python(program: Callable[..., Any]) -> None:
    assert_agrees(program, *TEXTS)


def missing(words: Any) -> Any:
    return {word: 1 for word in words}["not there" + words[0]]


def missing_pair(words: Any) -> Any:
    d = {}
    for i, word in enumerate(words):
        d[word, i] = 1
    return d[words[0], 99]


def gone(words: Any) -> Any:
    d = {}
    for word in words:
        d[word] = 1
    del d[words[0]]
    del d[words[0]]


def outside(words: Any) -> Any:
    words.append("before")
    return words[len(words[0]) + 1000]


def not_there(words: Any) -> Any:
    return words.index("not there")


def no_separator(words: Any) -> Any:
    return words[0].split(words[0][:0])


def deleted_outside(words: Any) -> Any:
    del words[len(words)]


def wrong_part(words: Any) -> Any:
    return words[0] + len(words)


ERRORS = [missing, missing_pair, gone, outside, not_there, no_separator, deleted_outside, wrong_part]


@table("program", ERRORS, ids=lambda program: program.__name__)
def test_errors_are_those_of_python(program: Callable[..., Any]) -> None:
    assert_agrees(program, (list(PLAIN),), (list(MANY),))


def test_one_program_serves_all_lists_and_no_operation_calls_python() -> None:
    compiled = ag.compile(counted, fallback="error")
    for words in (PLAIN, OTHER, MANY, PLAIN * 50):
        assert compiled(words) == counted(words)
    explained = str(compiled.explain(PLAIN))
    assert explained.count("\nprogram ") == 1
    assert "host calls    none" in explained


def test_texts_of_the_caller_stay_the_objects_that_they_are() -> None:
    words = ["".join(("a", str(k))) for k in range(20)]
    first, listed = ag.compile(lambda x: (x[3], x[::2]), fallback="error")(words)
    assert first is words[3]
    assert all(text is words[2 * k] for k, text in enumerate(listed))


def test_a_list_that_goes_back_is_the_callers_with_its_other_items() -> None:
    words = ["".join(("a", str(k))) for k in range(20)]
    before = list(words)
    returned = ag.compile(lambda x: x.append("new") or x, fallback="error")(words)  # type: ignore[func-returns-value]
    assert returned is words
    assert words[:-1] == before and all(a is b for a, b in zip(words, before))


def test_items_that_are_no_texts_make_another_program() -> None:
    compiled = ag.compile(lambda x: [item for item in x], fallback="error")
    for items in (PLAIN, list(range(20)), [*PLAIN, None], [b"a"] * 12, [np.str_("a")] * 12, PLAIN):
        assert repr(compiled(items)) == repr(list(items))


def test_a_gradient_goes_past_texts() -> None:
    def loss(x: Any, text: str) -> Any:
        weights = {}
        for word in text.split():
            weights[word] = weights.get(word, 0) + 1
        total = x * 0
        for word in sorted(weights):
            total = total + weights[word] * x**2
        return total

    assert ag.grad(loss)(3.0, TEXTS[0]) == 6.0 * len(PLAIN)


def test_texts_in_a_call_that_raises_and_is_made_again_leave_nothing_behind() -> None:
    compiled = ag.compile(missing, fallback="error")
    for words in (PLAIN, OTHER, MANY) * 3:
        mine = copy.copy(words)
        try:
            compiled(mine)
        except KeyError as error:
            assert error.args == ("not there" + words[0],)
        assert mine == words


def test_the_layout_of_a_str_is_known_to_this_python() -> None:
    assert str_layout() is not None


def letters_and_searches(text: str) -> Any:
    counts: dict[str, int] = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts)


def test_a_copy_of_a_graph_counts_what_the_graph_counts() -> None:
    graph = ag.compile(letters_and_searches, fallback="error").prepare((TEXTS[0], {})).program.graph
    names = [[tally.operation.name for tally in find_tallies(found) if tally.operation] for found in (graph, copy_graph(graph))]
    assert names[0] == names[1]
    assert "cond" in names[0]


def filled(text: str, values: dict[str, str]) -> str:
    out = []
    for part in text.split("|"):
        out.append(values.get(part, part))
    return "".join(out)


def test_texts_of_which_only_the_run_knows_which_it_is_become_data_at_once() -> None:
    values = {"name": "ann", "item": "book", "cur": "usd", "at": "noon"}
    with counted_restarts() as restarts:
        assert ag.compile(filled, fallback="error")("a |name| buys a |item|.", values) == filled("a |name| buys a |item|.", values)
    asked = [names for names in restarts if any("[" in name for name in names)]
    assert [len(names) for names in asked] == [4]


@contextlib.contextmanager
def counted_restarts():
    """The names of the texts that each restart makes data."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "Restart", lambda *decisions: found.append({name for _, name in decisions}) or Restart(*decisions))
        yield found

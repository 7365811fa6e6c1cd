"""Programs on text: counts, chains of words, ciphers, anagrams, distances, layouts, tries, codes of letters."""

from __future__ import annotations

import random
import string
from collections import Counter, defaultdict
from functools import cache
from itertools import groupby

from benchmarks.everyday_python.program import Program

STORY = (
    "The wind had fallen before noon and the boats lay still in the harbour. Nobody spoke of the storm; the old men mended nets, "
    "the children threw stones into the water, and the dogs slept in the shade of the wall. "
)


def count_words(text):
    counts = {}
    for word in text.lower().split():
        word = word.strip(string.punctuation)
        if word:
            counts[word] = counts.get(word, 0) + 1
    by_length = defaultdict(list)
    for word in sorted(counts):
        by_length[len(word)].append(word)
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:10], {length: len(words) for length, words in by_length.items()}


def letter_statistics(text):
    """A loop over letters with a dict: frequencies, vowels, the longest run without a blank."""
    counts = {}
    vowels = longest = run = 0
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
        if letter in "aeiou":
            vowels += 1
        run = 0 if letter == " " else run + 1
        longest = max(longest, run)
    return counts, vowels, longest


def markov_text(text, length, seed):
    words = text.split()
    following = defaultdict(list)
    for first, second, third in zip(words, words[1:], words[2:]):
        following[first, second].append(third)
    source = random.Random(seed)
    state = source.choice(sorted(following))
    made = list(state)
    while len(made) < length:
        choices = following.get(state)
        if not choices:
            state = source.choice(sorted(following))
            continue
        made.append(source.choice(choices))
        state = (state[1], made[-1])
    return " ".join(made)


def vigenere(text, key, sign):
    result, k = [], 0
    for letter in text:
        if not letter.isalpha():
            result.append(letter)
            continue
        base = ord("a") if letter.islower() else ord("A")
        shift = ord(key[k % len(key)]) - ord("a")
        result.append(chr((ord(letter) - base + sign * shift) % 26 + base))
        k += 1
    return "".join(result)


def encrypt_and_decrypt(text, key):
    secret = vigenere(text, key, 1)
    return secret, vigenere(secret, key, -1) == text


def break_caesar(text):
    """The shift under which the letters are most like English."""
    frequencies = dict(zip("etaoinshrdlu", (12.7, 9.1, 8.2, 7.5, 7.0, 6.7, 6.3, 6.1, 6.0, 4.3, 4.0, 2.8)))
    best = (-1.0, 0, "")
    for shift in range(26):
        table = str.maketrans(string.ascii_lowercase, string.ascii_lowercase[shift:] + string.ascii_lowercase[:shift])
        guess = text.translate(table)
        score = sum(frequencies.get(letter, 0.0) for letter in guess)
        best = max(best, (score, shift, guess[:40]))
    return best


def group_anagrams(words):
    groups = defaultdict(list)
    for word in words:
        groups["".join(sorted(word))].append(word)
    return sorted((sorted(group) for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group))[:5]


def made_up_words(n):
    source = random.Random(2)
    return (["".join(source.choice("aeilnrst") for _ in range(source.randint(3, 4))) for _ in range(n)],)


def edit_distance(a, b):
    before = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        now = [i]
        for j, other in enumerate(b, 1):
            now.append(min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (letter != other)))
        before = now
    return before[-1]


def correct_spelling(words, known):
    corrected = []
    for word in words:
        best = min(known, key=lambda candidate: (edit_distance(word, candidate), candidate))
        corrected.append((word, best, edit_distance(word, best)))
    return corrected


def misspelt(n):
    known = ["harbour", "children", "stones", "water", "shade", "wall", "storm", "mended"]
    return [known[k % 8][: k % 5 + 2] + known[(k * 3) % 8][k % 5 + 3 :] for k in range(n)], known


def common_subsequence(a, b):
    @cache
    def longest(i, j):
        if i == len(a) or j == len(b):
            return ""
        if a[i] == b[j]:
            return a[i] + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1), key=len)

    return longest(0, 0)


def justify(text, width):
    """Lines of one width, blanks shared from the left."""
    lines, line, length = [], [], 0
    for word in text.split():
        if length + len(line) + len(word) > width:
            gaps = max(1, len(line) - 1)
            blanks = width - length
            parts = []
            for k, earlier in enumerate(line):
                parts.append(earlier)
                if k < len(line) - 1:
                    parts.append(" " * (blanks // gaps + (k < blanks % gaps)))
            lines.append("".join(parts).ljust(width))
            line, length = [], 0
        line.append(word)
        length += len(word)
    lines.append(" ".join(line).ljust(width))
    return lines


class Trie:
    def __init__(self):
        self.children = {}
        self.count = 0

    def add(self, word):
        node = self
        for letter in word:
            node = node.children.setdefault(letter, Trie())
        node.count += 1

    def complete(self, start):
        node = self
        for letter in start:
            if letter not in node.children:
                return []
            node = node.children[letter]
        return list(node.words(start))

    def words(self, so_far):
        if self.count:
            yield so_far, self.count
        for letter in sorted(self.children):
            yield from self.children[letter].words(so_far + letter)


def complete_words(words, starts):
    trie = Trie()
    for word in words:
        trie.add(word)
    return {start: trie.complete(start)[:4] for start in starts}


CODES = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split()
MORSE = dict(zip(string.ascii_lowercase, CODES))


def morse_there_and_back(text):
    back = {code: letter for letter, code in MORSE.items()}
    sent = " / ".join(" ".join(MORSE[letter] for letter in word if letter in MORSE) for word in text.lower().split())
    received = " ".join("".join(back[code] for code in word.split()) for word in sent.split(" / "))
    return sent[:60], received, Counter(sent)["-"]


def run_lengths(text):
    packed = "".join(f"{len(list(group))}{letter}" for letter, group in groupby(text))
    unpacked, count = [], ""
    for letter in packed:
        if letter.isdigit():
            count += letter
        else:
            unpacked.append(letter * int(count))
            count = ""
    return packed, "".join(unpacked) == text


def text_table(rows, titles):
    """Columns as wide as their widest cell; numbers to the right, with two places."""
    cells = [[f"{value:.2f}" if isinstance(value, float) else str(value) for value in row] for row in rows]
    widths = [max(len(row[k]) for row in [list(titles), *cells]) for k in range(len(titles))]
    lines = [" | ".join(title.center(width) for title, width in zip(titles, widths)), "-+-".join("-" * width for width in widths)]
    for row, original in zip(cells, rows):
        padded = []
        for cell, width, value in zip(row, widths, original):
            padded.append(cell.rjust(width) if isinstance(value, (int, float)) else cell.ljust(width))
        lines.append(" | ".join(padded))
    return "\n".join(lines)


def longest_palindrome(text):
    best = ""
    for centre in range(len(text)):
        for left, right in ((centre, centre), (centre, centre + 1)):
            while left >= 0 and right < len(text) and text[left] == text[right]:
                left -= 1
                right += 1
            if right - left - 1 > len(best):
                best = text[left + 1 : right]
    return best


PROGRAMS = (
    Program(count_words, lambda n: (STORY * n,), 40, 1),
    Program(letter_statistics, lambda n: ((STORY * 20)[:n],), 1500, 20),
    Program(markov_text, lambda n: (STORY * 2, n, 7), 1000, 8),
    Program(encrypt_and_decrypt, lambda n: (STORY * n, "harbour"), 10, 1),
    Program(break_caesar, lambda n: (vigenere(STORY.lower() * n, "k", 1),), 10, 1),
    Program(group_anagrams, made_up_words, 1500, 60),
    Program(correct_spelling, misspelt, 30, 2),
    Program(common_subsequence, lambda n: (STORY[:n], STORY[n : 2 * n]), 50, 8),
    Program(justify, lambda n: (STORY * n, 40), 40, 1),
    Program(complete_words, lambda n: (STORY.lower().split() * n, ["th", "st", "h", "zz"]), 10, 1),
    Program(morse_there_and_back, lambda n: (STORY * n,), 10, 1),
    Program(run_lengths, lambda n: ("".join("abc"[k % 3] * (k % 12 + 1) for k in range(n)),), 300, 8),
    Program(text_table, lambda n: ([(f"row {k}", k, k * 1.7) for k in range(n)], ("name", "count", "value")), 400, 4),
    Program(longest_palindrome, lambda n: ("abacdfgdcabaxyzzyx" * n,), 20, 1),
)

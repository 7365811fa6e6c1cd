"""Programs on words: texts in lists, as keys and values of dicts, in sets and tuples; texts split, joined, sorted, searched."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

from benchmarks.everyday_python.program import Program

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def vocabulary(count, seed=3):
    source = random.Random(seed)
    return ["".join(source.choices(LETTERS, k=source.randint(2, 9))) for _ in range(count)]


def word_list(count):
    source = random.Random(5)
    return source.choices(vocabulary(max(4, count // 6)), k=count)


def prose(count):
    return " ".join(word_list(count))


def plain_word_count(text):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def letter_histogram(text):
    counts = {}
    for letter in text.lower():
        if letter.isalpha():
            counts[letter] = counts.get(letter, 0) + 1
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def count_anagrams(words):
    groups = {}
    for word in words:
        key = "".join(sorted(word))
        groups[key] = groups.get(key, 0) + 1
    return sum(1 for size in groups.values() if size > 1), max(groups.values())


def edit_distance(a, b):
    before = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + cost))
        before = row
    return before[-1]


def closest_words(words, target):
    found = []
    for word in words:
        found.append((edit_distance(word, target), word))
    found.sort()
    return found[:10]


def tokens_of_formula(text):
    tokens = []
    i = 0
    while i < len(text):
        letter = text[i]
        if letter.isdigit():
            j = i
            while j < len(text) and text[j].isdigit():
                j += 1
            tokens.append(("number", text[i:j]))
            i = j
        elif letter.isspace():
            i += 1
        else:
            tokens.append(("operator", letter))
            i += 1
    return tokens


def caesar_letters(text, shift):
    made = []
    for letter in text:
        if letter.islower():
            made.append(chr((ord(letter) - 97 + shift) % 26 + 97))
        else:
            made.append(letter)
    return "".join(made)


def vigenere_words(words, key):
    made = []
    for word in words:
        out = ""
        for i, letter in enumerate(word):
            out += chr((ord(letter) + ord(key[i % len(key)]) - 194) % 26 + 97)
        made.append(out)
    return made


def pairs_of_words(words):
    counts = {}
    for i in range(len(words) - 1):
        pair = (words[i], words[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    best, most = ("", ""), 0
    for pair, count in counts.items():
        if count > most:
            best, most = pair, count
    return best, most


def first_occurrences(words):
    seen = set()
    kept = []
    for word in words:
        if word not in seen:
            seen.add(word)
            kept.append(word)
    return kept


def longest_chain(words):
    """The longest row of words, each of which begins with the last letter of the one before, in the order that they have."""
    best = {}
    longest = 0
    for word in words:
        length = best.get(word[:1], 0) + 1
        if length > best.get(word[-1:], 0):
            best[word[-1:]] = length
        longest = max(longest, length)
    return longest


def sort_words(words):
    return sorted(words, key=lambda word: (len(word), word))[:20], sorted(set(words))[:20]


def count_lengths(text):
    totals = defaultdict(int)
    for word in text.split(" "):
        totals[len(word)] += 1
    return sorted(totals.items())


def common_words(first, second):
    known = Counter(first)
    shared = 0
    for word in second:
        if known[word] > 0:
            shared += 1
            known[word] -= 1
    return shared


def parse_settings(text):
    settings = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        place = line.find("=")
        settings[line[:place].strip()] = line[place + 1 :].strip()
    return settings


def palindromes(words):
    return [word for word in words if word == word[::-1]]


def orders_of_letters(word):
    """All orders of the letters, by a recursion on what is left."""
    if len(word) <= 1:
        return [word]
    return [word[k] + rest for k in range(len(word)) for rest in orders_of_letters(word[:k] + word[k + 1 :])]


def settings_text(count):
    names = vocabulary(count, 11)
    return "\n".join(f"{name} = {k}  " if k % 7 else f"# {name}" for k, name in enumerate(names))


PROGRAMS = (
    Program(plain_word_count, lambda n: (prose(n),), 10_000, 20),
    Program(letter_histogram, lambda n: (prose(n),), 3000, 20),
    Program(count_anagrams, lambda n: (word_list(n),), 4000, 40),
    Program(closest_words, lambda n: (word_list(n), "pathologic"), 200, 10),
    Program(tokens_of_formula, lambda n: ("12 + 34*(5 - x) " * n,), 200, 2),
    Program(caesar_letters, lambda n: (prose(n), 3), 2000, 10),
    Program(vigenere_words, lambda n: (word_list(n), "harbour"), 2000, 10),
    Program(pairs_of_words, lambda n: (word_list(n),), 5000, 20),
    Program(first_occurrences, lambda n: (word_list(n),), 5000, 20),
    Program(longest_chain, lambda n: (word_list(n),), 5000, 20),
    Program(sort_words, lambda n: (word_list(n),), 2000, 30),
    Program(count_lengths, lambda n: (prose(n),), 5000, 20),
    Program(common_words, lambda n: (word_list(n), word_list(n + n // 2)[n // 2 :]), 3000, 20),
    Program(parse_settings, lambda n: (settings_text(n),), 500, 20),
    Program(palindromes, lambda n: (word_list(n),), 3000, 20),
    Program(orders_of_letters, lambda n: ("scrambled"[:n],), 7, 3),
)

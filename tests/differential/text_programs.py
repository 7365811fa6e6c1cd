"""Programs on texts and bytes, as people write them: distances, ciphers, compressions, searches."""

from __future__ import annotations

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


@program(lambda: ("kitten", "sitting"), lambda: ("", "ab"), lambda: ("Öl" * 9, "öl" * 7))
def lev_of_texts(a, b):
    prev = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        cur = [i]
        for j, cb in enumerate(b, 1):
            cur.append(min(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (ca != cb)))
        prev = cur
    return prev[-1]


@program(lambda: ("Hello, Wörld \x00z", 3), lambda: ("", 5))
def caesar_of_texts(s, k):
    out = []
    for c in s:
        if "a" <= c <= "z":
            out.append(chr((ord(c) - 97 + k) % 26 + 97))
        elif c.isupper():
            out.append(chr((ord(c) - 65 + k) % 26 + 65))
        else:
            out.append(c)
    return "".join(out)


@program(lambda: ("aaabccd",), lambda: ("",), lambda: ("é" * 12,))
def rle_of_texts(s):
    if not s:
        return ""
    out = ""
    prev = s[0]
    n = 1
    for c in s[1:]:
        if c == prev:
            n += 1
        else:
            out += str(n) + prev
            prev = c
            n = 1
    return out + str(n) + prev


@program(lambda: ("Attack at Dawn!", "lemon"), lambda: ("", "k"))
def vigenere_of_texts(text, key):
    out = []
    k = 0
    for c in text:
        if c.isalpha():
            base = ord("A") if c.isupper() else ord("a")
            out.append(chr((ord(c) - base + ord(key[k % len(key)]) - ord("a")) % 26 + base))
            k += 1
        else:
            out.append(c)
    return "".join(out)


@program(lambda: ("([]{})",), lambda: ("([)]",), lambda: ("",))
def balanced_of_texts(s):
    stack = []
    for c in s:
        if c in "([{":
            stack.append(c)
        elif c in ")]}":
            if not stack:
                return False
            o = stack.pop()
            if o == "(" and c != ")" or (o == "[" and c != "]") or (o == "{" and c != "}"):
                return False
    return not stack


@program(lambda: (bytes([0, 65, 0, 66, 2, 9]),), lambda: (b"",), lambda: (bytes([3, 1]),))
def lz77_of_texts(data):
    out = []
    i = 0
    while i < len(data):
        if data[i] == 0:
            out.append(data[i + 1])
            i += 2
        else:
            dist, n = (data[i], data[i + 1])
            for _ in range(n):
                out.append(out[-dist])
            i += 2
    return bytes(out)


@program(lambda: ("babadabc",), lambda: ("",))
def longest_pal_of_texts(s):
    best = ""
    for i in range(len(s)):
        for low, r in ((i, i), (i, i + 1)):
            while low >= 0 and r < len(s) and (s[low] == s[r]):
                low -= 1
                r += 1
            if r - low - 1 > len(best):
                best = s[low + 1 : r]
    return best


@program(lambda: ("abababa", "aba"), lambda: ("", "a"))
def kmp_of_texts(s, p):
    fail = [0] * len(p)
    k = 0
    for i in range(1, len(p)):
        while k > 0 and p[k] != p[i]:
            k = fail[k - 1]
        if p[k] == p[i]:
            k += 1
        fail[i] = k
    k = 0
    found = []
    for i, c in enumerate(s):
        while k > 0 and p[k] != c:
            k = fail[k - 1]
        if p[k] == c:
            k += 1
        if k == len(p):
            found.append(i - k + 1)
            k = fail[k - 1]
    return found


@program(lambda: ("12a3b",), lambda: ("3",))
def decompress_of_texts(s):
    out = ""
    i = 0
    while i < len(s):
        n = 0
        while s[i].isdigit():
            n = n * 10 + int(s[i])
            i += 1
        out += s[i] * n
        i += 1
    return out


@program(lambda: ("listen", "silent"), lambda: ("ab", "b"))
def is_anagram_of_texts(a, b):
    return sorted(a) == sorted(b)


@program(lambda: ("straße ﬁn x",), lambda: ("",))
def title_of_texts(s):
    out = ""
    up = True
    for c in s:
        out += c.upper() if up else c.lower()
        up = c == " "
    return out


@program(lambda: ("12+(34-5+(6-7))",), lambda: ("",))
def evaluate_of_texts(s):
    total = 0
    sign = 1
    num = 0
    stack = []
    for c in s:
        if c.isdigit():
            num = num * 10 + int(c)
        elif c in "+-":
            total += sign * num
            num = 0
            sign = 1 if c == "+" else -1
        elif c == "(":
            stack.append(total)
            stack.append(sign)
            total = 0
            sign = 1
        elif c == ")":
            total += sign * num
            num = 0
            total *= stack.pop()
            total += stack.pop()
    return total + sign * num

"""Puzzles and games: sudoku, queens, permutations, exact cover, towers, knights, life, noughts and crosses, sliding tiles, bowling."""

from __future__ import annotations

from collections import Counter, deque

from benchmarks.everyday_python.program import Program

SUDOKU = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def solve_sudoku(text):
    """Backtracking over the cell with the fewest candidates."""
    rows, columns, boxes = ([set() for _ in range(9)] for _ in range(3))
    cells = {}
    for place, letter in enumerate(text):
        if letter != ".":
            i, j = divmod(place, 9)
            cells[i, j] = letter
            rows[i].add(letter)
            columns[j].add(letter)
            boxes[i // 3 * 3 + j // 3].add(letter)
    tries = 0

    def candidates(i, j):
        return [d for d in "123456789" if d not in rows[i] and d not in columns[j] and d not in boxes[i // 3 * 3 + j // 3]]

    def solve():
        nonlocal tries
        empty = [(i, j) for i in range(9) for j in range(9) if (i, j) not in cells]
        if not empty:
            return True
        i, j = min(empty, key=lambda cell: len(candidates(*cell)))
        for digit in candidates(i, j):
            tries += 1
            groups = rows[i], columns[j], boxes[i // 3 * 3 + j // 3]
            cells[i, j] = digit
            for group in groups:
                group.add(digit)
            if solve():
                return True
            del cells[i, j]
            for group in groups:
                group.discard(digit)
        return False

    solved = solve()
    return solved, "".join(cells.get((i, j), ".") for i in range(9) for j in range(9)), tries


def sudoku_with_holes(n):
    return (SUDOKU if n == 9 else "." * n + SUDOKU[n:],)


def count_queens(n, row=0, columns=frozenset(), rising=frozenset(), falling=frozenset()):
    if row == n:
        return 1
    total = 0
    for column in range(n):
        if column in columns or row + column in rising or row - column in falling:
            continue
        total += count_queens(n, row + 1, columns | {column}, rising | {row + column}, falling | {row - column})
    return total


def permutations_of(items):
    if len(items) <= 1:
        yield items
        return
    for k in range(len(items)):
        for rest in permutations_of(items[:k] + items[k + 1 :]):
            yield [items[k], *rest]


def shortest_round_trip(places):
    """All permutations of the places but the first, which is where the trip begins and ends."""
    first, *others = places
    best, best_order = float("inf"), None
    for order in permutations_of(others):
        length, here = 0.0, first
        for x, y in [*order, first]:
            length += ((x - here[0]) ** 2 + (y - here[1]) ** 2) ** 0.5
            here = (x, y)
        if length < best:
            best, best_order = length, order
    return best, best_order


def exact_covers(rows):
    """Knuth's algorithm X of 2000 with a dict of sets."""
    columns = {}
    for name, members in rows.items():
        for member in members:
            columns.setdefault(member, set()).add(name)

    def choose(name):
        removed = []
        for member in rows[name]:
            for other in columns[member]:
                for part in rows[other]:
                    if part != member:
                        columns[part].discard(other)
            removed.append(columns.pop(member))
        return removed

    def take_back(name, removed):
        for member in reversed(rows[name]):
            columns[member] = removed.pop()
            for other in columns[member]:
                for part in rows[other]:
                    if part != member:
                        columns[part].add(other)

    def search(chosen):
        if not columns:
            yield sorted(chosen)
            return
        column = min(columns, key=lambda member: (len(columns[member]), member))
        for name in sorted(columns[column]):
            removed = choose(name)
            yield from search([*chosen, name])
            take_back(name, removed)

    return sorted(search([]))


def dominoes(n):
    """Dominoes on a board of 2 rows."""
    rows = {}
    for j in range(n):
        rows[f"v{j}"] = [(0, j), (1, j)]
        if j + 1 < n:
            rows[f"t{j}"] = [(0, j), (0, j + 1)]
            rows[f"b{j}"] = [(1, j), (1, j + 1)]
    return (rows,)


def hanoi(n, source="A", target="C", spare="B"):
    if n:
        yield from hanoi(n - 1, source, spare, target)
        yield source, target
        yield from hanoi(n - 1, spare, target, source)


def play_hanoi(n):
    towers = {"A": list(range(n, 0, -1)), "B": [], "C": []}
    moves = 0
    for source, target in hanoi(n):
        disc = towers[source].pop()
        assert not towers[target] or towers[target][-1] > disc
        towers[target].append(disc)
        moves += 1
    return moves, towers


def knights_tour(size):
    """Warnsdorff's rule: always where the fewest ways go on."""
    jumps = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
    board = [[0] * size for _ in range(size)]

    def free(i, j):
        return [(i + a, j + b) for a, b in jumps if 0 <= i + a < size and 0 <= j + b < size and not board[i + a][j + b]]

    place, step = (0, 0), 1
    board[0][0] = 1
    while ways := free(*place):
        place = min(ways, key=lambda way: len(free(*way)))
        step += 1
        board[place[0]][place[1]] = step
    return step, board


def life_of_a_set(cells, generations):
    for _ in range(generations):
        neighbours = Counter((i + di, j + dj) for i, j in cells for di in (-1, 0, 1) for dj in (-1, 0, 1) if di or dj)
        cells = {cell for cell, count in neighbours.items() if count == 3 or (count == 2 and cell in cells)}
    return sorted(cells)


def life_on_lists(board, generations):
    height, width = len(board), len(board[0])
    for _ in range(generations):
        following = [[0] * width for _ in range(height)]
        for i in range(height):
            for j in range(width):
                around = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            around += board[(i + di) % height][(j + dj) % width]
                following[i][j] = 1 if around == 3 or (around == 2 and board[i][j]) else 0
        board = following
    return board, sum(map(sum, board))


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner(board):
    for a, b, c in LINES:
        if board[a] != " " and board[a] == board[b] == board[c]:
            return board[a]
    return "draw" if " " not in board else None


def best_move(board, player, known):
    """The value for X and the place, by minimax with a memory of boards."""
    key = "".join(board) + player
    if key in known:
        return known[key]
    result = winner(board)
    if result is not None:
        known[key] = {"X": 1, "O": -1, "draw": 0}[result], None
        return known[key]
    found = []
    for place in range(9):
        if board[place] == " ":
            board[place] = player
            found.append((best_move(board, "O" if player == "X" else "X", known)[0], place))
            board[place] = " "
    known[key] = max(found, key=lambda entry: entry[0]) if player == "X" else min(found, key=lambda entry: entry[0])
    return known[key]


def play_noughts_and_crosses(start):
    board, player, known = list(start), "X", {}
    while winner(board) is None:
        _, place = best_move(board, player, known)
        board[place] = player
        player = "O" if player == "X" else "X"
    return "".join(board), winner(board), len(known)


def slide_tiles(start, goal, most):
    """Breadth first over boards that are strings; the fewest moves."""
    queue, seen = deque([(start, 0)]), {start}
    while queue:
        board, moves = queue.popleft()
        if board == goal:
            return moves, len(seen)
        if moves == most:
            continue
        hole = board.index("_")
        row, column = divmod(hole, 3)
        for i, j in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= i < 3 and 0 <= j < 3:
                other = 3 * i + j
                cells = list(board)
                cells[hole], cells[other] = cells[other], cells[hole]
                following = "".join(cells)
                if following not in seen:
                    seen.add(following)
                    queue.append((following, moves + 1))
    return None, len(seen)


def bowling_score(rolls):
    score, k = 0, 0
    for _ in range(10):
        if rolls[k] == 10:
            score += 10 + rolls[k + 1] + rolls[k + 2]
            k += 1
        elif rolls[k] + rolls[k + 1] == 10:
            score += 10 + rolls[k + 2]
            k += 2
        else:
            score += rolls[k] + rolls[k + 1]
            k += 2
    return score


def bowling_evening(games):
    scores = [bowling_score(game) for game in games]
    return max(scores), sum(scores) / len(scores), scores.index(max(scores))


def colour_map(borders, colours):
    """Backtracking with the countries in the order of their neighbours; a dict of choices."""
    order = sorted(borders, key=lambda country: -len(borders[country]))
    chosen = {}

    def colour(k):
        if k == len(order):
            return True
        country = order[k]
        for name in colours:
            if all(chosen.get(other) != name for other in borders[country]):
                chosen[country] = name
                if colour(k + 1):
                    return True
                del chosen[country]
        return False

    return colour(0), dict(sorted(chosen.items()))


def borders_of(n):
    borders = {f"c{k}": set() for k in range(n)}
    for k in range(n):
        for other in (k + 1, k + 2, k + 7):
            if other < n:
                borders[f"c{k}"].add(f"c{other}")
                borders[f"c{other}"].add(f"c{k}")
    return borders, ["red", "green", "blue", "white"]


PROGRAMS = (
    Program(solve_sudoku, sudoku_with_holes, 9, 0),
    Program(count_queens, lambda n: (n,), 7, 4),
    Program(shortest_round_trip, lambda n: ([((k * 37) % 11, (k * 53) % 13) for k in range(n)],), 7, 4),
    Program(exact_covers, dominoes, 10, 4),
    Program(play_hanoi, lambda n: (n,), 10, 3),
    Program(knights_tour, lambda n: (n,), 8, 5),
    Program(life_of_a_set, lambda n: ({(0, 1), (1, 2), (2, 0), (2, 1), (2, 2), (9, 9), (9, 10), (9, 11)}, n), 100, 3),
    Program(life_on_lists, lambda n: ([[int((i * 7 + j * j) % 3 == 0) for j in range(n)] for i in range(n)], 5), 24, 4),
    Program(play_noughts_and_crosses, lambda n: (" " * n + "OXX XO OX"[n:],), 9, 4),
    Program(slide_tiles, lambda n: ("1236457_8", "12345678_", n), 12, 2),
    Program(bowling_evening, lambda n: ([[(k * j) % 6 for j in range(20)] if k % 4 else [10] * 12 for k in range(n)],), 300, 5),
    Program(colour_map, borders_of, 40, 6),
)

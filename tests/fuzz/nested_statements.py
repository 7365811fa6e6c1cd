"""Statements of each kind that stand in the blocks of nested programs; `i` is an int, `x` what it was given last, `out` a list."""

STATEMENTS = """
break

continue

return

return i, x

if i == 2: break

if i % 2: continue

if i > 1: return x, out

raise ValueError(i)

if i == 1: raise ValueError('one')

if i > 2: raise Trouble(i, x)

raise KeyError('k')

assert i < 2, f'too large {i}'

x += i

x = i

x = None

x = 'text' if i % 2 else x

x = x + 1 if isinstance(x, float) else 0.5

i += 1

out.append(i)

out.append((i, x))

out += [i, x]

out = out + [x]

out[0] = x

out.pop()

out = [i, [x]]

del x

del out[-1]

y = i * 2

y = x
out.append(y)

if i > 1: y = i
out.append(y)

if x and i: out.append(x)

x = [x]

x = {i: x}

x = (x, i)

x, i = i, x

first, *rest = range(i + 1)
out.append(rest)

first, second = out

(x := i + 1)

x = yield i

x = yield

yield x

yield from range(i)

shown = lambda: (i, x)
out.append(shown())

functions = [lambda k=k: k + i for k in range(2)]
out.append([function() for function in functions])

def late():
    return i
i += 1
out.append(late())

def change():
    nonlocal x
    x = i
change()

def change():
    out.append(i)
    raise ValueError(i)
change()

def once():
    yield i
    yield x
out.extend(once())

class Local:
    kind = i
    def get(self):
        return self.kind, x
out.append(Local().get())

global SEEN
SEEN = i
out.append(SEEN)

import math
x = math.floor(i / 2)

out.append([k * i for k in range(3) if k != i])

out.append({k: i for k in range(2)})

out.append(sum(k * i for k in range(3)))

out.append([[k, j] for k in range(2) for j in range(i)])

for j in range(i):
    if j == 2:
        break
    out.append(j)
else:
    out.append('all')

for j in range(3):
    if j == i:
        continue
    x = j

while x is not None:
    x = None

while True:
    i += 1
    if i > 4:
        break

try:
    out.append(10 // i)
except ZeroDivisionError:
    out.append('zero')

try:
    x = out[i]
except IndexError as error:
    x = type(error).__name__

try:
    int('z' if i else '3')
    out.append('fine')
except ValueError as error:
    out.append(str(error))
else:
    out.append('else')
finally:
    out.append('end')

try:
    raise Trouble(i)
except Trouble as error:
    x = str(error)
    raise ValueError('other') from error

try:
    raise Trouble(i)
finally:
    out.append('on the way')

try:
    return i
finally:
    out.append('on the way')

try:
    raise ValueError(i)
finally:
    return x

try:
    continue
finally:
    out.append('went on')

try:
    if i == 1: break
finally:
    x = i

try:
    raise Trouble(i)
except ValueError:
    out.append('never')

x = {'a': 1}[('a', 'b')[i % 2]]

x = next(iter([]))

x = next(iter([i]), None)

x = int('12') + len(str(i))

x = 1 / i

x = i // (i - 1)

x = double(i)

with Stage(out):
    out.append(i)
    if i == 1: raise ValueError('inside')

with Shield():
    raise Trouble(i)
out.append('after')

with Shield() as shield:
    if i == 1: return shield.count

match out:
    case []:
        x = 'empty'
    case [a]:
        x = a
    case [a, *b]:
        x = len(b)

match (i, x):
    case (0, y):
        out.append(y)
    case (1, float() | int()):
        out.append('number')
    case (int(k), None):
        out.append(k)

x = f'{i:03d}|{x!r:>6}'

out.append(f'{i}' * 2)

out.append(0 < i < 3)

out.append(i and x or 'none')

out.append(not x)

out.append([*out, i][-2:])

out.sort(key=str)

out.reverse()

out[:] = [i]

out[1:1] = [x, i]

out.append(out is out)

copied = out
copied.append(i)

a = b = [i]
a.append(x)
out.append(b)

a = np.zeros(3)
a[i % 3] = i
out.append(a)

out.append(np.arange(i).sum())

x = np.float64(i)

print(i, x)

point = Point(i, x)
point.x += 1
out.append((point.x, point.y))

out.append(Point(i, 0))

x = Point(i, x)

x = max(out, key=str, default=None)

x = sorted(map(str, out))

x = dict(zip('ab', [i, x]))

x = ' '.join(map(str, out))

out.append(functools.reduce(lambda a, b: a + b, range(i + 1)))

out.append((lambda *a, **k: (a, k))(*[i, 2], b=x))

pass
""".strip().split("\n\n")

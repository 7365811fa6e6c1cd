"""What programs do with a container `c`, beside an int `i` and a list `out`: by kind, one written out, an empty one and one of the run."""

CONTAINERS = {
    "list": ('[3, 1, 2]', '[]', '[k % 3 for k in range(n)]', """
c.append(i) ;; c.append(i * 0.5) ;; c.append('t') ;; c.append([i]) ;; c.append(None) ;; c.append((i, 'a')) ;; c.extend([i, 2])
c.extend(range(i)) ;; c.extend('ab') ;; c.extend(c) ;; c.extend(k for k in range(i)) ;; c.insert(0, i) ;; c.insert(i, 7)
c.insert(-1, 2.5) ;; out.append(c.pop()) ;; out.append(c.pop(0)) ;; out.append(c.pop(i)) ;; c.remove(1) ;; c.remove(i) ;; c.clear()
c.reverse() ;; c.sort() ;; c.sort(reverse=True) ;; c.sort(key=lambda k: -k) ;; c += [i] ;; c += (i, 2.5) ;; c *= 2 ;; c *= i
c = c + [i] ;; c = c * 2 ;; c = [i] + c ;; c = c[:] ;; c = c[1:] ;; c = c[::-1] ;; c = sorted(c) ;; c = list(reversed(c))
c = [k + 1 for k in c] ;; c = [k for k in c if k != i] ;; c[0] = i ;; c[-1] = i * 0.5 ;; c[i] = 5 ;; c[i % 2] = 'x' ;; c[:] = [i]
c[1:] = [i, i] ;; c[:0] = [i] ;; c[i:] = [] ;; c[::2] = c[::2] ;; del c[0] ;; del c[-1] ;; del c[i] ;; del c[:1] ;; del c[i:]
del c[::2] ;; out.append(c.index(1)) ;; out.append(c.index(i)) ;; out.append(c.count(i)) ;; out.append(c[i]) ;; out.append(c[-i])
out.append(c[1:]) ;; out.append(c[i:]) ;; out.append(c[-2:]) ;; out.append(c[::-1]) ;; out.append(len(c)) ;; out.append(sum(c))
out.append(max(c)) ;; out.append(min(c, default=None)) ;; out.append(max(c, key=lambda k: -k, default='none'))
out.append(sorted(c, reverse=True)) ;; out.append(list(enumerate(c))) ;; out.append(list(zip(c, c[1:]))) ;; out.append(i in c)
out.append(c == [i]) ;; out.append(c < [i]) ;; out.append(not c) ;; out.append(c.copy()) ;; out.append(tuple(c)) ;; out.append(set(c))
out.append(c is c) ;; a, *b = c; out.append(b) ;; out.append(any(k > 1 for k in c)) ;; out.append(all(c))
out.append(' '.join(map(str, c))) ;; out.append(repr(c)) ;; out.append({k: i for k in c}) ;; out.append(dict(enumerate(c)))
out.append(c + c) ;; out.append(c * i) ;; c, out = out, c ;; c[0], c[-1] = c[-1], c[0] ;; c[0] += i ;; c.append(c.pop(0))
c.append(len(c)) ;; out.append(functools.reduce(lambda a, b: a + b, c, 0)) ;; out.append(list(itertools.accumulate(c)))
out.append(bisect.bisect(c, i)) ;; bisect.insort(c, i) ;; heapq.heappush(c, i) ;; out.append(heapq.heappop(c)) ;; heapq.heapify(c)
out.append(heapq.nlargest(2, c)) ;; out.append(next(iter(c), None))
out.append(list(map(lambda k: k * i, c))) ;; out.append(list(filter(None, c))) ;; out.append(statistics.mean(c))
out.append(math.prod(c))
"""),
    "dict": ("{'a': 1, 'b': 2}", '{}', "{'abcdef'[k % 6]: k for k in range(n)}", """
c['a'] = i ;; c['z'] = i ;; c[str(i)] = i ;; c[i] = i ;; c['a'] += i ;; c['z'] = [i] ;; c['a'] = None ;; c['a'] = 'text'
out.append(c['a']) ;; out.append(c.get('a')) ;; out.append(c.get('z', i)) ;; out.append(c.get(str(i))) ;; out.append(c.pop('a'))
out.append(c.pop('a', None)) ;; out.append(c.popitem()) ;; out.append(c.setdefault('a', i)) ;; out.append(c.setdefault('z', i))
c.update({'a': i, 'q': 2}) ;; c.update(a=i, r=1) ;; c.update([('s', i)]) ;; c |= {'t': i} ;; c = c | {'a': i} ;; c = {**c, 'z': i}
c = dict(c, y=i) ;; c = {k: v for k, v in c.items() if v != i} ;; c = dict(sorted(c.items())) ;; del c['a'] ;; del c['z'] ;; c.clear()
out.append(list(c)) ;; out.append(list(c.values())) ;; out.append(list(c.items())) ;; out.append(sum(c.values()))
out.append(max(c, key=c.get)) ;; out.append(min(c.values(), default=None)) ;; out.append('a' in c) ;; out.append(str(i) not in c)
out.append(len(c)) ;; out.append(not c) ;; out.append(sorted(c)) ;; out.append(sorted(c, key=lambda k: c[k])) ;; out.append(c.copy())
out.append(dict(c)) ;; out.append(list(reversed(c))) ;; out.append(c == {'a': i}) ;; out.append(next(iter(c)))
out.append(next(iter(c.items()), None)) ;; out.append(c.keys() & {'a', 'z'}) ;; out.append(c.keys() - {'a'})
out.append(c.keys() == {'a', 'b'}) ;; out.append(('a', 1) in c.items()) ;; out.append(2 in c.values()) ;; out.append(repr(c))
out.append(str(c)) ;; out.append([k for k in c]) ;; out.append({v: k for k, v in c.items()}) ;; out.append(dict.fromkeys(c, i))
out.append(dict(zip(c, range(9)))) ;; out.append(any(v > 1 for v in c.values())) ;; out.append(tuple(c.items()))
for k in c: out.append((k, i)) ;; for k, v in c.items(): out.append(v) ;; for k in list(c): c[k] = i ;; for k in list(c): del c[k]
for k in c: c['new' + k] = 1 ;; while c: out.append(c.popitem()) ;; out.append(list(c.items())[-1]) ;; out.append([*c, i])
out.append((lambda **named: named)(**c)) ;; c, out = {'k': out}, [c]
"""),
    "set": ('{3, 1, 2}', 'set()', '{k % 4 for k in range(n)}', """
c.add(i) ;; c.add(i * 0.5) ;; c.add('t') ;; c.add((i, 1)) ;; c.discard(i) ;; c.discard('t') ;; c.remove(1) ;; c.remove(i) ;; c.clear()
c.update([i, 5]) ;; c.update(range(i)) ;; c.update('ab') ;; c |= {i} ;; c &= {1, i} ;; c -= {i} ;; c ^= {i, 1} ;; c = c | {i}
c = c & {1, 2} ;; c = c - {i} ;; c = c ^ {i} ;; c = {k + 1 for k in c} ;; c = set(sorted(c)) ;; c = set(c) ;; c = frozenset(c)
out.append(sorted(c)) ;; out.append(sum(c)) ;; out.append(max(c)) ;; out.append(min(c, default=0)) ;; out.append(len(c))
out.append(i in c) ;; out.append(not c) ;; out.append(c == {i}) ;; out.append(c <= {1, 2, 3}) ;; out.append(c < {1, 2, 3, 0})
out.append(c >= {i}) ;; out.append(c.union([i])) ;; out.append(c.intersection({i, 1})) ;; out.append(c.difference([i]))
out.append(c.symmetric_difference([i])) ;; out.append(c.issubset(range(5))) ;; out.append(c.issuperset([i]))
out.append(c.isdisjoint({i})) ;; out.append(c.copy()) ;; out.append(frozenset(c))
out.append({c: 1} if isinstance(c, frozenset) else {frozenset(c): 1}) ;; out.append([k for k in sorted(c) if k > 1])
out.append(any(k > 1 for k in c)) ;; out.append(all(k for k in c)) ;; out.append({k: i for k in c})
out.append(sorted(c, key=lambda k: -k)) ;; out.append(sorted(map(str, c))) ;; c.intersection_update([1, i]) ;; c.difference_update([i])
c.symmetric_difference_update([i]) ;; out.append(len(c | {i, 9})) ;; out.append(c.pop() if len(c) == 1 else None)
for k in sorted(c): c.add(k + 10) ;; for k in list(c): c.remove(k)
"""),
    "deque": ('deque([3, 1, 2])', 'deque()', 'deque(range(n))', """
c.append(i) ;; c.append('t') ;; c.append([i]) ;; c.append((i, None)) ;; c.appendleft(i) ;; c.appendleft(2.5) ;; out.append(c.pop())
out.append(c.popleft()) ;; c.extend([i, 2]) ;; c.extendleft(range(i)) ;; c.rotate(1) ;; c.rotate(-i) ;; c.insert(1, i) ;; c.remove(1)
c.remove(i) ;; c.clear() ;; c.reverse() ;; c += [i] ;; c *= 2 ;; c = c + deque([i]) ;; c = c * 2 ;; c = deque(c, maxlen=2)
c = deque(sorted(c)) ;; c = c.copy() ;; c[0] = i ;; c[-1] = 'x' ;; c[i] = 5 ;; del c[0] ;; del c[i] ;; out.append(c[0])
out.append(c[-1]) ;; out.append(c[i]) ;; out.append(c.count(i)) ;; out.append(c.index(1)) ;; out.append(list(c))
out.append(list(reversed(c))) ;; out.append(sum(c)) ;; out.append(max(c)) ;; out.append(len(c)) ;; out.append(i in c) ;; out.append(not c)
out.append(c == deque([i])) ;; out.append(c < deque([i])) ;; out.append(c.copy()) ;; out.append(repr(c)) ;; out.append(sorted(c))
out.append(tuple(c)) ;; out.append(list(zip(c, range(3)))) ;; out.append([k for k in c if k]) ;; c.append(c.popleft())
while c: out.append(c.pop()) ;; while len(c) > 1: c.popleft() ;; out.append(c.maxlen) ;; out.append(list(itertools.islice(c, 1, 3)))
"""),
    "str": ("'b,A c'", "''", "'a,b' * (n % 4)", """
c += 'x' ;; c += str(i) ;; c = c + 'z' * i ;; c = 'p' + c ;; c = c * 2 ;; c = c[1:] ;; c = c[::-1] ;; c = c[:i] ;; c = c.upper()
c = c.lower() ;; c = c.title() ;; c = c.capitalize() ;; c = c.swapcase() ;; c = c.casefold() ;; c = c.strip('b,') ;; c = c.lstrip('b')
c = c.rstrip('c') ;; c = c.replace('b', 'BB') ;; c = c.replace('a', '', 1) ;; c = c.replace(c[:1], str(i)) ;; c = c.zfill(i + 4)
c = c.ljust(i + 4, '.') ;; c = c.rjust(8) ;; c = c.center(i + 7, '*') ;; c = c.expandtabs(2) ;; c = c.removeprefix('b')
c = c.removesuffix('c') ;; c = ''.join(sorted(c)) ;; c = ' '.join(c) ;; c = ','.join([c, str(i)])
c = ''.join(k for k in c if k.isalpha()) ;; c = c.translate(str.maketrans('ab', 'xy')) ;; c = c.translate({97: None}) ;; c = f'{c}{i}'
c = '%s-%d' % (c, i) ;; c = '{}:{:>4}'.format(c, i) ;; c = c.format(i) ;; c = str(c) ;; out.append(c.split(',')) ;; out.append(c.split())
out.append(c.split(',', 1)) ;; out.append(c.rsplit(',', 1)) ;; out.append(c.splitlines()) ;; out.append(c.partition(','))
out.append(c.rpartition('b')) ;; out.append(c.find('b')) ;; out.append(c.find('b', i)) ;; out.append(c.rfind('a'))
out.append(c.index('b')) ;; out.append(c.rindex('b')) ;; out.append(c.count('a')) ;; out.append(c.startswith('b'))
out.append(c.startswith(('a', 'b'))) ;; out.append(c.endswith('c')) ;; out.append(c.isdigit()) ;; out.append(c.isalpha())
out.append(c.isalnum()) ;; out.append(c.isupper()) ;; out.append(c.islower()) ;; out.append(c.isspace()) ;; out.append(c.istitle())
out.append(c.isidentifier()) ;; out.append(c.isdecimal()) ;; out.append(c.isascii()) ;; out.append(c.encode()) ;; out.append(c[i])
out.append(c[-1]) ;; out.append(len(c)) ;; out.append('b' in c) ;; out.append(c < 'b') ;; out.append(c == 'b,A c') ;; out.append(not c)
out.append(ord(c[0])) ;; out.append([ord(k) for k in c]) ;; out.append(list(c)) ;; out.append(set(c)) ;; out.append(max(c))
out.append(sorted(c, reverse=True)) ;; out.append({k: c.count(k) for k in c}) ;; out.append(Counter(c).most_common(2))
out.append(list(enumerate(c))) ;; out.append(repr(c)) ;; out.append(hash(c) == hash(c[:])) ;; out.append(c.lower() in ('a', 'b'))
out.append(list(map(str.upper, c))) ;; out.append(re.sub('[ab]', '-', c)) ;; out.append(re.findall('[a-z]', c))
out.append(int('0' + ''.join(k for k in c if k.isdigit()))) ;; for k in c: out.append(k) ;; out.append(any(k == 'b' for k in c))
out.append(c and c[0])
"""),
    "tuple": ('(3, 1, 2)', '()', 'tuple(range(n))', """
c += (i,) ;; c = c + (i, 'a') ;; c = (i,) + c ;; c = c * 2 ;; c = c[1:] ;; c = c[::-1] ;; c = c[:i] ;; c = tuple(sorted(c))
c = tuple(k + 1 for k in c) ;; c = (*c, i) ;; c = (c, i) ;; c = c[-2:] ;; out.append(c.index(1)) ;; out.append(c.count(i))
out.append(c[0]) ;; out.append(c[i]) ;; out.append(c[-1]) ;; out.append(len(c)) ;; out.append(sum(c)) ;; out.append(max(c))
out.append(i in c) ;; out.append(c == (i,)) ;; out.append(c < (i, 2)) ;; out.append(not c) ;; out.append(list(c)) ;; out.append(set(c))
out.append(sorted(c)) ;; out.append({c: i}) ;; out.append(repr(c)) ;; out.append(hash(c) == hash(c)) ;; a, *b = c; out.append(b)
out.append(list(zip(c, c))) ;; out.append(dict(enumerate(c))) ;; out.append(any(c)) ;; out.append([k for k in c if k > 1])
for k in c: out.append(k) ;; out.append(isinstance(c, tuple)) ;; out.append(c + c) ;; out.append(min(c, key=lambda k: -k, default=None))
out.append(list(reversed(c))) ;; out.append(' '.join(map(str, c)))
"""),
    "Counter": ("Counter('aab')", 'Counter()', "Counter('ab' * n + 'c')", """
c['a'] += 1 ;; c['z'] += i ;; c['a'] -= 5 ;; c[str(i)] = i ;; c.update('ab') ;; c.update({'a': i}) ;; c.update([str(i)])
c.subtract('aab') ;; c = c + Counter('ab') ;; c = c - Counter('a') ;; c = c & Counter('abb') ;; c = c | Counter('abbc') ;; c = +c
out.append(c['a']) ;; out.append(c['none']) ;; out.append(c.most_common()) ;; out.append(c.most_common(1)) ;; out.append(c.total())
out.append(sorted(c.elements())) ;; out.append(sorted(c)) ;; out.append(list(c.items())) ;; out.append(len(c))
out.append(c == Counter('aab')) ;; out.append(max(c, key=c.get)) ;; out.append(max(c.values(), default=0)) ;; out.append(dict(c))
out.append(c.copy()) ;; out.append(c.pop('a')) ;; del c['a'] ;; del c['none'] ;; out.append(sum(c.values())) ;; out.append('a' in c)
out.append(repr(c)) ;; for k, v in c.items(): out.append((k, v)) ;; c.clear()
"""),
    "defaultdict": ('filled(defaultdict(list), 1)', 'defaultdict(int)', 'filled(defaultdict(list), n)', """
c['a'] += [i] ;; c[i % 2] = [i] ;; c['z'].append(i) if isinstance(c['z'], list) else None
c['n'] += 1 if isinstance(c['m'], int) else [1] ;; out.append(c[i]) ;; out.append(c['none']) ;; out.append(c.get('none'))
out.append(len(c)) ;; out.append(i in c) ;; out.append(list(c)) ;; out.append(list(c.items())) ;; out.append(sorted(map(str, c)))
out.append(dict(c)) ;; out.append(c.pop(0, None)) ;; out.append(c.setdefault('q', [i])) ;; del c[0] ;; out.append(c == {0: [1]})
for k in list(c): out.append(c[k]) ;; out.append({k: v for k, v in c.items()}) ;; out.append(c.copy()) ;; c.clear()
c.update({'u': [i]})
"""),
    "bytearray": ("bytearray(b'b,a')", 'bytearray()', 'bytearray(range(n))', """
c.append(i) ;; c.extend(b'ab') ;; c.extend([i, 2]) ;; c += b'x' ;; c = c + b'y' ;; c = c * 2 ;; c[0] = i ;; c[-1] = 300 ;; c[1:] = b'zz'
del c[0] ;; del c[:1] ;; out.append(c.pop()) ;; out.append(c[0]) ;; out.append(c[i]) ;; out.append(bytes(c)) ;; out.append(len(c))
out.append(c.find(b'a')) ;; out.append(c.split(b',')) ;; out.append(c.count(b'b')) ;; out.append(c.decode('latin-1'))
out.append(c.hex()) ;; out.append(list(c)) ;; out.append(i in c) ;; out.append(c == b'b,a') ;; out.append(sum(c)) ;; out.append(c.upper())
c.reverse() ;; c.clear() ;; c.insert(0, i) ;; c.remove(98) ;; for k in c: out.append(k) ;; out.append(int.from_bytes(c[:4], 'big'))
out.append(c.startswith(b'b')) ;; out.append(c[::-1]) ;; out.append(bytes(k ^ 1 for k in c))
"""),
    "array": ('np.array([3.0, 1.0, 2.0])', 'np.zeros(0)', 'np.arange(n) * 0.5', """
c += i ;; c = c + i ;; c *= 2 ;; c[0] = i ;; c[i] = 5 ;; c[-1] += 1 ;; c[:] = i ;; c[1:] = c[:-1] ;; c[c > 1] = 0 ;; c[::2] *= 3
c = c[::-1] ;; c = c[1:] ;; c = np.append(c, i) ;; c = np.concatenate([c, [i]]) ;; c = np.sort(c) ;; c = c.copy()
c = np.where(c > i, c, 0) ;; c = c[c > 0.5] ;; c = np.roll(c, 1) ;; c = np.delete(c, 0) ;; c = np.insert(c, 0, i) ;; c = np.cumsum(c)
c = np.unique(c) ;; c = np.clip(c, 0, i) ;; c = c.astype(int) ;; c = np.repeat(c, 2) ;; c = np.diff(c) ;; c.sort() ;; c.fill(i)
out.append(c.sum()) ;; out.append(c.mean() if c.size else None) ;; out.append(c.max()) ;; out.append(c.argmax()) ;; out.append(c[0])
out.append(c[i]) ;; out.append(float(c[-1])) ;; out.append(len(c)) ;; out.append(c.shape) ;; out.append(c.tolist()) ;; out.append(list(c))
out.append((c > 1).any()) ;; out.append(c @ c) ;; out.append(np.dot(c, c)) ;; out.append(np.nonzero(c)[0].tolist()) ;; out.append(i in c)
out.append(c == i) ;; out.append([k for k in c]) ;; out.append(sorted(c)) ;; out.append(max(c)) ;; out.append(sum(c))
out.append({float(k): i for k in c}) ;; out.append(c.reshape(-1, 1).shape) ;; out.append(np.linalg.norm(c)) ;; out.append(str(c.dtype))
for k in c: out.append(k * 2) ;; for j, k in enumerate(c): c[j] = k + 1
"""),
}

"""What programs do with a number, array, instance or other value `c`, beside an int `i` and a list `out`; as for containers."""

VALUES = {
    "bytes": ("b'b,A c'", "b''", 'bytes(range(n))', """
c += b'x' ;; c = c + bytes([i]) ;; c = c * 2 ;; c = c[1:] ;; c = c[::-1] ;; c = c.upper() ;; c = c.replace(b'b', b'BB')
c = c.strip(b'b') ;; c = b','.join([c, c]) ;; c = bytes(k ^ 1 for k in c) ;; c = c.ljust(i + 4, b'.') ;; c = c.zfill(8)
c = bytes(reversed(c)) ;; c = c.translate(None, b'b') ;; out.append(c.split(b',')) ;; out.append(c.find(b'A'))
out.append(c.count(b'b')) ;; out.append(c.startswith(b'b')) ;; out.append(c.decode('latin-1')) ;; out.append(c.hex()) ;; out.append(c[0])
out.append(c[i]) ;; out.append(c[-1:]) ;; out.append(len(c)) ;; out.append(list(c)) ;; out.append(sum(c)) ;; out.append(i in c)
out.append(b'b' in c) ;; out.append(c == b'b') ;; out.append(c < b'c') ;; out.append(not c) ;; out.append(int.from_bytes(c[:3], 'little'))
out.append(c.partition(b',')) ;; out.append(c.isalpha()) ;; out.append(max(c)) ;; out.append(sorted(c)) ;; out.append({c: i})
out.append(repr(c)) ;; for k in c: out.append(k) ;; out.append(bytearray(c)) ;; out.append(hash(c) == hash(bytes(c)))
"""),
    "array.array": ("array.array('d', [3.0, 1.0, 2.0])", "array.array('i')", "array.array('i', range(n))", """
c.append(i) ;; c.append(i * 0.5) ;; c.extend([i]) ;; c.extend(c) ;; c.insert(0, i) ;; out.append(c.pop()) ;; out.append(c.pop(0))
c.remove(1) ;; c.reverse() ;; c += c ;; c = c + c ;; c *= 2 ;; c = c[1:] ;; c = c[::-1] ;; c[0] = i ;; c[i] = 7 ;; c[-1] += 1
c[:1] = c[1:] ;; del c[0] ;; out.append(c[0]) ;; out.append(c[i]) ;; out.append(len(c)) ;; out.append(sum(c)) ;; out.append(max(c))
out.append(i in c) ;; out.append(c.index(1)) ;; out.append(c.count(i)) ;; out.append(c.tolist()) ;; out.append(list(c))
out.append(c.typecode) ;; out.append(c == c) ;; out.append(not c) ;; out.append(sorted(c)) ;; out.append([k * 2 for k in c])
out.append(np.array(c).sum()) ;; for k in c: out.append(k) ;; for j in range(len(c)): c[j] = j ;; out.append(c.tobytes())
out.append(repr(c))
"""),
    "OrderedDict": ('OrderedDict(a=1, b=2)', 'OrderedDict()', 'OrderedDict((k % 3, k) for k in range(n))', """
c['a'] = i ;; c[i] = i ;; c.move_to_end('a') ;; c.move_to_end('b', last=False) ;; out.append(c.popitem())
out.append(c.popitem(last=False)) ;; out.append(c.pop('a', None)) ;; out.append(list(c)) ;; out.append(list(reversed(c)))
out.append(c == OrderedDict(a=1, b=2)) ;; out.append(c == {'b': 2, 'a': 1}) ;; out.append(next(iter(c), None)) ;; out.append(len(c))
out.append(c.get('a')) ;; out.append(c.copy()) ;; out.append(dict(c)) ;; out.append(repr(c)) ;; c.update(z=i)
c = OrderedDict(sorted(c.items(), key=str)) ;; c = c | {'q': i} ;; del c['a'] ;; c.setdefault('s', i) ;; c.clear()
for k, v in c.items(): out.append((k, v)) ;; while len(c) > 1: c.popitem(last=False)
"""),
    "frozenset": ('frozenset({3, 1, 2})', 'frozenset()', 'frozenset(k % 4 for k in range(n))', """
c = c | {i} ;; c |= {i} ;; c = c & {1, i} ;; c -= {i} ;; c = c ^ {1} ;; c = frozenset(k + 1 for k in c) ;; c = c.union([i])
out.append(sorted(c)) ;; out.append(len(c)) ;; out.append(i in c) ;; out.append(c == {1, 2, 3}) ;; out.append(c <= {0, 1, 2, 3})
out.append({c: i}) ;; out.append(hash(c) == hash(frozenset(c))) ;; out.append(c.isdisjoint([i])) ;; out.append(sum(c))
out.append(set(c)) ;; out.append(not c) ;; out.append(max(c, default=None)) ;; out.append(c in [frozenset()]) ;; out.append(c.copy())
"""),
    "int": ('7', '0', 'n * 3', """
c += 1 ;; c -= i ;; c *= i ;; c //= 2 ;; c /= 2 ;; c %= 5 ;; c **= 2 ;; c <<= 3 ;; c >>= 1 ;; c |= 8 ;; c &= 6 ;; c ^= i ;; c = -c
c = ~c ;; c = abs(c - 9) ;; c = c ** -1 ;; c = c // i ;; c = c % i ;; c = divmod(c, 3)[i % 2] ;; c = divmod(c, i) ;; c = pow(c, 3, 5)
c = round(c / 3, 1) ;; c = round(c, -1) ;; c = int(c / 2) ;; c = float(c) ;; c = complex(c, i) ;; c = bool(c) ;; c = str(c)
c = min(c, i) ;; c = max(c, 2.5) ;; c = c or i ;; c = c and i ;; c = not c ;; c = c if c > i else i ;; c = [c] ;; c = None
c = np.int8(i) ;; c = np.float32(c) ;; c = c * 10 ** 20 ;; c = math.sqrt(c) ;; c = math.gcd(c, i) ;; c = math.isqrt(c)
c = math.comb(c, 2) ;; c = math.log(c) ;; c = hash(c) ;; c = c.bit_length() ;; c = c.bit_count()
c = int(str(c) + '1') ;; c = ord(chr(c + 65)) ;; out.append(bin(c)) ;; out.append(hex(c)) ;; out.append(oct(c))
out.append(c.to_bytes(2, 'big')) ;; out.append(c.as_integer_ratio()) ;; out.append(c.real + c.imag) ;; out.append(f'{c:>5d}|{c:x}|{c:,}')
out.append('%05d' % c) ;; out.append(c == i) ;; out.append(c < i <= 3) ;; out.append(c is None) ;; out.append(isinstance(c, int))
out.append(type(c).__name__) ;; out.append(list(range(c))) ;; out.append([0] * c) ;; out.append('ab' * c) ;; out.append(divmod(-c, 4))
out.append(-c // 2) ;; out.append(c % -3) ;; out.append((c, i)[c % 2]) ;; out.append(c in (1, 7)) ;; out.append({c: i})
out.append(repr(c)) ;; out.append(c / 3) ;; out.append(c.conjugate()) ;; out.append(np.sqrt(c)) ;; out.append(np.arange(c).sum())
out.append(sum(range(c))) ;; while c > 0: c -= 3 ;; for k in range(c): out.append(k) ;; c, i = i, c
"""),
    "float": ('2.5', '0.0', 'n * 0.5', """
c += 1 ;; c -= i ;; c *= i ;; c /= 3 ;; c /= i ;; c //= 2 ;; c %= 0.7 ;; c **= 2 ;; c **= 0.5 ;; c = -c ;; c = abs(c - 2) ;; c = c // i
c = round(c) ;; c = round(c, 1) ;; c = int(c) ;; c = math.floor(c) ;; c = math.ceil(c) ;; c = math.sin(c) ;; c = math.exp(c)
c = math.log(c) ;; c = math.sqrt(c - 1) ;; c = math.atan2(c, i) ;; c = math.hypot(c, i) ;; c = math.fmod(c, 0.7)
c = math.copysign(c, -1) ;; c = math.trunc(c) ;; c = max(c, i) ;; c = min(c, i, 1.5) ;; c = c or i ;; c = complex(c) ;; c = np.float32(c)
c = np.float64(c) ;; c = float('nan') ;; c = float('inf') - c ;; c = float(str(c)) ;; c = str(c) ;; c = bool(c) ;; c = None ;; c = [c]
c = divmod(c, 0.4) ;; out.append(c.is_integer()) ;; out.append(c.as_integer_ratio()) ;; out.append(c.hex())
out.append(f'{c:.3f}|{c:g}|{c:e}|{c!r}') ;; out.append('%.2f' % c) ;; out.append(repr(c)) ;; out.append(c == i) ;; out.append(c < i)
out.append(c != c) ;; out.append(math.isnan(c)) ;; out.append(math.isclose(c, i)) ;; out.append(math.modf(c)) ;; out.append(math.frexp(c))
out.append(isinstance(c, float)) ;; out.append(type(c).__name__) ;; out.append({c: i}) ;; out.append(c in (2.5, 1))
out.append(hash(c) == hash(c + 0)) ;; out.append(np.floor(c)) ;; out.append(np.array([c, i])) ;; out.append(statistics.mean([c, i]))
out.append(sum([c, i, 0.1])) ;; out.append(-c % 3) ;; out.append(c // -0.3) ;; while c < 5: c = c * 2 + 1
"""),
    "complex": ('1.5 + 2j', '0j', 'complex(n, 1)', """
c += 1 ;; c *= 1j ;; c /= 2 ;; c /= i ;; c **= 2 ;; c = c.conjugate() ;; c = abs(c) ;; c = -c ;; c = c.real ;; c = cmath.sqrt(c)
c = cmath.exp(c) ;; c = np.sqrt(c) ;; c = complex(c, i) ;; c = c or i ;; out.append(c == i) ;; out.append(c.imag) ;; out.append(repr(c))
out.append(f'{c:.2f}') ;; out.append(cmath.phase(c)) ;; out.append({c: i}) ;; out.append(not c) ;; out.append(type(c).__name__)
c = int(c) ;; c = c < i ;; c = c ** 0.5 ;; c = c * np.ones(2) ;; c = sum([c, i])
"""),
    "matrix": ('np.array([[1.0, 2.0], [3.0, 4.0]])', 'np.zeros((0, 2))', 'np.arange(2 * n).reshape(n, 2)', """
c = c.T ;; c = c @ c.T ;; c = c + i ;; c += 1 ;; c[0] = i ;; c[0, 1] = i ;; c[:, 0] = i ;; c[:, i % 2] += 1 ;; c[c > 1] = 0 ;; c = c[::-1]
c = c[:, ::-1] ;; c = c.reshape(-1) ;; c = c.ravel() ;; c = c.flatten() ;; c = c[1:] ;; c = c[:, :1] ;; c = c.sum(axis=0)
c = c.sum(axis=1, keepdims=True) ;; c = np.vstack([c, c]) ;; c = np.hstack([c, c]) ;; c = np.concatenate([c, c], axis=1)
c = np.append(c, [[i, i]], axis=0) ;; c = np.sort(c, axis=0) ;; c = np.cumsum(c, axis=1) ;; c = c - c.mean(axis=0)
c = np.outer(c[0], c[0]) ;; c = np.pad(c, 1) ;; c = np.tile(c, 2) ;; c = np.repeat(c, 2, axis=0) ;; c = np.roll(c, 1, axis=1)
c = np.rot90(c) ;; c = np.transpose(c) ;; c = np.einsum('ij->ji', c) ;; c = np.maximum(c, i) ;; c = c.astype(np.float32)
c = c.astype(int) ;; c = c * c[:, 0] ;; c = c[c[:, 0] > 0] ;; c = np.where(c > i, c, -c) ;; c = np.expand_dims(c, 0) ;; c = c[np.newaxis]
c = c.copy() ;; c = np.linalg.inv(c) ;; c = np.linalg.solve(c, c) ;; c = np.tril(c) ;; c = np.diag(c)
c = np.unique(c) ;; c = np.delete(c, 0, axis=0) ;; out.append(np.linalg.det(c)) ;; out.append(np.trace(c)) ;; out.append(c.shape)
out.append(c.size) ;; out.append(c.ndim) ;; out.append(len(c)) ;; out.append(c[0]) ;; out.append(c[0][1]) ;; out.append(c[-1, -1])
out.append(c[i % 2]) ;; out.append(c.tolist()) ;; out.append(c.argmax()) ;; out.append(c.argmax(axis=0)) ;; out.append(c.max(axis=1))
out.append(c.std()) ;; out.append(c.any()) ;; out.append((c > 1).sum()) ;; out.append(np.nonzero(c))
out.append(np.argwhere(c > 1).tolist()) ;; out.append([row.sum() for row in c]) ;; out.append(np.dot(c, [1, i])) ;; out.append(c == c.T)
out.append(np.array_equal(c, c)) ;; out.append(np.linalg.norm(c, axis=1)) ;; out.append(list(zip(*c.tolist())))
out.append(str(c.dtype)) ;; out.append(np.meshgrid(c[0], c[0])[0]) ;; out.append(np.percentile(c, 50)) ;; out.append(np.median(c, axis=0))
out.append(np.allclose(c, i)) ;; for row in c: out.append(row[0]) ;; for row in c: row += 1 ;; for j, row in enumerate(c): row[j % 2] = j
for j in range(len(c)): c[j, j % 2] += i ;; a, b = c; out.append(a + b) ;; (a, b), *rest = c; out.append(a)
"""),
    "int array": ('np.array([3, 1, 2])', 'np.zeros(0, int)', 'np.arange(n)', """
c += i ;; c = c / 2 ;; c //= 2 ;; c = c % 3 ;; c = c ** 2 ;; c = c << 1 ;; c = c & 1 ;; c = ~c ;; c = -c ;; c = c == i ;; c = c > 1
c[0] = i ;; c[i] = 5 ;; c[c > 1] = 0 ;; c = c[c % 2 == 0] ;; c = c[[0, -1]] ;; c = c[c] ;; c = c.astype(np.uint8) ;; c = c.astype(bool)
c = c.astype(float) ;; c = np.bincount(c) ;; c = np.unique(c) ;; c = np.cumsum(c) ;; c = np.diff(c) ;; c = np.clip(c, 1, 2)
c = np.sort(c)[::-1] ;; c = np.argsort(c) ;; c = np.concatenate([c, [i]]) ;; c = np.concatenate([c, [0.5]]) ;; c = np.where(c > 1, c, i)
c = np.tile(c, 2) ;; c = np.searchsorted(np.sort(c), c) ;; c = np.minimum(c, i) ;; c = np.gcd(c, 2) ;; c = c * 0.5 ;; c = c * True
c = np.flip(c) ;; c = c.reshape(1, -1) ;; out.append(c.sum()) ;; out.append(c.mean()) ;; out.append(c.min()) ;; out.append(c.prod())
out.append(c.argmin()) ;; out.append(c[0]) ;; out.append(int(c[0])) ;; out.append(c[i]) ;; out.append(c.tolist())
out.append(c.dtype.name) ;; out.append(i in c) ;; out.append(np.isin(c, [1, i])) ;; out.append(np.count_nonzero(c))
out.append(np.any(c > i)) ;; out.append(c.dot(c)) ;; out.append(list(c)) ;; out.append(sum(c)) ;; out.append(sorted(c))
out.append(set(c.tolist())) ;; out.append([0, 1, 2, 3, 4][c[0]]) ;; out.append({int(k): i for k in c})
out.append(np.histogram(c, bins=2)[0]) ;; out.append(np.full(c[0], 1)) ;; out.append(np.zeros(c.shape)) ;; out.append(np.take(c, [0]))
out.append(c.nonzero()[0]) ;; out.append(range(c[0])) ;; out.append('ab' * c[0]) ;; for k in c: out.append(k)
for k in range(c[0]): out.append(k)
"""),
    "instance": ('Point(3, 1.5)', 'Point(0, None)', 'Point(n, [n])', """
c.x += 1 ;; c.x = i ;; c.y = i ;; c.y = None ;; c.y = [i] ;; c.z = i ;; c.x, c.y = c.y, c.x ;; c = Point(i, c) ;; c = c.moved(i)
c.move(i) ;; c = c + Point(1, 1.0) ;; c += Point(i, 0.5) ;; c = -c ;; c = copy.copy(c) ;; c = copy.deepcopy(c) ;; c = [c, c] ;; c = None
del c.z ;; out.append(c) ;; out.append(c.x) ;; out.append(c.y) ;; out.append(c.double) ;; out.append(c.moved(2).x)
out.append(c == Point(3, 1.5)) ;; out.append(c < Point(4, 0)) ;; out.append(c is c) ;; out.append(bool(c)) ;; out.append(len(c))
out.append(c[0]) ;; out.append(list(c)) ;; out.append(c in [Point(3, 1.5)]) ;; out.append(repr(c)) ;; out.append(str(c))
out.append(f'{c}') ;; out.append(hasattr(c, 'z')) ;; out.append(getattr(c, 'z', i)) ;; out.append(isinstance(c, Point))
out.append(type(c).__name__) ;; out.append(vars(c)) ;; out.append({c: i}) ;; out.append(hash(c) == hash(Point(3, 1.5)))
out.append(c(i)) ;; out.append(Point.made(i)) ;; out.append(Point.kind) ;; out.append(sorted([c, Point(i, 1.0)], key=lambda p: p.x))
out.append(max(c, Point(9, 1.0), key=lambda p: p.x)) ;; out.append(dataclasses.is_dataclass(c)) ;; setattr(c, 'y', i)
setattr(c, 'w', i) ;; with c: out.append('inside') ;; for k in c: out.append(k) ;; c.log.append(i) ;; c.count = getattr(c, 'count', 0) + 1
Point.kind = i
"""),
    "namedtuple": ('Named(3, 1.5)', 'Named(0, None)', "Named(n, 'q')", """
c = c._replace(a=i) ;; c = c + (i,) ;; c = Named(i, c.b) ;; c = Named(*c) ;; c = c[::-1] ;; out.append(c.a) ;; out.append(c[1])
out.append(c._asdict()) ;; out.append(c._fields) ;; out.append(c == (3, 1.5)) ;; out.append(c < Named(4, 0)) ;; out.append(list(c))
out.append(len(c)) ;; out.append(repr(c)) ;; out.append({c: i}) ;; out.append(isinstance(c, tuple)) ;; out.append(i in c)
a, b = c; out.append(b) ;; out.append(max([c, Named(i, 1.0)], key=lambda p: p.a)) ;; out.append(c.index(3)) ;; for k in c: out.append(k)
out.append(type(c).__name__)
"""),
}

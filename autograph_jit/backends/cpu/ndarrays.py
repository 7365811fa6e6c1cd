"""What Python is given for an array of compiled code: the argument itself, an ndarray that it has already, or a new one."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.runtime_module import ARRAYS, FRAME_ARRAYS, FRAME_PINS, KEPT_ARRAYS, Routine
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR


def build_array(module: ir.Module) -> None:
    """ag_array(frame, owner, pointer, type number, rank, sizes, strides): an ndarray that Python has of just this, else a new one."""
    r = Routine(module, "ag_array")
    frame, owner, pointer, number, rank, sizes, strides = r.args
    flags = r.b.alloca(I32)
    r.b.store(I32(symbols.WRITEABLE), flags)
    with r.b.if_then(r.b.not_(r.is_null(owner))):
        with r.b.if_else(r.is_tagged(owner)) as (argument, header):
            with argument:
                given = r.untag(owner)
                r.b.store(r.b.and_(field(r, given, symbols.FLAGS, I32), I32(symbols.WRITEABLE)), flags)
                return_if_same(r, given)
                return_kept(r, frame, FRAME_ARRAYS)
            with header:
                return_kept(r, owner, ARRAYS)
    descr = r.call("PyArray_DescrFromType", number)
    array = r.call("PyArray_NewFromDescr", array_class(module), descr, rank, sizes, strides, pointer, r.b.load(flags, typ=I32), PTR(None))
    r.leave_if(r.is_null(array), PTR(None))
    r.leave_if(r.is_null(owner), array)
    base = r.call("ag_object", owner)
    with r.b.if_then(r.is_null(base)):
        r.call("Py_DecRef", array)
        r.b.ret(PTR(None))
    with r.b.if_then(r.b.icmp_signed("<", r.call("PyArray_SetBaseObject", array, base), I32(0))):
        r.call("Py_DecRef", array)
        r.b.ret(PTR(None))
    r.b.ret(array)


def build_pin(module: ir.Module) -> None:
    """ag_pin(frame, args): until the call ends, NumPy does not move the memory of its arguments, in other threads or in Python code that
    the call runs: `resize` refuses an array that a weak reference points to. Nonzero where there is no memory for those."""
    r = Routine(module, "ag_pin")
    frame, args = r.args
    r.leave_if(r.b.not_(r.is_null(r.get(frame, FRAME_PINS, PTR))), I32(0))
    count = r.call("PyTuple_Size", args)
    pins = r.call("PyTuple_New", count)
    r.leave_if(r.is_null(pins), I32(1))
    before = r.b.block
    names = ("loop", "body", "pinning", "following", "done")
    loop, body, pinning, following, done = (r.function.append_basic_block(name) for name in names)
    r.b.branch(loop)
    r.b.position_at_end(loop)
    index = r.b.phi(I64)
    r.b.cbranch(r.b.icmp_signed("<", index, count), body, done)
    r.b.position_at_end(body)
    argument = r.call("PyTuple_GetItem", args, index)
    is_array = r.b.icmp_unsigned("==", field(r, argument, symbols.OBJECT_SIZE - 8, PTR), array_class(module))
    r.b.cbranch(is_array, pinning, following)
    r.b.position_at_end(pinning)
    reference = r.call("PyWeakref_NewRef", argument, PTR(None))
    with r.b.if_then(r.is_null(reference), likely=False):
        r.call("Py_DecRef", pins)
        r.b.ret(I32(1))
    r.call("PyTuple_SetItem", pins, index, reference)
    r.b.branch(following)
    r.b.position_at_end(following)
    index.add_incoming(I64(0), before)
    index.add_incoming(r.b.add(index, I64(1)), following)
    r.b.branch(loop)
    r.b.position_at_end(done)
    r.set(frame, FRAME_PINS, pins)
    r.b.ret(I32(0))


def return_kept(r: Routine, place: ir.Value, first: int) -> None:
    """Leave `ag_array` with one of the ndarrays that are kept, if one is the one asked for."""
    with r.b.if_then(r.b.not_(r.is_null(r.get(place, first, PTR)))):
        for index in range(first, first + KEPT_ARRAYS):
            kept = r.get(place, index, PTR)
            with r.b.if_then(r.b.not_(r.is_null(kept))):
                return_if_same(r, kept)


def return_if_same(r: Routine, array: ir.Value) -> None:
    """Leave `ag_array` with an ndarray if it is the one asked for."""
    with r.b.if_then(r.call("ag_is_array", array, *r.args[2:], apart=True)):
        r.call("Py_IncRef", array)
        r.b.ret(array)


def array_class(module: ir.Module) -> ir.Value:
    """The type `np.ndarray`."""
    return module.globals.get("PyArray_Type") or ir.GlobalVariable(module, I8, "PyArray_Type")


def field(r: Routine, object_: ir.Value, offset: int, type: ir.Type) -> ir.Value:
    return r.b.load(r.b.gep(object_, [I64(offset)], source_etype=I8), typ=type)


def build_comparison(module: ir.Module) -> None:
    """ag_is_array(ndarray, pointer, type number, rank, sizes, strides): whether an ndarray is of this memory, with this layout."""
    r = Routine(module, "ag_is_array")
    array, pointer, number, rank, sizes, strides = r.args
    r.leave_if(r.b.icmp_unsigned("!=", field(r, array, symbols.DATA, PTR), pointer), I1(0))
    r.leave_if(r.b.icmp_signed("!=", field(r, array, symbols.RANK, I32), rank), I1(0))
    r.leave_if(r.b.icmp_signed("!=", field(r, field(r, array, symbols.DESCR, PTR), symbols.TYPE_NUMBER, I32), number), I1(0))
    r.b.ret(same_layout(r, rank, (sizes, field(r, array, symbols.SIZES, PTR)), (strides, field(r, array, symbols.STRIDES, PTR))))


def build_keeping(module: ir.Module) -> None:
    """ag_keep_array(frame, owner, object): the call holds an ndarray that Python was given, until it lets go of the memory, so that Python
    is given the same one again. Of each memory it holds a few, the first ones and the last one."""
    r = Routine(module, "ag_keep_array")
    frame, owner, array = r.args
    r.leave_if(r.b.or_(r.is_null(owner), r.is_null(array)))
    r.leave_if(r.b.icmp_unsigned("!=", field(r, array, symbols.OBJECT_SIZE - 8, PTR), array_class(module)))
    with r.b.if_then(r.is_tagged(owner)):
        r.leave_if(r.b.icmp_unsigned("==", r.untag(owner), array))
    place = r.b.select(r.is_tagged(owner), r.slot(frame, FRAME_ARRAYS), r.slot(owner, ARRAYS))
    for index in range(KEPT_ARRAYS):
        kept = r.get(place, index, PTR)
        r.leave_if(r.b.icmp_unsigned("==", kept, array))
        with r.b.if_then(r.is_null(kept)):
            r.call("Py_IncRef", array)
            r.set(place, index, array)
            r.b.ret_void()
    last = r.get(place, KEPT_ARRAYS - 1, PTR)
    r.call("Py_IncRef", array)
    r.set(place, KEPT_ARRAYS - 1, array)
    r.call("Py_DecRef", last)
    r.b.ret_void()


def same_layout(r: Routine, rank: ir.Value, sizes: tuple[ir.Value, ir.Value], strides: tuple[ir.Value, ir.Value]) -> ir.Value:
    """Whether two shapes of this rank are equal, and their strides too; the stride of an axis of size 1 means nothing, and none does where
    there are no elements."""
    before = r.b.block
    loop, body, done = (r.function.append_basic_block(name) for name in ("axes", "axis", "compared"))
    r.b.branch(loop)
    r.b.position_at_end(loop)
    index, equal, agree, is_empty = r.b.phi(I32), r.b.phi(I1), r.b.phi(I1), r.b.phi(I1)
    r.b.cbranch(r.b.icmp_signed("<", index, rank), body, done)
    r.b.position_at_end(body)
    (size, other_size), (stride, other_stride) = (
        [r.b.load(r.b.gep(words, [index], source_etype=I64), typ=I64) for words in pair] for pair in (sizes, strides)
    )
    steps_agree = r.b.or_(r.b.icmp_signed("==", stride, other_stride), r.b.icmp_signed("==", size, I64(1)))
    steps = (
        (index, I32(0), r.b.add(index, I32(1))),
        (equal, I1(1), r.b.and_(equal, r.b.icmp_signed("==", size, other_size))),
        (agree, I1(1), r.b.and_(agree, steps_agree)),
        (is_empty, I1(0), r.b.or_(is_empty, r.b.icmp_signed("==", size, I64(0)))),
    )
    for phi, start, step in steps:
        phi.add_incoming(start, before)
        phi.add_incoming(step, r.b.block)
    r.b.branch(loop)
    r.b.position_at_end(done)
    return r.b.and_(equal, r.b.or_(agree, is_empty))

"""The runtime that every compiled function shares: headers of memory, their references, Python objects made of them.

A header stands before each piece of memory that compiled code owns. Its slots (64 bits each)::

    REFS      references held by values of the call           HOLDERS   the call (while REFS > 0) and ndarrays in Python
    OBJECT    a Python object that owns the memory, or null   PREV NEXT neighbours in the call's list of live headers
    BASE      what free() takes                               ITEMS LENGTH CAPACITY  of a growable list; the last two in bytes of a
                                                              text's memory, which several texts share that begin alike
    ARRAYS    some ndarrays that Python was given of it, in four slots, then null: held while REFS > 0
    REFERENCES  1 where the items of a list are other lists   WRITE_BACK  how its items go back to the caller's list, or 0
    BLOCK     the slot of the call's frame in which a small array, or a list, waits for the next one when it is given up, or 0

A list's header has no BASE: it stands in a chunk of the call's, see `list_memory.py`.

An owner is null (memory of the call's stack), a header, or a Python object's address plus 1 (an argument, alive for the call).
When a call ends, headers in its list are dropped: an error needs no clean-up of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR, SIGNATURES

REFS, HOLDERS, OBJECT, PREV, NEXT, BASE, ITEMS, LENGTH, CAPACITY, ARRAYS = range(10)
HEADER_BYTES = 128
KEPT_ARRAYS = 4
REFERENCES, WRITE_BACK, BLOCK = range(ARRAYS + KEPT_ARRAYS, ARRAYS + KEPT_ARRAYS + 3)
# The call's frame: the list of live headers, the failing site, the thread state while the GIL is released, how much work is
# left until signals are looked at, what pins the arguments, headers for lists and their chunks, the pool of texts, how many headers there
# are, small blocks, lists with room and small lists that wait for the next of their kind, ndarrays that Python was given of the arguments'
# memory, the failing site's numbers, how many and which calls of functions an exception has left, how many calls of recursive functions
# may still be made.
FRAME_HEAD, FRAME_SITE, FRAME_THREAD, FRAME_BUDGET, FRAME_PINS, FRAME_LISTS, FRAME_CHUNKS, FRAME_TEXTS, FRAME_LIVE = range(9)
FRAME_BLOCKS, FRAME_ROOMY, FRAME_SMALL_LISTS, FRAME_ARRAYS = 9, 11, 12, 13
FRAME_PAYLOAD, FRAME_CALLS, FRAME_LEFT, FRAME_SLOTS = FRAME_ARRAYS + KEPT_ARRAYS, 85, 102, 103
BLOCKS = (64, 256)  # bytes of the small blocks that wait for the next array
KEPT_ROOM = 1 << 12  # bytes of the items of a list that waits with its room
PENDING = -1  # the site of a Python exception that is pending already
BUDGET = 1 << 20


def declare(module: ir.Module, name: str) -> ir.Function:
    """The external function of that name in `module`."""
    if name in module.globals:
        return module.globals[name]
    result, arguments = SIGNATURES[name]
    function = ir.Function(module, ir.FunctionType(result, arguments), name)
    if name.startswith("ag_alloc"):
        function.return_value.add_attribute("noalias")
    if name == "ag_poll":  # called inside loops, almost never: the loops keep their registers
        function.calling_convention = "preserve_mostcc"
        function.attributes.add("cold")
    if not name.startswith("ag_call"):
        function.attributes.add("nounwind")
    return function


class Routine:
    """One function of the runtime module while it is built."""

    def __init__(self, module: ir.Module, name: str, function: ir.Function | None = None) -> None:
        self.module, self.function = module, function or declare(module, name)
        self.args = self.function.args
        self.b = ir.IRBuilder(self.function.append_basic_block("entry"))

    def slot(self, base: ir.Value, index: int) -> ir.Value:
        return self.b.gep(base, [I64(index)], source_etype=I64)

    def get(self, base: ir.Value, index: int, type: ir.Type = I64) -> ir.Value:
        return self.b.load(self.slot(base, index), typ=type)

    def set(self, base: ir.Value, index: int, value: ir.Value) -> None:
        self.b.store(value, self.slot(base, index))

    def global_object(self, name: str) -> ir.Value:
        """An object of CPython's."""
        found = self.module.globals.get(name)
        return found if found is not None else ir.GlobalVariable(self.module, I8, name)

    def field(self, object_: ir.Value, offset: int, type: ir.Type = I64) -> ir.Value:
        """A field of a Python object."""
        return self.b.load(self.b.gep(object_, [I64(offset)], source_etype=I8), typ=type)

    def call(self, name: str, *args: ir.Value, apart: bool = False) -> ir.Value:
        """A call; `apart` where it is not worth a copy of the function: a rare one, or one of many."""
        return self.b.call(declare(self.module, name), list(args), attrs=("noinline",) if apart else ())

    def each(self, count: ir.Value, body: Callable[[ir.Value], None], first: ir.Value | None = None) -> None:
        """for index in range(first, count)."""
        before, header, inside, done = self.b.block, *(self.function.append_basic_block(name) for name in ("loop", "item", "done"))
        self.b.branch(header)
        self.b.position_at_end(header)
        index = self.b.phi(I64)
        index.add_incoming(I64(0) if first is None else first, before)
        self.b.cbranch(self.b.icmp_signed("<", index, count), inside, done)
        self.b.position_at_end(inside)
        body(index)
        index.add_incoming(self.b.add(index, I64(1)), self.b.block)
        self.b.branch(header)
        self.b.position_at_end(done)

    def is_null(self, pointer: ir.Value) -> ir.Value:
        return self.b.icmp_unsigned("==", pointer, PTR(None))

    def is_tagged(self, owner: ir.Value) -> ir.Value:
        return self.b.trunc(self.b.ptrtoint(owner, I64), I1)

    def untag(self, owner: ir.Value) -> ir.Value:
        return self.b.gep(owner, [I64(-1)], source_etype=I8)

    def leave_if(self, condition: ir.Value, result: ir.Value | None = None) -> None:
        with self.b.if_then(condition):
            self.b.ret_void() if result is None else self.b.ret(result)


def begin_header(r: Routine, frame: ir.Value, header: ir.Value) -> None:
    """A header with one reference, of the call, in whose list it is."""
    r.set(header, REFS, I64(1))
    r.set(header, HOLDERS, I64(1))
    for index in (LENGTH, REFERENCES, WRITE_BACK, BLOCK):
        r.set(header, index, I64(0))
    r.set(header, OBJECT, PTR(None))
    for index in range(KEPT_ARRAYS):
        r.set(header, ARRAYS + index, PTR(None))
    link_header(r, frame, header)


def link_header(r: Routine, frame: ir.Value, header: ir.Value) -> None:
    """A header goes to the front of the call's list."""
    head = r.get(frame, FRAME_HEAD, PTR)
    r.set(header, NEXT, head)
    r.set(header, PREV, PTR(None))
    with r.b.if_then(r.b.not_(r.is_null(head))):
        r.set(head, PREV, header)
    r.set(frame, FRAME_HEAD, header)
    count_live(r, frame, 1)


def take_waiting(r: Routine, frame: ir.Value, slot: ir.Value) -> None:
    """Return what waits in a slot of the frame, if anything does, as what was just made."""
    place = r.b.gep(frame, [slot], source_etype=I64)
    kept = r.b.load(place, typ=PTR)
    with r.b.if_then(r.b.not_(r.is_null(kept))):
        r.b.store(r.get(kept, NEXT, PTR), place)
        r.set(kept, REFS, I64(1))
        for index in (LENGTH, WRITE_BACK):
            r.set(kept, index, I64(0))
        link_header(r, frame, kept)
        r.b.ret(kept)


def count_live(r: Routine, frame: ir.Value, change: int) -> None:
    """A header more or less; the call tells the process at its end, for a counter that threads share takes as long as all else here."""
    r.set(frame, FRAME_LIVE, r.b.add(r.get(frame, FRAME_LIVE), I64(change)))


def build_ownership(module: ir.Module) -> None:
    """ag_hold takes over a Python reference, also where there is no memory for a header; ag_retain and ag_release count the call's;
    ag_release_all ends a call."""
    r = Routine(module, "ag_hold")
    header = r.call("ag_alloc", r.args[0], I64(0))
    with r.b.if_then(r.b.not_(r.is_null(header))):
        r.set(header, OBJECT, r.args[1])
        r.b.ret(header)
    r.call("Py_DecRef", r.args[1])
    r.b.ret(PTR(None))

    r = Routine(module, "ag_retain")
    r.leave_if(r.b.or_(r.is_null(r.args[0]), r.is_tagged(r.args[0])))
    r.set(r.args[0], REFS, r.b.add(r.get(r.args[0], REFS), I64(1)))
    r.b.ret_void()

    r = Routine(module, "ag_release")
    frame, owner = r.args
    r.leave_if(r.b.or_(r.is_null(owner), r.is_tagged(owner)))
    left = r.b.sub(r.get(owner, REFS), I64(1))
    r.set(owner, REFS, left)
    r.leave_if(r.b.icmp_signed(">", left, I64(0)))
    r.call("ag_release_last", frame, owner, apart=True)
    r.b.ret_void()
    build_last_release(module)

    r = Routine(module, "ag_destroy")
    object_ = r.get(r.args[0], OBJECT, PTR)
    with r.b.if_then(r.b.not_(r.is_null(object_))):
        state = r.call("PyGILState_Ensure")
        r.call("Py_DecRef", object_)
        r.call("PyGILState_Release", state)
    items = r.get(r.args[0], ITEMS, PTR)
    with r.b.if_then(r.b.icmp_unsigned("!=", items, first_items(r, r.args[0]))):
        r.call("free", items)
    r.call("free", r.get(r.args[0], BASE, PTR))
    r.b.ret_void()


def build_last_release(module: ir.Module) -> None:
    """ag_release_last(frame, header): the end of a header that the call has no reference to; a small array or a list waits for the next
    one. ag_release_rest: of any other one, which is not in the call's list any more."""
    r = Routine(module, "ag_release_last")
    frame, owner = r.args
    previous, following = r.get(owner, PREV, PTR), r.get(owner, NEXT, PTR)
    with r.b.if_then(r.b.not_(r.is_null(following))):
        r.set(following, PREV, previous)
    with r.b.if_else(r.is_null(previous)) as (first, inner):
        with first:
            r.set(frame, FRAME_HEAD, following)
        with inner:
            r.set(previous, NEXT, following)
    slot = r.get(owner, BLOCK)
    others = r.b.or_(r.b.or_(r.get(owner, REFERENCES), r.get(owner, ARRAYS)), r.get(owner, OBJECT))
    is_alone = r.b.and_(r.b.icmp_unsigned("==", others, I64(0)), has_one_holder(r, owner))
    waits = r.b.and_(r.b.icmp_unsigned("!=", slot, I64(0)), r.b.icmp_unsigned("<=", r.get(owner, CAPACITY), I64(KEPT_ROOM)))
    has_room = r.b.icmp_unsigned("!=", r.get(owner, ITEMS, PTR), first_items(r, owner))
    is_roomy = r.b.and_(has_room, r.b.icmp_unsigned("==", slot, I64(FRAME_SMALL_LISTS)))
    with r.b.if_then(r.b.and_(waits, is_alone)):
        place = r.b.gep(frame, [r.b.select(is_roomy, I64(FRAME_ROOMY), slot)], source_etype=I64)
        r.set(owner, NEXT, r.b.load(place, typ=PTR))
        r.b.store(owner, place)
        count_live(r, frame, -1)
        r.b.ret_void()
    r.call("ag_release_rest", frame, owner, apart=True)
    r.b.ret_void()

    r = Routine(module, "ag_release_rest")
    frame, owner = r.args
    with r.b.if_then(r.b.icmp_unsigned("!=", r.get(owner, REFERENCES), I64(0)), likely=False):
        r.call("ag_release_items", frame, owner, r.get(owner, LENGTH))
    drop_arrays(r, owner, ARRAYS)
    is_list = r.is_null(r.get(owner, BASE, PTR))
    drop_holder(r, owner, frame)
    with r.b.if_then(is_list):
        r.set(owner, NEXT, r.get(frame, FRAME_LISTS, PTR))
        r.set(frame, FRAME_LISTS, owner)
    r.b.ret_void()


def first_items(r: Routine, header: ir.Value) -> ir.Value:
    """Where a list has its items until they are too many: behind its header."""
    return r.b.gep(header, [I64(HEADER_BYTES)], source_etype=I8)


def drop_arrays(r: Routine, place: ir.Value, first: int) -> None:
    """The call lets go of the ndarrays that it gave Python of some memory."""
    with r.b.if_then(r.b.not_(r.is_null(r.get(place, first, PTR))), likely=False):
        state = r.call("PyGILState_Ensure")
        for index in range(first, first + KEPT_ARRAYS):
            array = r.get(place, index, PTR)
            r.set(place, index, PTR(None))
            r.call("Py_DecRef", array)
        r.call("PyGILState_Release", state)


def has_one_holder(r: Routine, header: ir.Value) -> ir.Value:
    """Whether nobody but the call, or the ndarray, that asks holds a header."""
    return r.b.icmp_signed("==", r.b.load_atomic(r.slot(header, HOLDERS), "acquire", 8, typ=I64), I64(1))


def drop_holder(r: Routine, header: ir.Value, frame: ir.Value | None = None) -> None:
    """The call of a frame, or an ndarray, lets go of a header; the last one frees it. Both may do so at once, for the call has no GIL.
    Who is alone stays so."""
    with r.b.goto_entry_block():
        is_last = r.b.alloca(I1)
    alone = has_one_holder(r, header)
    r.b.store(alone, is_last)
    with r.b.if_then(r.b.not_(alone), likely=False):
        before = r.b.atomic_rmw("sub", r.slot(header, HOLDERS), I64(1), "acq_rel")
        r.b.store(r.b.icmp_signed("==", before, I64(1)), is_last)
    with r.b.if_then(r.b.load(is_last, typ=I1)):
        r.call("ag_destroy", header)
        if frame is None:
            r.b.atomic_rmw("sub", r.module.globals["ag_live"], I64(1), "monotonic")
        else:
            count_live(r, frame, -1)


def build_endings(module: ir.Module) -> None:
    """ag_release_all drops what a call still holds; ag_capsule_free what an ndarray in Python held."""
    r = Routine(module, "ag_release_all")
    loop, body, done = (r.function.append_basic_block(name) for name in ("loop", "body", "done"))
    drop_arrays(r, r.args[0], FRAME_ARRAYS)
    with r.b.if_then(r.b.not_(r.is_null(r.get(r.args[0], FRAME_PINS, PTR)))):
        pins = r.get(r.args[0], FRAME_PINS, PTR)
        r.set(r.args[0], FRAME_PINS, PTR(None))
        r.call("Py_DecRef", pins)
    r.b.branch(loop)
    r.b.position_at_end(loop)
    header = r.get(r.args[0], FRAME_HEAD, PTR)
    r.b.cbranch(r.is_null(header), done, body)
    r.b.position_at_end(body)
    r.set(r.args[0], FRAME_HEAD, r.get(header, NEXT, PTR))
    r.set(header, REFS, I64(0))
    drop_arrays(r, header, ARRAYS)
    object_ = r.get(header, OBJECT, PTR)
    with r.b.if_then(r.b.and_(r.b.not_(r.is_null(object_)), has_one_holder(r, header))):
        r.set(header, OBJECT, PTR(None))
        r.call("Py_DecRef", object_)  # the call has the GIL, as far as `ag_destroy` knows it may not
    drop_holder(r, header, r.args[0])
    r.b.branch(loop)
    r.b.position_at_end(done)
    with r.b.if_then(r.b.icmp_signed("!=", r.get(r.args[0], FRAME_LIVE), I64(0)), likely=False):
        r.b.atomic_rmw("add", module.globals["ag_live"], r.get(r.args[0], FRAME_LIVE), "monotonic")
        r.set(r.args[0], FRAME_LIVE, I64(0))
    for slot in (FRAME_BLOCKS, FRAME_BLOCKS + 1, FRAME_ROOMY):
        with r.b.if_then(r.b.not_(r.is_null(r.get(r.args[0], slot, PTR))), likely=False):
            r.call("ag_free_blocks", r.args[0], I64(slot))
    with r.b.if_then(r.b.not_(r.is_null(r.get(r.args[0], FRAME_CHUNKS, PTR))), likely=False):
        r.call("ag_free_chunks", r.args[0])
    r.b.ret_void()

    r = Routine(module, "ag_capsule_free")
    header = r.call("PyCapsule_GetPointer", r.args[0], PTR(None))
    drop_holder(r, header)
    r.b.ret_void()


def build_objects(module: ir.Module) -> None:
    """ag_object: a new reference to what keeps an owner alive. ag_scalar: a NumPy scalar of the number at an address."""
    r = Routine(module, "ag_object")
    owner = r.args[0]
    with r.b.if_then(r.is_tagged(owner)):
        object_ = r.untag(owner)
        r.call("Py_IncRef", object_)
        r.b.ret(object_)
    object_ = r.get(owner, OBJECT, PTR)
    with r.b.if_then(r.b.not_(r.is_null(object_))):
        r.call("Py_IncRef", object_)
        r.b.ret(object_)
    capsule = r.call("PyCapsule_New", owner, PTR(None), declare(module, "ag_capsule_free"))
    with r.b.if_then(r.b.not_(r.is_null(capsule))):
        r.b.atomic_rmw("add", r.slot(owner, HOLDERS), I64(1), "monotonic")
    r.b.ret(capsule)

    r = Routine(module, "ag_scalar")
    descr = r.call("PyArray_DescrFromType", r.args[1])
    scalar = r.call("PyArray_Scalar", r.args[0], descr, PTR(None))
    r.call("Py_DecRef", descr)
    r.b.ret(scalar)


def build_errors(module: ir.Module) -> None:
    """ag_catch: the pending exception as an owner; null where there is no memory for it, and MemoryError is pending.
    ag_note_pending(note): calls note(exception), which stays pending."""
    r = Routine(module, "ag_catch")
    kind, value, traceback = (r.b.alloca(PTR) for _ in range(3))
    r.call("PyErr_Fetch", kind, value, traceback)
    r.call("PyErr_NormalizeException", kind, value, traceback)
    loaded = [r.b.load(slot, typ=PTR) for slot in (kind, value, traceback)]
    with r.b.if_then(r.b.not_(r.is_null(loaded[2]))):
        r.call("PyException_SetTraceback", loaded[1], loaded[2])
        r.call("Py_DecRef", loaded[2])
    r.call("Py_DecRef", loaded[0])
    owner = r.call("ag_hold", r.args[0], loaded[1])
    with r.b.if_then(r.is_null(owner), likely=False):
        r.call("PyErr_NoMemory")
    r.b.ret(owner)

    r = Routine(module, "ag_note_pending")
    slots = [r.b.alloca(PTR) for _ in range(3)]
    r.call("PyErr_Fetch", *slots)
    r.call("PyErr_NormalizeException", *slots)
    kind, value, traceback = (r.b.load(slot, typ=PTR) for slot in slots)
    args = r.call("PyTuple_New", I64(1))
    with r.b.if_then(r.b.not_(r.is_null(args))):
        r.call("Py_IncRef", value)
        r.call("PyTuple_SetItem", args, I64(0), value)
        result = r.call("PyObject_Call", r.args[0], args, PTR(None))
        r.call("Py_DecRef", args)
        with r.b.if_then(r.b.not_(r.is_null(result))):
            r.call("Py_DecRef", result)
    r.call("PyErr_Restore", kind, value, traceback)  # in the place of what went wrong meanwhile
    r.b.ret_void()


def build_sites(module: ir.Module) -> None:
    """ag_call_site(environment, site, payload): Python makes the site's exception pending. Not null where Ctrl-C came while it did:
    KeyboardInterrupt is pending instead. ag_catch_site(frame, environment, site): the site's exception, or the pending one, as an owner;
    null where Ctrl-C came meanwhile, or there is no memory to hold it: what is pending then is not what a handler waits for."""
    r = Routine(module, "ag_call_site")
    environment, site, payload = r.args
    r.leave_if(r.b.icmp_signed("!=", r.call("PyErr_CheckSignals"), I32(0)), payload)  # before Python does, outside of any `try` there
    parts = [r.call("PyTuple_New", I64(2)), *(r.call("PyLong_FromLongLong", number) for number in (site, r.b.ptrtoint(payload, I64)))]
    with r.b.if_then(r.b.or_(r.is_null(parts[0]), r.b.or_(r.is_null(parts[1]), r.is_null(parts[2]))), likely=False):
        for part in parts:
            r.call("Py_DecRef", part)
        r.b.ret(PTR(None))
    args, *numbers = parts
    for index, number in enumerate(numbers):
        r.call("PyTuple_SetItem", args, I64(index), number)
    result = r.call("PyObject_Call", r.call("PyTuple_GetItem", environment, I64(0)), args, PTR(None))
    r.call("Py_DecRef", args)
    r.leave_if(r.is_null(result), PTR(None))
    r.call("Py_DecRef", result)
    r.call("PyErr_SetInterrupt")
    r.call("PyErr_CheckSignals")
    r.b.ret(payload)

    r = Routine(module, "ag_catch_site")
    frame, environment, site = r.args
    r.call("ag_take_gil", frame)
    with r.b.if_then(r.b.icmp_signed(">=", site, I64(0))):
        interrupted = r.call("ag_call_site", environment, site, r.slot(frame, FRAME_PAYLOAD))
        with r.b.if_then(r.b.not_(r.is_null(interrupted)), likely=False):
            r.set(frame, FRAME_SITE, I64(PENDING))
            r.b.ret(PTR(None))
    owner = r.call("ag_catch", frame)
    with r.b.if_then(r.is_null(owner), likely=False):
        r.set(frame, FRAME_SITE, I64(PENDING))
    r.b.ret(owner)

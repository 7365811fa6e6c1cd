"""The native module by which threads share a loop nest, as LLVM text: one job at a time, pieces claimed one by one.

    ag_share   publishes the job, wakes the helpers, claims pieces until none is left, closes the job, waits for helpers still inside,
               and calls `watch`, where there is one, some times a second while it waits
    ag_help    a helper's life: waits for an open job, looking for a moment before it sleeps, and claims pieces

The thread that shares never waits for a helper that has not begun. It would wait for one that the system puts aside in the middle of a
piece, for many milliseconds on a busy machine: so it asks, at most every two milliseconds, how many processors are idle, and takes no
more helpers than that; and where it had to wait long, nothing is shared for sixteen times as long. `ag_busy` is 1 while a job
is shared; whoever comes meanwhile, another thread of the program or a nest inside a piece, runs alone.
"""

from __future__ import annotations

import time

MODULE = """
@ag_threads = global i64 1          ; that may work on a job, the one that shares it included
@ag_busy = global i64 0
@ag_not_before = global i64 0       ; nanoseconds: jobs are not shared before that
@ag_load = global i32 -1            ; a file descriptor of /proc/loadavg, where there is such a file
@ag_processors = global i64 0
@ag_looked = global i64 0           ; nanoseconds: when the idle processors were counted
@ag_idle = global i64 1073741824    ; how many there were
@ag_looking = global i64 0          ; helpers that look for work: they count as idle
@ag_room = global i64 0             ; threads that may work on this job
@ag_open = global i64 0             ; whether helpers may enter the job
@ag_active = global i64 0           ; helpers inside the job
@ag_next = global i64 0             ; the piece that is claimed next
@ag_pieces = global i64 0
@ag_units = global i64 0
@ag_body = global ptr null
@ag_registers = global ptr null
@ag_mutex = global [128 x i8] zeroinitializer, align 64
@ag_wake = global [128 x i8] zeroinitializer, align 64
@ag_done = global [128 x i8] zeroinitializer, align 64

declare i64 @pread(i32, ptr, i64, i64)
declare i32 @clock_gettime(i32, ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_timedwait(ptr, ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
DECLARE_PAUSE

define void @ag_reset() {
  %1 = call i32 @pthread_mutex_init(ptr @ag_mutex, ptr null)
  %2 = call i32 @pthread_cond_init(ptr @ag_wake, ptr null)
  %3 = call i32 @pthread_cond_init(ptr @ag_done, ptr null)
  store i64 0, ptr @ag_open
  store i64 0, ptr @ag_active
  store i64 0, ptr @ag_busy
  store i64 0, ptr @ag_looking
  ret void
}

; The number of processors less what runs, the number before the slash in "0.20 0.18 0.12 1/80 11206", helpers not counted.
define internal void @ag_count_idle(i64 %now) noinline {
entry:
  store atomic i64 %now, ptr @ag_looked monotonic, align 8
  %text = alloca [64 x i8]
  %file = load i32, ptr @ag_load
  %length = call i64 @pread(i32 %file, ptr %text, i64 64, i64 0)
  br label %reading
reading:
  %index = phi i64 [0, %entry], [%next, %digit]
  %number = phi i64 [0, %entry], [%longer, %digit]
  %inside = icmp slt i64 %index, %length
  br i1 %inside, label %letter, label %unknown
letter:
  %place = getelementptr i8, ptr %text, i64 %index
  %code = load i8, ptr %place
  %is_slash = icmp eq i8 %code, 47
  br i1 %is_slash, label %found, label %digit
digit:
  %value = sub i8 %code, 48
  %is_digit = icmp ult i8 %value, 10
  %wide = zext i8 %value to i64
  %tens = mul i64 %number, 10
  %appended = add i64 %tens, %wide
  %longer = select i1 %is_digit, i64 %appended, i64 0
  %next = add i64 %index, 1
  br label %reading
found:
  %processors = load i64, ptr @ag_processors
  %looking = load atomic i64, ptr @ag_looking monotonic, align 8
  %others = sub i64 %number, %looking
  %idle = sub i64 %processors, %others
  br label %storing
unknown:
  br label %storing
storing:
  %result = phi i64 [%idle, %found], [1073741824, %unknown]
  store atomic i64 %result, ptr @ag_idle monotonic, align 8
  ret void
}

define internal i64 @ag_now() noinline {
  %time = alloca [2 x i64]
  %1 = call i32 @clock_gettime(i32 CLOCK, ptr %time)
  %place = getelementptr i64, ptr %time, i64 1
  %seconds = load i64, ptr %time
  %rest = load i64, ptr %place
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}

define internal void @ag_until(ptr %time) noinline {
  %1 = call i32 @clock_gettime(i32 0, ptr %time)
  %place = getelementptr i64, ptr %time, i64 1
  %seconds = load i64, ptr %time
  %nanoseconds = load i64, ptr %place
  %later = add i64 %nanoseconds, WATCHED_EVERY
  %passes = icmp sge i64 %later, 1000000000
  %carry = zext i1 %passes to i64
  %next = add i64 %seconds, %carry
  %taken = select i1 %passes, i64 1000000000, i64 0
  %rest = sub i64 %later, %taken
  store i64 %next, ptr %time
  store i64 %rest, ptr %place
  ret void
}

define void @ag_share(ptr %body, ptr %registers, i64 %units, i64 %work, ptr %watch) {
entry:
  %until = alloca [2 x i64]
  %watches = icmp ne ptr %watch, null
  %threads = load atomic i64, ptr @ag_threads monotonic, align 8
  %several = icmp sgt i64 %threads, 1
  %divides = icmp sgt i64 %units, 1
  %awake = load atomic i64, ptr @ag_looking monotonic, align 8
  %is_awake = icmp sgt i64 %awake, 0
  %pays = icmp sge i64 %work, WORTH_WAKING
  %ready = or i1 %is_awake, %pays
  %possible = and i1 %several, %divides
  %asks = and i1 %possible, %ready
  br i1 %asks, label %timing, label %alone
timing:
  %start = call i64 @ag_now()
  %not_before = load atomic i64, ptr @ag_not_before monotonic, align 8
  %calm = icmp sge i64 %start, %not_before
  br i1 %calm, label %looking_around, label %alone
looking_around:
  %looked = load atomic i64, ptr @ag_looked monotonic, align 8
  %age = sub i64 %start, %looked
  %is_old = icmp sgt i64 %age, OLDEST_LOOK
  br i1 %is_old, label %counting, label %deciding
counting:
  call void @ag_count_idle(i64 %start)
  br label %deciding
deciding:
  %idle = load atomic i64, ptr @ag_idle monotonic, align 8
  %idle_and_me = add i64 %idle, 1
  %room = call i64 @llvm.smin.i64(i64 %idle_and_me, i64 %threads)
  %enough = icmp sgt i64 %room, 1
  br i1 %enough, label %asking, label %alone
asking:
  %before = atomicrmw xchg ptr @ag_busy, i64 1 acquire
  %free = icmp eq i64 %before, 0
  br i1 %free, label %sharing, label %alone
sharing:
  %wished = sdiv i64 %work, PIECE_WORK
  %most = mul i64 %room, 16
  %bounded = call i64 @llvm.smin.i64(i64 %wished, i64 %most)
  %at_least = call i64 @llvm.smax.i64(i64 %bounded, i64 %room)
  %pieces = call i64 @llvm.smin.i64(i64 %at_least, i64 %units)
  %l1 = call i32 @pthread_mutex_lock(ptr @ag_mutex)
  store ptr %body, ptr @ag_body
  store ptr %registers, ptr @ag_registers
  store i64 %room, ptr @ag_room
  store i64 %units, ptr @ag_units
  store atomic i64 %pieces, ptr @ag_pieces monotonic, align 8
  store atomic i64 0, ptr @ag_next monotonic, align 8
  store atomic i64 1, ptr @ag_open release, align 8
  %u1 = call i32 @pthread_mutex_unlock(ptr @ag_mutex)
  %w1 = call i32 @pthread_cond_broadcast(ptr @ag_wake)
  call void @ag_claim()
  %l2 = call i32 @pthread_mutex_lock(ptr @ag_mutex)
  store atomic i64 0, ptr @ag_open monotonic, align 8
  %u2 = call i32 @pthread_mutex_unlock(ptr @ag_mutex)
  %finish = call i64 @ag_now()
  br label %looking
looking:
  %look = phi i64 [0, %sharing], [%next_look, %pausing]
  %inside = load atomic i64, ptr @ag_active acquire, align 8
  %none = icmp eq i64 %inside, 0
  br i1 %none, label %finished, label %pausing
pausing:
  CALL_PAUSE
  %next_look = add i64 %look, 1
  %patient = icmp slt i64 %next_look, LOOKS
  br i1 %patient, label %looking, label %sleeping
sleeping:
  %l3 = call i32 @pthread_mutex_lock(ptr @ag_mutex)
  br label %waiting
waiting:
  %left = load atomic i64, ptr @ag_active monotonic, align 8
  %empty = icmp eq i64 %left, 0
  br i1 %empty, label %woken, label %wait
wait:
  br i1 %watches, label %wait_a_while, label %wait_for_good
wait_for_good:
  %w2 = call i32 @pthread_cond_wait(ptr @ag_done, ptr @ag_mutex)
  br label %waiting
wait_a_while:
  call void @ag_until(ptr %until)
  %w3 = call i32 @pthread_cond_timedwait(ptr @ag_done, ptr @ag_mutex, ptr %until)
  %u4 = call i32 @pthread_mutex_unlock(ptr @ag_mutex)
  call void %watch(ptr %registers)
  %l4 = call i32 @pthread_mutex_lock(ptr @ag_mutex)
  br label %waiting
woken:
  %u3 = call i32 @pthread_mutex_unlock(ptr @ag_mutex)
  br label %finished
finished:
  %end = call i64 @ag_now()
  %waited = sub i64 %end, %finish
  %worked = sub i64 %finish, %start
  %eighth = sdiv i64 %worked, 8
  %normal = add i64 %eighth, NORMAL_WAIT
  %too_long = icmp sgt i64 %waited, %normal
  br i1 %too_long, label %drawing_back, label %leaving
drawing_back:
  %pause = mul i64 %waited, 16
  %later = add i64 %end, %pause
  store atomic i64 %later, ptr @ag_not_before monotonic, align 8
  br label %leaving
leaving:
  store atomic i64 0, ptr @ag_busy release, align 8
  ret void
alone:
  call void %body(ptr %registers, i64 0, i64 %units)
  ret void
}

define internal void @ag_claim() noinline {
entry:
  %body = load ptr, ptr @ag_body
  %registers = load ptr, ptr @ag_registers
  %units = load i64, ptr @ag_units
  %pieces = load atomic i64, ptr @ag_pieces monotonic, align 8
  br label %claiming
claiming:
  %piece = atomicrmw add ptr @ag_next, i64 1 monotonic
  %exists = icmp slt i64 %piece, %pieces
  br i1 %exists, label %running, label %done
running:
  %after = add i64 %piece, 1
  %before_begin = mul i64 %units, %piece
  %before_end = mul i64 %units, %after
  %begin = udiv i64 %before_begin, %pieces
  %end = udiv i64 %before_end, %pieces
  call void %body(ptr %registers, i64 %begin, i64 %end)
  br label %claiming
done:
  ret void
}

define void @ag_help() {
entry:
  br label %free
free:
  %f1 = atomicrmw add ptr @ag_looking, i64 1 monotonic
  br label %looking
looking:
  %look = phi i64 [0, %free], [%next_look, %pausing]
  %seen_next = load atomic i64, ptr @ag_next monotonic, align 8
  %seen_pieces = load atomic i64, ptr @ag_pieces monotonic, align 8
  %is_open = icmp slt i64 %seen_next, %seen_pieces
  br i1 %is_open, label %locking, label %pausing
pausing:
  CALL_PAUSE
  %next_look = add i64 %look, 1
  %patient = icmp slt i64 %next_look, LOOKS
  br i1 %patient, label %looking, label %locking
locking:
  %f2 = atomicrmw sub ptr @ag_looking, i64 1 monotonic
  %l1 = call i32 @pthread_mutex_lock(ptr @ag_mutex)
  br label %deciding
deciding:
  %open = load atomic i64, ptr @ag_open monotonic, align 8
  %closed = icmp eq i64 %open, 0
  %room = load i64, ptr @ag_room
  %active = load atomic i64, ptr @ag_active monotonic, align 8
  %with_me = add i64 %active, 1
  %full = icmp sge i64 %with_me, %room
  %next = load atomic i64, ptr @ag_next monotonic, align 8
  %pieces = load atomic i64, ptr @ag_pieces monotonic, align 8
  %gone = icmp sge i64 %next, %pieces
  %no_room = or i1 %full, %gone
  %rests = or i1 %closed, %no_room
  br i1 %rests, label %resting, label %entering
resting:
  %w1 = call i32 @pthread_cond_wait(ptr @ag_wake, ptr @ag_mutex)
  br label %deciding
entering:
  store atomic i64 %with_me, ptr @ag_active monotonic, align 8
  %u1 = call i32 @pthread_mutex_unlock(ptr @ag_mutex)
  call void @ag_claim()
  %l2 = call i32 @pthread_mutex_lock(ptr @ag_mutex)
  %now = load atomic i64, ptr @ag_active monotonic, align 8
  %fewer = sub i64 %now, 1
  store atomic i64 %fewer, ptr @ag_active release, align 8
  %last = icmp eq i64 %fewer, 0
  br i1 %last, label %telling, label %left
telling:
  %s1 = call i32 @pthread_cond_signal(ptr @ag_done)
  br label %left
left:
  %u2 = call i32 @pthread_mutex_unlock(ptr @ag_mutex)
  br label %free
}
"""

HINT = ("llvm.aarch64.hint(i32)", "i32 1")
PAUSES = {"x86_64": ("llvm.x86.sse2.pause()", ""), "aarch64": HINT, "arm64": HINT}
CONSTANTS = {
    "OLDEST_LOOK": 2_000_000,  # nanoseconds, as the others
    "WORTH_WAKING": 80_000,  # of work: below, only helpers that are awake are asked
    "PIECE_WORK": 8_000,
    "NORMAL_WAIT": 20_000,
    "WATCHED_EVERY": 20_000_000,
    "LOOKS": 1000,  # some tens of microseconds: then a helper sleeps
    "CLOCK": getattr(time, "CLOCK_MONOTONIC", 0),
}


def pool_text(architecture: str) -> str:
    """The module for a processor of this architecture."""
    signature, arguments = PAUSES.get(architecture, ("", ""))
    declaration = f"declare void @{signature}" if signature else ""
    call = f"call void @{signature.partition('(')[0]}({arguments})" if signature else ""
    text = MODULE.replace("DECLARE_PAUSE", declaration).replace("CALL_PAUSE", call)
    for name, value in CONSTANTS.items():
        text = text.replace(name, str(value))
    return text

"""Trips of a counted loop that do not depend on each other run side by side, one in each lane of vector registers.

    for i in range(n):                      for i in range(0, n, 16), for 16 trips at once:
        x = guess(a[i])                         x = guess(a[i : i + 16])
        while abs(f(x)) > tolerance:            while any lane's abs(f(x)) > tolerance:
            x = x - f(x) / slope(x)                 x = x - f(x) / slope(x) in these lanes
        out[i] = x                              out[i : i + 16] = x

LLVM vectorises innermost loops, and only those whose trips do not wait for each other; here the loop around one that waits is taken.
`choice` says which loops may (`kernels.trips`: whose trips are independent) and `cost` whether that is faster, `divergence` which numbers
differ between lanes; `loops` emits the loop, and its trips one by one where a lane fails. `jam` and `jammed` turn loops inside out. The
rest are the rules of operations on lanes.
"""

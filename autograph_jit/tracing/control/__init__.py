"""Control flow on stand-ins: branches, loops, iteration, generators, handlers."""

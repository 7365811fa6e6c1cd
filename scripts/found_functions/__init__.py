"""Functions that nobody wrote for the compiler: calls recorded while their own tests and examples run, made again plain and compiled."""

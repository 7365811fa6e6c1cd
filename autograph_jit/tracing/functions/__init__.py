"""Functions of the program as values: what they capture, recursion, their way into the hands of Python."""

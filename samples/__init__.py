"""Programs a user would run: plain NumPy functions that know nothing of the compiler, each with an `example(size)`."""

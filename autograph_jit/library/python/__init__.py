"""Python's builtins and standard library on stand-ins."""

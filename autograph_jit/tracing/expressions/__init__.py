"""Expressions on stand-ins: operators, comparisons, attributes and subscripts, calls, names, text."""

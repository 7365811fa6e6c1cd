"""Elementary functions as branch-free expressions, for array loops."""

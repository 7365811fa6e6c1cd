"""What a variable holds where paths of control flow meet."""

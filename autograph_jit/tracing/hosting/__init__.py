"""Operations that run in Python on the real values, in the middle of compiled code."""

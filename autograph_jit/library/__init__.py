"""What calls mean: functions of Python's library, NumPy, SciPy and this package itself, on abstract values."""

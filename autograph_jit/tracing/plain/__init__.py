"""The meaning that Python gives to each operator of converted code, outside a trace."""

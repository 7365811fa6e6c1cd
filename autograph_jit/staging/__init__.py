"""What converted code calls: the Python meaning of each operator, and its meaning on stand-in values that record a graph."""

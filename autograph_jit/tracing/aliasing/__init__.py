"""What is one object and what is written: the journal of places, joined containers, what escapes to the host."""

"""The forward sweep with saved values and the reverse sweep over them, by kind of operation."""

"""What a trace reads from outside."""

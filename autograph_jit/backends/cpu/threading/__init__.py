"""Loop nests that threads share."""

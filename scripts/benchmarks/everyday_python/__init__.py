"""Programs of everyday Python, as people write them, and the suite that calls each in a process of its own."""

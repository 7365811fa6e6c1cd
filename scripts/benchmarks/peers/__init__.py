"""Other libraries that run the same programs, each in a process and an environment of its own."""

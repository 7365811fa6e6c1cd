"""Passes over graphs: each is one short file that says what it turns into what; `pipeline` lists them in order."""

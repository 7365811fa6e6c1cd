"""Array programs of 20 to 60 lines, as scientists write them: what their first calls cost."""

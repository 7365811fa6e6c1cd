"""Hash tables of compiled code: their functions, one set for each form of key, and the rules that call them."""

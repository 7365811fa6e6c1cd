"""Forward mode: tangents beside values, products with the Jacobian."""

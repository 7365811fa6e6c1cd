"""`GradientTape`, eagerly and in compiled code."""

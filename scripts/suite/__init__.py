"""What the test suite covers and costs: the quick tier is chosen by it, mutations are tried against it."""

"""Memory of reverse sweeps: budgets, segments of loops, running segments again."""

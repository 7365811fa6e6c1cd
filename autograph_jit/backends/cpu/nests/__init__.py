"""Loop nests over rectangular domains: elementwise operations and assignments."""

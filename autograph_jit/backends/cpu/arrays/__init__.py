"""Memory, views, slices, gathers, masks, lists."""

"""Lists, dicts and the containers of the caller's world in a trace."""

"""What functions of this package mean in converted code: control flow as calls, scopes."""

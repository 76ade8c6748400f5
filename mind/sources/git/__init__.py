"""Git access."""

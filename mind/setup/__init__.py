"""Setting Mind up in a repository, taking it away, and examining it."""

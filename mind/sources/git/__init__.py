"""Questions to git, and its answers."""

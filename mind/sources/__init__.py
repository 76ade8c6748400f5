"""Memory outside of ``.mind/``: comments in the source, and commit messages."""

MARK = "MEMORY:"

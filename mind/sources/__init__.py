"""Memory outside of ``.mind/``: source comments, commit messages, and other tools' stores."""

MARK = "MEMORY:"

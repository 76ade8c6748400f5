"""Installation and removal of Mind in a repository, and checks of both."""

"""Registration of Mind's server with clients: the files they read, edited in place."""

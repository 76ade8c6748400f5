"""Resources of the HTTP API: the application includes each ``Resource`` of each module."""

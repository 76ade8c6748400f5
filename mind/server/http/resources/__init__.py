"""Resources of the HTTP API: each module has a ``resource`` that the application includes."""

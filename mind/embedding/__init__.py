"""Vectors of texts: models on disk, and the backends that run them."""

"""The formats of Mind's own files: bytes in, bytes out."""

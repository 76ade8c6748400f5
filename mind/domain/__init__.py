"""Basic types of the whole program: entries, settings, errors. Only settings read files."""

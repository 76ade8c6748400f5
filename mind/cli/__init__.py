"""The command line: each command parses, calls `Memory`, and prints."""

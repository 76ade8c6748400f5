"""Mutation testing of the code that writes: run by hand with `make mutation`."""

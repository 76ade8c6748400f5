"""The real clients that the tests drive."""

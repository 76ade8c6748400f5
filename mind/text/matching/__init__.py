"""Recognises a rejected approach when it is about to return."""

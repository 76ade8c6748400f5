"""Detect that a rejected approach is about to be used again."""

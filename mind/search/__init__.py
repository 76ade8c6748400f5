"""Searching: the query, the candidates, the order of the hits. It only reads."""

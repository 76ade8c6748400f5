"""Search: query parsing, candidates and ranking. Read-only."""

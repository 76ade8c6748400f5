"""A memory that is shared through git: how its files merge, and what git runs.

``installing`` says what ``mind init`` changes for it; ``driver`` is what git calls, and imports
nothing of that: a merge starts it three times.
"""

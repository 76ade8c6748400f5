"""Reading a project's files so that a session is told only what it does not have yet.

The first answer is the file; later ones are what changed since. No answer has more characters than
the file. What a session was given is kept below ``.mind/cache/reads/``: delete it at any time, and
files are given whole again.

``giving`` reads for a session, ``changes`` tells what changed and applies it; a hook loads only
``forgetting``.
"""

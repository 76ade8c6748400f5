"""Reading project files so that a session receives only what it does not have yet.

The first answer is the file; later ones are its changes. No answer is longer than the file. What a
session has received is stored in ``.mind/cache/reads/``, which can be deleted at any time; files
are then returned in full again.

``giving`` reads for a session, ``changes`` computes changes; a hook loads only
``forgetting``.
"""

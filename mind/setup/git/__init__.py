"""Git integration of a memory: its merge driver and hooks.

``installing`` makes the changes of ``mind init``. ``driver`` is run by git and imports nothing of
that, as a merge starts it three times.
"""

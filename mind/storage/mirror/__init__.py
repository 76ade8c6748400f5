"""The mirror: entries of many projects and machines in one PostgreSQL, to be searched as one.

The files stay the memory. What changed is queued in the index (:mod:`mind.storage.index.outbox`),
sent when there is time, and can be compared with the files at any time; nothing ever waits for it.
Nothing else in Mind speaks to PostgreSQL.
"""

"""Mirror: entries of many projects and machines in one PostgreSQL database, for joint search.

The files remain authoritative. Changes are queued in the index (:mod:`mind.storage.index.outbox`),
sent in the background, and can be compared with the files at any time; no operation waits for them.
Only this package accesses PostgreSQL.
"""

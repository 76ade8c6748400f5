"""Everything that touches a disk or a database."""

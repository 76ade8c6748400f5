"""How agents find Mind's server: the files their clients read, edited in place."""

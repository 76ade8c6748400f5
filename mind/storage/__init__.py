"""Storage: all access to disks and databases."""

"""The values everything else is made of: entries, settings, errors. It reads and writes nothing."""

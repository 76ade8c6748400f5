"""The tests: what a user would see, on real files, repositories, processes and clients."""

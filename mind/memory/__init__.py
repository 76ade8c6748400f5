"""The use cases of a memory, and `Memory`, through which adapters call them."""

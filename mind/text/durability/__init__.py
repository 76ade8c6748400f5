"""Whether a text will still be true in a week, and whether it is about a person."""

from mind.text.durability.person import about_user
from mind.text.durability.transience import Marker, transient

__all__ = ["Marker", "about_user", "transient"]

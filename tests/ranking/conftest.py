"""Notes that link to each other, under an engine."""

from tests.links.conftest import place

__all__ = ["place"]

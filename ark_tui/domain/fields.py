"""Annotations that control the JSON form of domain objects' fields.

For example, `score: Annotated[float, Key("evidence")]` sets another key. The class variable `also` lists
properties to include.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a field in JSON."""

    name: str


@dataclass(frozen=True, slots=True)
class Of:
    """Replace the object by one of its attributes."""

    attribute: str


@dataclass(frozen=True, slots=True)
class Some:
    """Merge only these attributes of the object into the parent; none if it is None."""

    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """Convert each tuple to an object with these keys, in tuple order."""

    names: tuple[str, ...]


class As(Enum):
    """How a field appears in JSON."""

    FLAT = "the fields of the object stand beside the others"
    HIDDEN = "not at all"
    SPARSE = "not at all while it is empty"
    NULL = "null while it is empty"
    TEXT = "a string"

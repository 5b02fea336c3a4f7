"""How a field of a domain object stands in JSON where it does not stand under its name as it is.

`score: Annotated[float, Key("evidence")]` gives it another key. A class variable `also` names the
properties that join the fields.
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
    """Not the object, but this attribute of it."""

    attribute: str


@dataclass(frozen=True, slots=True)
class Some:
    """Of an object, these attributes alone stand beside the other fields; none of them where it is None."""

    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """Of tuples: an object with these keys, in the order of the tuple."""

    names: tuple[str, ...]


class As(Enum):
    """In which way a field stands in JSON."""

    FLAT = "the fields of the object stand beside the others"
    HIDDEN = "not at all"
    SPARSE = "not at all while it is empty"
    NULL = "null while it is empty"
    TEXT = "a string"

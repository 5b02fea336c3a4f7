"""From bytes to text, or why there is none."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import NamedTuple

STRAY = "\ufffd"  # stands for bytes that are no character
MOSTLY = 0.1  # share of characters that may be unreadable in what is still called text

_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


class Unreadable(ValueError):
    """Bytes that are no text; the message says what they are."""


class Decoded(NamedTuple):
    """A text, and what was odd about its bytes."""

    text: str
    notice: str = ""


def is_binary(data: bytes) -> bool:
    """Whether there are NUL bytes where no text has them."""
    return b"\0" in data and not data.startswith(tuple(mark for mark, _ in _UTF16))


def decode(data: bytes, declared: str = "") -> Decoded:
    """UTF-8, or UTF-16 with a byte order mark, or else what the file itself declares.

    The mark is taken off. Stray bytes become U+FFFD, with a notice. Raises `Unreadable` for `binary` data
    and for an `empty` file.
    """
    if is_binary(data):
        raise Unreadable("binary")
    encoding = next((name for mark, name in _UTF16 if data.startswith(mark)), "utf-8-sig")
    text, notice = _text(data, encoding, declared)
    if len(_UNREADABLE.findall(text)) > MOSTLY * len(text):
        raise Unreadable("binary")
    if not text.strip():
        raise Unreadable("empty")
    return Decoded(text, notice)


def storable(text: str) -> str:
    """Text without lone surrogates and NUL characters, which no file in UTF-8 has but escapes can name."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _text(data: bytes, encoding: str, declared: str) -> tuple[str, str]:
    with suppress(UnicodeDecodeError):
        return data.decode(encoding), ""
    with suppress(UnicodeDecodeError, LookupError):
        return storable(data.decode(declared or "utf-8")), ""
    text = storable(data.decode(encoding, "replace"))
    name = encoding.removesuffix("-sig").upper()
    return text, f"not valid {name}: {text.count(STRAY):,} × {STRAY} stands for what could not be read"

"""From bytes to text, or why there is none."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import NamedTuple

STRAY = "\ufffd"  # stands for bytes that are no character
MOSTLY = 0.1  # share of characters that may be unreadable in what is still called text

SAMPLE = 65_536  # bytes by which an encoding is guessed
FEW = 0.25  # share of letters beyond ASCII that Western texts stay below
WESTERN = frozenset(
    "äöüÄÖÜßéèêëàâáãåæçíìîïñóòôõøœúùûýÿÉÈÊËÀÂÁÃÅÆÇÍÌÎÏÑÓÒÔÕØŒÚÙÛ“”„‚‘’«»–—…°§€£©®·•¡¿ªº½¼\xa0\xad"
)
GUESSES = ["cp1251", "koi8_r", "cp1250", "cp1253", "cp1254", "cp932", "euc_jp", "gb18030", "big5", "cp949"]

_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


LOCKED = "encrypted: it needs a password"


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
    """UTF-8, or UTF-16 with a byte order mark, or what the file itself declares, or else what it seems to be.

    The mark is taken off. What is guessed is a notice; stray bytes become U+FFFD, with a notice. Raises
    `Unreadable` for `binary` data and for an `empty` file.
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


def _mostly(text: str) -> bool:
    """Whether a text is in UTF-8 but for some bytes: it has more signs of that than stray bytes."""
    stray = text.count(STRAY)
    return len(text) - len(text.encode("ascii", "ignore")) > 2 * stray


def _guessed(data: bytes) -> str:
    """The encoding of bytes that are no UTF-8: Western where that makes sense, else by charset-normalizer.

    That is right for Cyrillic, Greek and East Asian texts of some length, but takes Western ones for others.
    """
    sample = data[:SAMPLE]
    western = [char for char in sample.decode("cp1252", "replace") if not char.isascii()]
    if len(western) < FEW * len(sample) and WESTERN.issuperset(western):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=GUESSES).best()
    return best.encoding if best else ""


def storable(text: str) -> str:
    """Text without lone surrogates and NUL characters, which no file in UTF-8 has but escapes can name."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _text(data: bytes, encoding: str, declared: str) -> tuple[str, str]:
    with suppress(UnicodeDecodeError):
        return data.decode(encoding), ""
    with suppress(UnicodeDecodeError, LookupError):
        return storable(data.decode(declared or "utf-8")), ""
    text = storable(data.decode(encoding, "replace"))
    if not _mostly(text) and (guess := _guessed(data)):
        with suppress(UnicodeDecodeError):
            return storable(data.decode(guess)), f"not valid UTF-8: read as {guess}"
    name = encoding.removesuffix("-sig").upper()
    return text, f"not valid {name}: {text.count(STRAY):,} × {STRAY} stands for what could not be read"

"""Decoding of bytes to text, with encoding detection."""

from __future__ import annotations

import codecs
import re
import unicodedata
from contextlib import suppress
from typing import NamedTuple

STRAY = "\ufffd"  # replacement for undecodable bytes
MOSTLY = 0.1  # maximum share of unreadable characters in text

SAMPLE = 8_192  # bytes used to detect an encoding, from the first non-ASCII line on
_MARKS = "“”„‚‘’«»–—…°§€£©®·•¡¿ªº½¼\xa0\xad"
WESTERN = frozenset("äöüÄÖÜßéèêëàâáãåæçíìîïñóòôõøœúùûýÿÉÈÊËÀÂÁÃÅÆÇÍÌÎÏÑÓÒÔÕØŒÚÙÛ" + _MARKS)
CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýžäĺľŕô", "áéíóöőúüű", "ăâîşţ", "čćđšž")
"""Letters of Polish; Czech and Slovak; Hungarian; Romanian; Croatian and Slovene."""
EUROPEAN = (
    ("cp1252", WESTERN, 0.25),
    *(
        (encoding, frozenset(letters + letters.upper() + _MARKS), 0.45)
        for letters in CENTRAL
        for encoding in ("cp1250", "iso8859_2")
    ),
)
"""Encodings in the order tried: name, expected non-ASCII characters, their maximum share of the sample."""

_ESCAPING = ("utf-7", "utf7", "hz", "iso-2022", "iso2022")  # declared encodings that look like ASCII
_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_ISO_2022 = re.compile(rb"\x1b\$[@B].*?\x1b\([BJ]", re.DOTALL)  # Japanese with its escape sequences
_PAYLOAD = re.compile(r"(?<!\w)(data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*,)[^\s\"'<>()]{200,}", re.IGNORECASE)
_C1 = re.compile("[\x80-\x84\x86-\x9f]")  # C1 controls do not occur in text: wrong encoding
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")


LOCKED = "encrypted: it needs a password"


class Unreadable(ValueError):
    """Bytes without readable text; the message gives the reason."""


class Decoded(NamedTuple):
    """A decoded text, and a notice if decoding was not exact."""

    text: str
    notice: str = ""


def is_binary(data: bytes) -> bool:
    """Whether NUL bytes mark this as binary: neither UTF-16, nor UTF-8 with a few stray NUL bytes."""
    if b"\0" not in data or _wide(data[:SAMPLE]):
        return False
    head = data[:SAMPLE]
    return head.count(0) > MOSTLY * len(head) or bool(_CONTROL.search(head)) or not _is_utf8(head)


def _wide(head: bytes) -> str:
    """The UTF-16 variant of bytes, by byte order mark or because every other byte is NUL; else ""."""
    for mark, name in _UTF16:
        if head.startswith(mark):
            return name
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(head) % 2 or not (even or odd) or (even and odd):
        return ""
    name = "utf-16-le" if odd else "utf-16-be"
    return (
        name if max(even, odd) > len(head) / 4 or (not _is_utf8(head) and _is_plausible(head, name)) else ""
    )


def _is_utf8(head: bytes) -> bool:
    """Whether these bytes are valid UTF-8; the last character may be incomplete."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_plausible(head: bytes, encoding: str) -> bool:
    """Whether bytes decode without control or unassigned characters."""
    with suppress(UnicodeDecodeError):
        text = codecs.getincrementaldecoder(encoding)().decode(head)
        return all(unicodedata.category(char)[0] != "C" or char in "\t\n\r\f" for char in text)
    return False


def decode(data: bytes, declared: str = "") -> Decoded:
    """Decode bytes: UTF-8 or UTF-16, else the `declared` encoding, else a detected one.

    A byte order mark and NUL characters are removed; undecodable bytes become U+FFFD. A notice reports a
    detected encoding and whatever was dropped or replaced. Raises `Unreadable` (`binary` or `empty`).
    """
    if is_binary(data):
        raise Unreadable("binary")
    wide = _wide(data[:SAMPLE])
    encoding = wide or ("iso2022_jp" if _ISO_2022.search(data) else "utf-8-sig")
    text, notice = _text(data, encoding, declared)
    if len(_UNREADABLE.findall(text)) > MOSTLY * len(text):
        raise Unreadable("binary")
    if "\0" in text:
        dropped = f"{text.count(chr(0)):,} NUL characters dropped"
        text, notice = text.replace("\0", ""), "; ".join(filter(None, (notice, dropped)))
    if not text.strip():
        raise Unreadable("empty")
    return Decoded(text, notice)


def _mostly(text: str) -> bool:
    """Whether a text is UTF-8 with some bad bytes: valid non-ASCII characters outnumber the bad ones."""
    stray = text.count(STRAY)
    return len(text) - len(text.encode("ascii", "ignore")) > 2 * stray


def _detected(data: bytes) -> str:
    """Detect the encoding of bytes that are not UTF-8: a plausible European one, else by chardet.

    The sample starts at a line break, so that no multi-byte character is cut.
    """
    first = next((at for at, byte in enumerate(data) if byte > 0x7F), 0)
    start = data.rfind(b"\n", 0, first) + 1
    sample = data[start : start + SAMPLE]
    for encoding, letters, most in EUROPEAN:
        found = [char for char in sample.decode(encoding, "replace") if not char.isascii()]
        if len(found) < most * len(sample) and letters.issuperset(found):
            return encoding
    import chardet

    name = chardet.detect(sample)["encoding"] or "latin-1"
    return "" if _C1.search(sample.decode(name, "ignore")) else name


def without_payload(decoded: Decoded) -> Decoded:
    """Remove the payload of `data:` URLs; the notice gives the number and size."""
    if "data:" not in decoded.text:
        return decoded
    text, count = _PAYLOAD.subn(r"\1…", decoded.text)
    if not count:
        return decoded
    size = (len(decoded.text) - len(text)) / 1000
    dropped = f"{count:,} embedded data: {'address' if count == 1 else 'addresses'} left out ({size:,.0f} kB)"
    return Decoded(text, "; ".join(filter(None, (decoded.notice, dropped))))


def storable(text: str) -> str:
    """Replace lone surrogates and NUL characters, which escape sequences can produce."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _text(data: bytes, encoding: str, declared: str) -> tuple[str, str]:
    escaping = declared if declared.lower().startswith(_ESCAPING) else ""
    for known in filter(None, (escaping, encoding, declared)):
        with suppress(UnicodeDecodeError, LookupError):
            found = data.decode(known)
            return found if known is encoding else _whole(found), ""
    text = _whole(data.decode(encoding, "replace"))
    if not _mostly(text) and (found := _detected(data)):
        with suppress(UnicodeDecodeError, LookupError):
            return _whole(data.decode(found)), f"not valid UTF-8: read as {found.lower()}"
    name = encoding.removesuffix("-sig").upper()
    return text, f"not valid {name}: {text.count(STRAY):,} × {STRAY} marks bytes that could not be read"


def _whole(text: str) -> str:
    """Replace lone surrogates."""
    return text.encode("utf-8", "replace").decode()

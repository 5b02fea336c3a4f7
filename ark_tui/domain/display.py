"""Sanitize document text for display.

Control characters can command a terminal, and characters that reorder or hide text can mislead readers. Each
one is replaced by one visible character, so that offsets stay valid.
"""

from __future__ import annotations

import re

REORDERING = "\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates of the bidirectional algorithm; its plain marks are harmless."""

HIDDEN = "\u2028\u2029\ufff9-\ufffb\U000e0000-\U000e007f\u200b\u2060-\u2064\u206a-\u206f\ufeff\u180e"
"""Line separators, annotation characters, tags and zero-width characters."""

JOINERS = "(?<=[!-~])[\u200c\u200d](?=[!-~])"
"""Joiners between ASCII characters, which only disguise words; other scripts and emoji need them."""

SURROGATES = "\ud800-\udfff"
"""Surrogates, from file names that are not UTF-8; they cannot be encoded."""

_HARMFUL = re.compile(
    rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{REORDERING}{HIDDEN}{SURROGATES}]|\r(?!\n)|{JOINERS}"
)
_BREAKS = re.compile(r"[\t\r\n]")

_DELETE = 0x7F
_PICTURES = 0x2400  # ␀, the first of the pictures of the 32 control characters
_PICTURE_OF_DELETE = "␡"
_DIRECTION = "↔"
_UNKNOWN = "\ufffd"


def visible(text: str) -> str:
    r"""Replace every harmful character by one visible character; the length stays the same.

    Line feeds, tabs and the `\r` of a `\r\n` are kept.
    """
    return _HARMFUL.sub(_stand_in, text)


def visible_line(text: str) -> str:
    """Like `visible`, but line breaks and tabs become spaces. For titles, paths and the like."""
    return _BREAKS.sub(" ", visible(text))


def address(text: str, reserved: str = "") -> str:
    """Encode a URL for a terminal hyperlink (OSC 8): printable ASCII, everything else percent-encoded.

    `reserved`: further characters to encode, such as `#` in a path.
    """
    signs = map(chr, text.encode("utf-8", "replace"))
    return "".join(s if "!" <= s <= "~" and s not in reserved else f"%{ord(s):02X}" for s in signs)


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return _PICTURE_OF_DELETE
    return _DIRECTION if 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 else _UNKNOWN

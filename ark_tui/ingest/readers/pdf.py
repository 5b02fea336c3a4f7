"""PDF by PDFium: its pages, in the order of their text, below the titles of its outline (requirement I8)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pypdfium2

from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers.content import Content, Text

_JOINED = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
_LIGATURES = str.maketrans(dict(zip(_JOINED, ["ff", "fi", "fl", "ffi", "ffl", "st", "st"], strict=True)))
_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:[-\u00ad\u2010]\r?\n|[\x02\ufffe](?:\r?\n)?)(?=[^\W\d_A-Z])")
_MADE = re.compile(r"^(?:microsoft \w+ - |untitled|unknown)|\.(?:docx?|tex|indd|dvi|pptx?)$", re.IGNORECASE)


def read(data: bytes) -> Iterator[Content]:
    """One text; a page is a place."""
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise Unreadable("encrypted: it needs a password" if locked else f"damaged: {error}") from error
    titles = _titles(pdf)
    text, empty = Text(), []
    for number, page in enumerate(pdf):
        for level, title in titles.get(number, ()):
            text.place(title, level)
        text.place(f"p. {number + 1}")
        said = mended(page.get_textpage().get_text_bounded())
        text.say(said)
        if not said.strip():
            empty.append(number + 1)
    if len(empty) == len(pdf):
        raise Unreadable(f"no text in its pages ({len(pdf)}): scanned, or drawn")
    about = pdf.get_metadata_dict(skip_empty=True)
    title = about.get("Title", "").strip()
    yield text.content(
        title="" if _MADE.search(title) else title,
        date=_day(about.get("CreationDate", "")),
        fields=tuple((key.lower(), about[key]) for key in ("Author", "Subject", "Keywords") if key in about),
        notices=(f"no text on {len(empty)} of its {len(pdf)} pages: p. {empty[0]} …",) if empty else (),
    )


def mended(text: str) -> str:
    """Text with its ligatures taken apart, and words together that were parted at the end of a line."""
    return (
        _HYPHEN.sub("", text.translate(_LIGATURES))
        .replace("\r\n", "\n")
        .replace("\ufffe", "-")
        .replace("\x02", "-")
    )


def _titles(pdf: pypdfium2.PdfDocument) -> dict[int, list[tuple[int, str]]]:
    """The titles of the outline with their levels, from 1, by the page that they lead to."""
    found: dict[int, list[tuple[int, str]]] = {}
    for mark in pdf.get_toc(max_depth=6):
        target = mark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            found.setdefault(page, []).append((mark.level + 1, " ".join(mark.get_title().split())))
    return found


def _day(written: str) -> str:
    """`D:20260314…` as a date."""
    digits = written.removeprefix("D:")[:8]
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 and digits.isdecimal() else ""

"""PDF by PDFium: its pages, in the order of their text, below the titles of its outline (requirement I8)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from shutil import which
from typing import Any

import pypdfium2
from pypdfium2 import raw

from ark_tui.domain.wording import counted
from ark_tui.ingest.decode import LOCKED, Unreadable
from ark_tui.ingest.readers import DRAWN, UNSEEN
from ark_tui.ingest.readers.content import Content, Text
from ark_tui.ingest.readers.ocr import Ocr

_JOINED = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
_LIGATURES = str.maketrans(dict(zip(_JOINED, ["ff", "fi", "fl", "ffi", "ffl", "st", "st"], strict=True)))
_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:[-\u00ad\u2010]\r?\n|[\x02\ufffe](?:\r?\n)?)(?=[^\W\d_A-Z])")
_MADE = re.compile(r"^(?:microsoft \w+ - |untitled|unknown)|\.(?:docx?|tex|indd|dvi|pptx?)$", re.IGNORECASE)

WIDE = 0.6  # share of the width of a page's text that a line of a column is narrower than
TURNS = 5  # from column to column, for each column, of a page that was written across them
PROSE = 4  # words that a line of it has at least, on average


def read(data: bytes) -> Iterator[Content]:
    """One text; a page is a place."""
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise Unreadable(LOCKED if locked else f"damaged: {error}") from error
    titles = _titles(pdf)
    text, empty, ocr = Text(), list[int](), Ocr()
    for number, page in enumerate(pdf):
        for level, title in titles.get(number, ()):
            text.place(title, level)
        text.place(f"p. {number + 1}")
        said = mended(_in_order(page.get_textpage()))
        said = said if said.strip() else mended(ocr.text(page, number + 1))
        text.say(said)
        text.say("\n".join(_remarks(page)))
        if not said.strip():
            empty.append(number + 1)
    if len(empty) == len(pdf):
        raise Unreadable(f"no text in its pages ({len(pdf)}): {DRAWN if which('tesseract') else UNSEEN}")
    about = pdf.get_metadata_dict(skip_empty=True)
    title = about.get("Title", "").strip()
    yield text.content(
        title="" if _MADE.search(title) else title,
        date=_day(about.get("CreationDate", "")),
        fields=tuple((key.lower(), about[key]) for key in ("Author", "Subject", "Keywords") if key in about),
        notices=tuple(_notices(empty, ocr.pages, len(pdf))),
    )


def _remarks(page: pypdfium2.PdfPage) -> Iterator[str]:
    """What is filled into the forms of a page, and the remarks that readers wrote on it, each once."""
    seen: set[str] = set()
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        form = raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET
        words = _string(annotation, b"V" if form else b"Contents").strip()
        raw.FPDFPage_CloseAnnot(annotation)
        if words and words not in seen and not (form and words == "Off"):
            seen.add(words)
            yield words


def _string(annotation: Any, key: bytes) -> str:
    """A text that an annotation has under a key, or ""."""
    size = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = (ctypes.c_ushort * (size // 2))()
    raw.FPDFAnnot_GetStringValue(annotation, key, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _notices(empty: Sequence[int], pictures: Sequence[int], pages: int) -> Iterator[str]:
    """What is to be said of pages without text, and of those whose text was read from pictures."""
    for found, said in ((empty, "no text on"), (pictures, "text of pictures, by OCR, on")):
        if found:
            more = " …" if len(found) > 1 else ""
            yield f"{said} {len(found)} of its {counted(pages, 'page')}: p. {found[0]}{more}"


def mended(text: str) -> str:
    """Text with its ligatures taken apart, and words together that were parted at the end of a line."""
    return (
        _HYPHEN.sub("", text.translate(_LIGATURES))
        .replace("\r\n", "\n")
        .replace("\ufffe", "-")
        .replace("\x02", "-")
    )


def _in_order(page: pypdfium2.PdfTextpage) -> str:
    """The text of a page as it was written; of one that was written across its columns, column by column.

    These are stretches from left to right that no line reaches across, but for those that are wide (titles).
    They hold prose: a table, whose cells are short, is left by rows.
    """
    lines = [page.get_rect(number) for number in range(page.count_rects())]
    width = max((line[2] for line in lines), default=0) - min((line[0] for line in lines), default=0)
    narrow = [line for line in lines if line[2] - line[0] < WIDE * width]
    columns = _merged((line[0], line[2]) for line in narrow)
    of = [next(n for n, (_, right) in enumerate(columns) if line[0] <= right) for line in narrow]
    turns = sum(one != other for one, other in pairwise(of))
    across = turns > len(columns) * TURNS and turns * 2 > len(of)
    whole: str = page.get_text_bounded()
    words = sorted(whole.split())
    if not across or len(words) < PROSE * len(lines):
        return whole
    wide = _merged((line[1], line[3]) for line in lines if line not in narrow)[::-1]
    top = max(line[3] for line in lines) + 1
    said: list[str] = []
    for bottom, upper in [*wide, (0.0, 0.0)]:
        said += [page.get_text_bounded(left - 1, upper, right + 1, top) for left, right in columns]
        said.append(page.get_text_bounded(bottom=bottom, top=upper) if upper else "")
        top = bottom
    found = "\n".join(filter(None, said))
    return found if sorted(found.split()) == words else whole  # nothing is lost


def _merged(stretches: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Stretches in their order, those that overlap as one."""
    found: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


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

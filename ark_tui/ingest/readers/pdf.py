"""PDF by PDFium: its pages, in the order of their text, below the titles of its outline (requirement I8)."""

from __future__ import annotations

import ctypes
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from shutil import which
from typing import Any

import pypdfium2
from pypdfium2 import raw

from ark_tui.domain import children
from ark_tui.domain.wording import counted
from ark_tui.ingest.decode import LOCKED, Unreadable
from ark_tui.ingest.readers import DRAWN, UNSEEN
from ark_tui.ingest.readers.content import Content, Text

_JOINED = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
_LIGATURES = str.maketrans(dict(zip(_JOINED, ["ff", "fi", "fl", "ffi", "ffl", "st", "st"], strict=True)))
_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:[-\u00ad\u2010]\r?\n|[\x02\ufffe](?:\r?\n)?)(?=[^\W\d_A-Z])")
_MADE = re.compile(r"^(?:microsoft \w+ - |untitled|unknown)|\.(?:docx?|tex|indd|dvi|pptx?)$", re.IGNORECASE)

NO_TEXT, BY_OCR = "no text on", "text of pictures, by OCR, on"
UNDECODED = "most of the text cannot be read, since its font is not in the file, on"
LITTLE = 500  # characters of a page below which its fonts are looked at

DPI = 200  # that a page is drawn with; tesseract's manual has 300 for small print, at twice the time
PIXELS = 20_000_000  # of a page that is drawn
SECONDS = 15.0  # for one page
BUDGET = 30.0  # seconds, after which no other page of a file is begun
LANGUAGES = 4  # of those that are installed, by name; each takes its time

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
    text, empty, unread, ocr = Text(), list[int](), list[int](), Ocr()
    for number, page in enumerate(pdf):
        for level, title in titles.get(number, ()):
            text.place(title, level)
        text.place(f"p. {number + 1}")
        words = mended(_in_order(page.get_textpage()))
        undecoded = _is_undecoded(page, words)
        if undecoded or not words.strip():
            drawn = mended(ocr.text(page, number + 1))
            unread += [number + 1] if undecoded and not drawn.strip() else []
            words = drawn if drawn.strip() else words
        remarks = "\n".join(_remarks(pdf, number, words))
        text.say(words)
        text.say(remarks)
        empty += [] if undecoded or words.strip() or remarks else [number + 1]
    if len(empty) == len(pdf):
        raise Unreadable(f"no text in its pages ({len(pdf)}): {DRAWN if which('tesseract') else UNSEEN}")
    about = pdf.get_metadata_dict(skip_empty=True)
    title = about.get("Title", "").strip()
    yield text.content(
        title="" if _MADE.search(title) else title,
        date=_day(about.get("CreationDate", "")),
        fields=tuple((key.lower(), about[key]) for key in ("Author", "Subject", "Keywords") if key in about),
        notices=tuple(_notices(len(pdf), {NO_TEXT: empty, UNDECODED: unread, BY_OCR: ocr.pages})),
    )


def _is_undecoded(page: pypdfium2.PdfPage, words: str) -> bool:
    """Whether most texts of a page with few words have no extent: their font is not there."""
    if len(words) > LITTLE or not words.strip():
        return False
    extents = [one.get_bounds() for one in page.get_objects([raw.FPDF_PAGEOBJ_TEXT])]
    flat = [left for left, bottom, right, top in extents if right <= left or top <= bottom]
    return len(flat) * 2 > len(extents)


def _remarks(pdf: pypdfium2.PdfDocument, number: int, words: str) -> Iterator[str]:
    """What is filled into the forms of a page, drawn over it, and remarked on it."""
    page = pdf[number]
    if not (stated := list(_annotations(page))):
        return
    if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
        shown = mended(pdf[number].get_textpage().get_text_bounded())
        known = Counter(words.split())
        known.subtract(shown.split())
        stated = [" ".join(word for word in shown.split() if known[word] < 0), *stated]
    seen = words
    for one in stated:
        if one and one not in seen:
            seen += f"\n{one}"
            yield one


def _annotations(page: pypdfium2.PdfPage) -> Iterator[str]:
    """The value of each form field and the text of each remark; "" for one that only shows something."""
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        words = _string(annotation, b"V" if kind == raw.FPDF_ANNOT_WIDGET else b"Contents").strip()
        raw.FPDFPage_CloseAnnot(annotation)
        if kind != raw.FPDF_ANNOT_LINK:
            yield "" if words == "Off" else words


def _string(annotation: Any, key: bytes) -> str:
    """A text that an annotation has under a key, or ""."""
    size = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = (ctypes.c_ushort * (size // 2))()
    raw.FPDFAnnot_GetStringValue(annotation, key, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _notices(pages: int, found: dict[str, Sequence[int]]) -> Iterator[str]:
    """What was odd on some of the pages."""
    for what, numbers in found.items():
        if numbers:
            more = " …" if len(numbers) > 1 else ""
            yield f"{what} {len(numbers)} of its {counted(pages, 'page')}: p. {numbers[0]}{more}"


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


class Ocr:
    """Reads the pages of one file until its time is up."""

    def __init__(self) -> None:
        self._until = time.monotonic() + BUDGET
        self._languages = _languages()
        self.pages: list[int] = []  # that were read, from 1

    def text(self, page: pypdfium2.PdfPage, number: int) -> str:
        """What stands on a page; "" where tesseract is not there, finds nothing, or there is no time left."""
        if not self._languages or time.monotonic() > self._until:
            return ""
        width, height = page.get_size()
        if width * height * (DPI / 72) ** 2 > PIXELS:
            return ""
        drawn = page.render(scale=DPI / 72, grayscale=True)
        rows = (
            bytes(drawn.buffer[y * drawn.stride : y * drawn.stride + drawn.width])
            for y in range(drawn.height)
        )
        picture = b"P5 %d %d 255\n" % (drawn.width, drawn.height) + b"".join(rows)
        found = _run("stdout", "-l", self._languages, picture=picture)
        if found.strip():
            self.pages.append(number)
        return found.replace("\f", "")


@cache
def _languages() -> str:
    """The languages that tesseract has, as it takes them; "" where it is not installed."""
    found = _run(option="--list-langs").splitlines()[1:]
    return "+".join([name for name in found if name != "osd" and "/" not in name][:LANGUAGES])


def _run(*more: str, option: str = "stdin", picture: bytes = b"") -> str:
    program = which("tesseract")
    if program is None:
        return ""
    try:
        return children.run_program(
            [program, option, *more], input=picture, capture_output=True, timeout=SECONDS,
            env={"OMP_THREAD_LIMIT": "1"}, check=True,
        ).stdout.decode("utf-8", "replace")  # fmt: skip
    except (OSError, children.SubprocessError):
        return ""

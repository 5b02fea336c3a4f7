"""PDF, read with PDFium: pages in reading order, with outline titles as headings (requirement I8)."""

from __future__ import annotations

import ctypes
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from shutil import which
from typing import Any, NamedTuple

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
_PARTED = re.compile(r"(?:^\S{1,2}\r?\n){3}", re.MULTILINE)  # letters on separate lines
_MADE = re.compile(r"^(?:microsoft \w+ - |untitled|unknown)|\.(?:docx?|tex|indd|dvi|pptx?)$", re.IGNORECASE)

NO_TEXT, BY_OCR = "no text on", "text of pictures, by OCR, on"
UNDECODED = "most of the text cannot be read, since its font is not in the file, on"
LITTLE = 500  # characters of a page up to which its fonts are checked

DPI = 200  # rendering resolution; tesseract's manual suggests 300 for small print, which takes twice the time
PIXELS = 20_000_000  # maximum pixels of a rendered page
SECONDS = 15.0  # OCR timeout per page
BUDGET = 30.0  # seconds after which no further page of a file is started
LANGUAGES = 4  # maximum number of installed languages used; each adds time

BESIDE = 14  # maximum distance in points between letters of a word
TURN = 0.2  # maximum angle in radians between adjacent letters of a word
WIDE = 0.6  # share of the text width; narrower lines may belong to a column
TURNS = 5  # minimum switches between columns, per column, for text written across columns
PROSE = 4  # minimum mean words per line of prose


def read(data: bytes) -> Iterator[Content]:
    """Read one text; each page is a location heading."""
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
        words = joined(_upright(page.get_textpage()))
        undecoded = _is_undecoded(page, words)
        if undecoded or not words.strip():
            drawn = joined(ocr.text(page, number + 1))
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
    """Whether a page has little text and most text objects have no extent, because their font is missing."""
    if len(words) > LITTLE or not words.strip():
        return False
    extents = [one.get_bounds() for one in page.get_objects([raw.FPDF_PAGEOBJ_TEXT])]
    flat = [left for left, bottom, right, top in extents if right <= left or top <= bottom]
    return len(flat) * 2 > len(extents)


def _remarks(pdf: pypdfium2.PdfDocument, number: int, words: str) -> Iterator[str]:
    """Form values, annotation texts and comments of a page that are not in its text."""
    page = pdf[number]
    if not (stated := list(_annotations(page))):
        return
    if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
        shown = joined(pdf[number].get_textpage().get_text_bounded())
        known = Counter(words.split())
        known.subtract(shown.split())
        stated = [" ".join(word for word in shown.split() if known[word] < 0), *stated]
    seen = words
    for one in stated:
        if one and one not in seen:
            seen += f"\n{one}"
            yield one


def _annotations(page: pypdfium2.PdfPage) -> Iterator[str]:
    """The value of each form field and the text of each annotation except links; "" if it has none."""
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        words = _string(annotation, b"V" if kind == raw.FPDF_ANNOT_WIDGET else b"Contents").strip()
        raw.FPDFPage_CloseAnnot(annotation)
        if kind != raw.FPDF_ANNOT_LINK:
            yield "" if words == "Off" else words


def _string(annotation: Any, key: bytes) -> str:
    """The string value of an annotation's key, or ""."""
    size = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = (ctypes.c_ushort * (size // 2))()
    raw.FPDFAnnot_GetStringValue(annotation, key, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _notices(pages: int, found: dict[str, Sequence[int]]) -> Iterator[str]:
    """Notices with the number of affected pages."""
    for what, numbers in found.items():
        if numbers:
            more = " …" if len(numbers) > 1 else ""
            yield f"{what} {len(numbers)} of its {counted(pages, 'page')}: p. {numbers[0]}{more}"


def joined(text: str) -> str:
    """Expand ligatures and join words hyphenated at line ends."""
    return (
        _HYPHEN.sub("", text.translate(_LIGATURES))
        .replace("\r\n", "\n")
        .replace("\ufffe", "-")
        .replace("\x02", "-")
    )


def _upright(page: pypdfium2.PdfTextpage) -> str:
    """The text of a page in reading order. Letters of rotated words, which PDFium separates, are joined."""
    text = _in_order(page)
    if not _PARTED.search(text):
        return text
    parts: list[str] = []
    before, gap = _Drawn(0.0, 0.0, 0.0), ""
    for place in range(page.count_chars()):
        char = chr(raw.FPDFText_GetUnicode(page, place))
        if char.isspace():
            gap += char
            continue
        drawn = _Drawn.of(page, place)
        parts += ["" if "\n" in gap and drawn.follows(before) else gap, char]
        before, gap = drawn, ""
    return "".join(parts)


class _Drawn(NamedTuple):
    """Rotation of a character in radians, and its position in points."""

    angle: float
    x: float
    y: float

    @classmethod
    def of(cls, page: pypdfium2.PdfTextpage, place: int) -> _Drawn:
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(page, place, x, y)
        return cls(raw.FPDFText_GetCharAngle(page, place), x.value, y.value)

    def follows(self, before: _Drawn) -> bool:
        """Whether it has the rotation of the previous character and is next to it."""
        beside = abs(self.x - before.x) + abs(self.y - before.y) < BESIDE
        return beside and self.angle != 0 and abs(self.angle - before.angle) < TURN


def _in_order(page: pypdfium2.PdfTextpage) -> str:
    """The text of a page in the file's order; if that runs across columns, column by column.

    Columns are horizontal ranges that no line crosses, except wide lines (titles). Only prose is reordered:
    a table, whose cells are short, stays by rows.
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
    return found if sorted(found.split()) == words else whole  # only if no word is lost


def _merged(stretches: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Intervals in order, overlapping ones merged."""
    found: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _titles(pdf: pypdfium2.PdfDocument) -> dict[int, list[tuple[int, str]]]:
    """Outline entries (level from 1, title) by page index."""
    found: dict[int, list[tuple[int, str]]] = {}
    for mark in pdf.get_toc(max_depth=6):
        target = mark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            found.setdefault(page, []).append((mark.level + 1, " ".join(mark.get_title().split())))
    return found


def _day(written: str) -> str:
    """Convert `D:20260314…` to an ISO date."""
    digits = written.removeprefix("D:")[:8]
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 and digits.isdecimal() else ""


class Ocr:
    """OCR of the pages of one file within a time budget."""

    def __init__(self) -> None:
        self._until = time.monotonic() + BUDGET
        self._languages = _languages()
        self.pages: list[int] = []  # numbers of recognized pages, from 1

    def text(self, page: pypdfium2.PdfPage, number: int) -> str:
        """Recognize a page; "" if tesseract is missing or finds nothing, or beyond size and time limits."""
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
    """The installed tesseract languages in its own syntax; "" if it is not installed."""
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

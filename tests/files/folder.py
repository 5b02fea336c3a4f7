"""A folder of 200 files in 37 formats as people have them; each has a sentence of its own at a place.

Each is written in six ways: the sentence first, in the midst and last, behind much text, behind characters of
two and four bytes, and below many headings.
"""

from __future__ import annotations

import csv
import io
import json
import mailbox
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from tests.files import makers
from tests.files.makers import Sections

OFFICE = "application/vnd.openxmlformats-officedocument"
BIRDS = ("heron", "kestrel", "lapwing", "dipper", "bittern", "curlew")
SYLLABLES = (
    "bar", "dul", "fen", "gom", "hab", "jur", "kel", "lam", "mor", "nis", "pol", "ruv", "sut", "tev", "wix",
)  # fmt: skip
FILL = "The path goes on along the fence, and nobody has walked it since the rain came down."


@dataclass(frozen=True, slots=True)
class Planted:
    """A file; `place`: the heading of the chunk that has its sentence, `title`: of that document."""

    path: str
    data: bytes
    sentence: str
    place: str
    title: str = ""


def planted() -> Iterator[Planted]:
    """All of them."""
    for number, (suffix, make) in enumerate(FORMATS.items()):
        for variant, (before, after, filling) in enumerate(VARIANTS):
            bird = BIRDS[variant]
            sentence = f"The {bird} of {_name(6 * number + variant)} waits beside the frozen weir."
            heading = f"{bird} {variant}".capitalize()
            sections = [
                *((f"Before {n}", filling) for n in range(before)),
                (heading, sentence),
                *((f"After {n}", FILL) for n in range(after)),
            ]
            place, title = PLACE.get(suffix, "{title}"), TITLE.get(suffix, "")
            said = {"title": heading, "name": heading.lower().replace(" ", "_"), "n": before + 1}
            yield Planted(
                f"{suffix}/{'cur/' if suffix == 'maildir' else ''}{variant}.{SUFFIX.get(suffix, suffix)}",
                make(sections),
                sentence,
                place.format(**said),
                title.format(**said),
            )


def _name(number: int) -> str:
    """Of a village, two steps in each of three digits from the next."""
    steps = (number, number // 15 + 7 * number, 4 * number + 2)
    return "".join(SYLLABLES[step % 15] for step in steps).capitalize()


WIDE = "Zürich, Ærø 🐦 東京 — naïve Ωmega e\u0301 \U0001f468\u200d\U0001f33e."
VARIANTS = (
    (0, 2, FILL), (2, 2, FILL), (2, 0, FILL), (1, 1, " ".join([FILL] * 300)), (2, 1, WIDE), (24, 3, FILL),
)  # fmt: skip


def _lines(mark: Callable[[str, str], str], head: str = "", tail: str = "") -> Callable[[Sections], bytes]:
    """A format of headings and paragraphs: how one of them is written."""
    return lambda sections: (head + "".join(mark(*one) for one in sections) + tail).encode()


def _rows(delimiter: str) -> Callable[[Sections], bytes]:
    def make(sections: Sections) -> bytes:
        writer = csv.writer(out := io.StringIO(), delimiter=delimiter)
        writer.writerows([("note", "count"), *((body, n) for n, (_, body) in enumerate(sections))])
        return out.getvalue().encode()

    return make


def _cues(head: str, mark: str) -> Callable[[Sections], bytes]:
    def make(sections: Sections) -> bytes:
        times = [f"00:{n:02}:01{mark}000 --> 00:{n:02}:09{mark}000" for n in range(1, len(sections) + 1)]
        cues = "\n".join(f"{n}\n{time}\n{sections[n][1]}\n" for n, time in enumerate(times))
        return (head + cues).encode()

    return make


def _notebook(sections: Sections) -> bytes:
    cells: list[dict[str, Any]] = []
    for title, body in sections:
        cells += [
            {"cell_type": "code", "source": ["1 + 1"], "outputs": [], "metadata": {}},
            {"cell_type": "markdown", "source": [f"# {title}\n", "\n", body], "metadata": {}},
        ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _canvas(sections: Sections) -> bytes:
    cards = [
        {"id": str(n), "type": "text", "text": body, "x": 0, "y": 100 * n, "width": 9, "height": 9}
        for n, (_, body) in enumerate(sections)
    ]
    return json.dumps({"nodes": cards[::-1], "edges": []}).encode()


def _json(sections: Sections) -> bytes:
    return json.dumps({"notes": {title: {"text_of": body} for title, body in sections}}, indent=2).encode()


def _jsonl(sections: Sections) -> bytes:
    return "\n".join(json.dumps({"title": title, "text": body}) for title, body in sections).encode()


def _yaml(sections: Sections) -> bytes:
    parts = {"notes": {title: {"said": body} for title, body in sections}}
    return yaml.safe_dump(parts, allow_unicode=True, sort_keys=False, width=10**6).encode()


def _mail(sections: Sections) -> bytes:
    title = next(title for title, _ in sections if not title.startswith(("Before", "After")))
    return makers.message(title, "\n\n".join(body for _, body in sections)).as_bytes()


def _box(sections: Sections) -> bytes:
    with TemporaryDirectory() as folder:
        box = mailbox.mbox(file := Path(folder, "box"))
        for title, body in sections:
            box.add(makers.message(title, body))
        box.close()
        return file.read_bytes()


def _xlsx(sections: Sections) -> bytes:
    """By XlsxWriter, where that of the makers is by openpyxl."""
    import xlsxwriter

    with xlsxwriter.Workbook(out := io.BytesIO()) as book:
        for title, body in sections:
            book.add_worksheet(title).write_row(0, 0, [body, 3])
    return out.getvalue()


def _kind(data: bytes, kind: str) -> bytes:
    """A file of Office as one with macros, or a show: its main part is of another kind."""
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out := io.BytesIO(), "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "[Content_Types].xml":
                plain = rb"[\w./-]+\.(?:wordprocessingml\.document|presentationml\.presentation)(?=\.main)"
                part = re.sub(plain, kind.encode(), part)
            new.writestr(name, part)
    return out.getvalue()


def _pdf(sections: Sections) -> bytes:
    """Paragraphs in lines, laid out by reportlab's own typesetting, a section a page."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    style = getSampleStyleSheet()
    story: list[Any] = []
    for title, body in sections:
        latin = body.encode("latin-1", "ignore").decode("latin-1")
        story += [Paragraph(title, style["Heading1"]), Paragraph(latin, style["Normal"]), PageBreak()]
    SimpleDocTemplate(out := io.BytesIO(), pagesize=(600, 9000)).build(story)
    return out.getvalue()


def _code(head: str, body: str, tail: str) -> Callable[[Sections], bytes]:
    """Functions whose bodies have the texts in strings."""

    def name(title: str) -> str:
        return title.lower().replace(" ", "_")

    return _lines(lambda title, said: f'{head} {name(title)}(){body}"{said}"{tail}\n\n\n')


def _page(title: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2>\n<p>{escape(body)}</p>\n"


FORMATS: dict[str, Callable[[Sections], bytes]] = {
    "md": _lines(lambda title, body: f"## {title}\n\n{body}\n\n", "---\ntags: [a]\n---\n"),
    "qmd": _lines(lambda title, body: f"{title}\n-------\n\n> {body}\n\n"),
    "txt": _lines(lambda title, body: f"{title}\r\n\r\n{body}\r\n\r\n"),
    "html": _lines(_page, "<!doctype html><html><body>", "</body></html>"),
    "xhtml": _lines(_page, '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'),
    "org": _lines(lambda title, body: f"* {title}\n{body}\n"),
    "rst": _lines(lambda title, body: f"{title}\n{'=' * len(title)}\n\n{body}\n\n"),
    "adoc": _lines(lambda title, body: f"== {title}\n\n{body}\n\n"),
    "tex": _lines(lambda title, body: f"\\section{{{title}}}\n{body}\n\n", "\\documentclass{article}\n"),
    "ipynb": _notebook,
    "canvas": _canvas,
    "csv": _rows(","),
    "tsv": _rows("\t"),
    "srt": _cues("", ","),
    "vtt": _cues("WEBVTT\n\n", "."),
    "json": _json,
    "jsonl": _jsonl,
    "yaml": _yaml,
    "py": _code("def", ":\n    return ", ""),
    "js": _code("function", " {\n  return ", ";\n}"),
    "rs": _code("fn", " -> &'static str {\n    ", "\n}"),
    "go": _code("func", " string {\n\treturn ", "\n}"),
    "eml": _mail,
    "mbox": _box,
    "maildir": _mail,
    "pdf": _pdf,
    "docx": makers.docx,
    "docm": lambda sections: _kind(makers.docx(sections), "application/vnd.ms-word.document.macroEnabled"),
    "pptx": makers.pptx,
    "ppsx": lambda sections: _kind(makers.pptx(sections), f"{OFFICE}.presentationml.slideshow"),
    "xlsx": makers.xlsx,
    "xlsm": _xlsx,
    "ods": makers.ods,
    "odt": makers.odt,
    "odp": makers.odp,
    "epub": makers.epub,
    "rtf": makers.rtf,
}
SUFFIX = {"maildir": "M1P2.host:2,S"}
PLACE = {
    **dict.fromkeys(("txt", "jsonl", "rtf"), ""),
    **dict.fromkeys(("csv", "tsv"), "note, count"),
    **dict.fromkeys(("srt", "vtt"), "0:{n:02}"),
    **dict.fromkeys(("json", "yaml"), "notes › {title}"),
    **dict.fromkeys(("py", "js", "rs", "go"), "{name}"),
    "canvas": "card {n}",
    "pdf": "p. {n}",
    **dict.fromkeys(("pptx", "ppsx"), "slide {n} › {title}"),
    "xlsx": "sheet {title} › note, count",
    **dict.fromkeys(("xlsm", "ods"), "sheet {title}"),
    "odp": "slide {n}",
    "epub": "chapter {n} › {title}",
}
TITLE = dict.fromkeys(("eml", "mbox", "maildir", "jsonl"), "{title}")

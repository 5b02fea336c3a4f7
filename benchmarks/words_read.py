"""Compares the words of real files as they are indexed with those that a second, independent reader finds.

`python -m benchmarks.words_read FOLDER [--kind KIND]… [--low]`. FOLDER has a folder of files for each kind.
The second reader is poppler's `pdftotext` for PDF (by position or by stream, whichever is nearer), and for
the other kinds the standard library: the XML in an archive, html.parser, email, json, or the plain text. The
table gives the share of the words found, each counted as often as it occurs, over all files of a kind and in
the file with the least; files of fewer than 20 words, and those whose row reports what was not read, count in
the first only. `--low` names the files below the goal with words that they lack, and those that are not
indexed with the reason.
"""

from __future__ import annotations

import argparse
import email
import html
import json
import mailbox
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from zipfile import ZipFile

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.reading import Reading, remarks
from ark_tui.ingest.walk import Entry

GOAL = 0.95
LACKING = 12  # words that are named
FEWEST = 20  # words of a file whose share is told
LONGEST = 100  # characters of a word that is counted
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
DATA = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*,[^\s\"'<>()]{200,}")
UNSEEN = {"button", "head", "iframe", "noscript", "object", "script", "select", "style", "svg", "template"}
MENUS = {"nav", "header", "footer", "aside"}
PAGE = "application/xhtml+xml"
ATTRIBUTE = re.compile(r"""([\w:-]+)=["']([^"']*)["']""")
ROLES = {"banner", "contentinfo", "menu", "menubar", "navigation", "search"}
BREAKS = {
    "br",
    "div",
    "li",
    "p",
    "td",
    "th",
    "tr",
    "dt",
    "dd",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "pre",
    "option",
}
DELETED = {"del", "moveFrom", "Fallback", "instrText"}
PARAGRAPHS = {"p", "br", "tab", "ptab", "cr", "h", "line-break", "s"}
WORD_PARTS = re.compile(r"word/(?:document|header|footer|footnotes|endnotes|comments)\d*\.xml")
REPEATED = re.compile("header|footer")  # parts whose lines count once
SLIDE_PARTS = re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide|comments/comment)\d+\.xml")


@dataclass(frozen=True, slots=True)
class Compared:
    """A file: how many words the second reader finds, and which of them are not indexed."""

    kind: str
    name: str
    words: int
    lacking: Counter[str]
    reason: str = ""  # why it is not indexed
    reported: str = ""  # what its row says was not read

    @property
    def share(self) -> float:
        return 1 - self.lacking.total() / self.words if self.words else 1.0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.words_read", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", action="append", choices=SECOND, default=[])
    parser.add_argument("--low", action="store_true", help="name the files below the goal")
    asked = parser.parse_args(arguments)
    found = [
        compared(kind, file)
        for kind in asked.kind or SECOND
        for file in sorted((asked.folder / kind).glob("*"))
    ]
    print(table(found))
    low = list(filter(is_low, found))
    for one in sorted(low, key=lambda one: one.share) if asked.low else ():
        lacks = " ".join(f"{word}×{count}" for word, count in one.lacking.most_common(LACKING))
        print(f"{one.share:.3f} {one.words:,} {one.kind} {one.name}: {lacks}")
    for one in found if asked.low else ():
        if one.reason:
            print(f"{one.words:,} {one.kind} {one.name}: {one.reason}")
    return 1 if low else 0


def compared(kind: str, file: Path) -> Compared:
    """A file as the index reads it against the second reader of its kind."""
    data = file.read_bytes()
    drafts = Reading().read(Entry(file.name, len(data), 0, 1), data)
    reason = drafts.reason if isinstance(drafts, Problem) else ""
    try:
        found = SECOND[kind](file)
    except Exception as error:  # noqa: BLE001 - a file that only the first reader can read is no comparison
        return Compared(kind, file.name, 0, Counter(), reason or f"the second reader fails: {error!r}")
    first = Counter() if isinstance(drafts, Problem) else counted("\n".join(map(indexed, drafts)))
    texts = [found] if isinstance(found, str) else found
    second = min(map(counted, texts), key=lambda words: (words - first).total())
    reported = "" if isinstance(drafts, Problem) else remarks(drafts)
    return Compared(kind, file.name, second.total(), second - first, reason, reported)


def indexed(draft: Draft) -> str:
    """All that a search finds of a document."""
    values = [word for field in draft.fields for word in field]
    named = (
        draft.title,
        draft.type,
        draft.tier,
        draft.status,
        draft.source,
        draft.source_id,
        str(draft.date),
    )
    text = (draft.body[one.start_char : one.end_char] for one in draft.chunks)
    linked = (part for link in draft.links for part in (link.relation, link.target))
    return "\n".join([*map(str, named), *draft.tags, *draft.aliases, *values, *linked, *text])


def counted(text: str) -> Counter[str]:
    """The words of a text and how often each occurs; parted words are joined, ideographs are words."""
    plain = unicodedata.normalize("NFKC", html.unescape(HYPHEN.sub("", text))).casefold()
    return Counter(word for word in WORD.findall(plain) if len(word) <= LONGEST)


def table(found: Sequence[Compared]) -> str:
    """Markdown: a row for each kind, and one for all."""
    kinds = list(dict.fromkeys(one.kind for one in found))
    rows = [row(kind, [one for one in found if one.kind == kind]) for kind in kinds]
    heads = "| kind | files | indexed | words | found | least in a file | under 95 % |\n|" + " --- |" * 7
    return "\n".join([heads, *rows, row("all", found)])


def is_low(one: Compared) -> bool:
    """Whether a file is indexed with less than the goal and its row says nothing of it."""
    return not (one.reason or one.reported) and one.words >= FEWEST and one.share < GOAL


def row(name: str, found: Sequence[Compared]) -> str:
    read = [one for one in found if not one.reason]
    words = sum(one.words for one in read)
    lacking = sum(one.lacking.total() for one in read)
    least = min((one.share for one in read if one.words >= FEWEST and not one.reported), default=1.0)
    share = 1 - lacking / words if words else 1.0
    low = sum(map(is_low, read))
    return f"| {name} | {len(found):,} | {len(read):,} | {words:,} | {share:.2%} | {least:.1%} | {low} |"


# -- the second readers ------------------------------------------------------------------------------------


def plain(file: Path) -> str:
    """A text file, without what `data:` addresses carry."""
    data = file.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return DATA.sub("", strictly(data, encoding))


def pdf(file: Path) -> tuple[str, str]:
    """The text in the order of its places, and in that of its stream."""
    first, second = (
        subprocess.run(
            ["pdftotext", "-q", *order, file, "-"], capture_output=True, check=True, timeout=60
        ).stdout.decode("utf-8", "replace")
        for order in ((), ("-raw",))
    )
    return first, second


def office(parts: re.Pattern[str]) -> Callable[[Path], str]:
    """Reads the parts of an archive whose names fit."""

    def read(file: Path) -> str:
        with ZipFile(file) as archive:
            names = sorted(name for name in archive.namelist() if parts.fullmatch(name))
            texts = {name: "".join(shown(ET.fromstring(archive.read(name)))) for name in names}
            once = {
                line: "" for name, text in texts.items() if REPEATED.search(name) for line in text.split("\n")
            }
            return "\n".join([*(text for name, text in texts.items() if not REPEATED.search(name)), *once])

    return read


def shown(element: ET.Element) -> Iterator[str]:
    """The text of an XML element that is not deleted; paragraphs are lines."""
    kind = element.tag.rpartition("}")[2]
    if kind in DELETED or element.get("type") == "slidenum":
        return
    if kind in PARAGRAPHS:
        yield "\n"
    if kind in ("t", "text", "p", "h", "span", "a") and element.text:
        yield element.text
    for child in element:
        yield from shown(child)
        if kind in ("p", "h", "span", "a") and child.tail and "opendocument" in element.tag:
            yield child.tail
    if kind in PARAGRAPHS:
        yield "\n"


class Page(HTMLParser):
    """The visible text of a page, without what leads through the site."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden: list[str] = []  # elements of the tag of the outermost one that is left out
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hidden:
            self._hidden += [tag] if tag == self._hidden[0] else []
        elif tag in UNSEEN | MENUS or dict(attrs).get("role") in ROLES:
            self._hidden = [tag]
        if tag in BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and tag == self._hidden[0]:
            self._hidden.pop()
        if tag in BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def page(text: str) -> str:
    mains = re.findall(r"<main\b.*?</main>", text, re.DOTALL | re.IGNORECASE)
    return "".join(Page(mains[0] if len(mains) == 1 else text).parts)


def book(file: Path) -> str:
    """The chapters in the spine, or what stands in for one that is no page."""
    with ZipFile(file) as archive:
        container = archive.read("META-INF/container.xml").decode()
        package = re.findall(r"full-path=[\"']([^\"']+)", container)[0]
        text = archive.read(package).decode("utf-8", "replace")
        items = [dict(ATTRIBUTE.findall(one)) for one in re.findall(r"<(?:\w+:)?item\s[^>]+>", text)]
        spine = re.findall(r"<(?:\w+:)?itemref\s[^>]*?idref=[\"']([^\"']+)", text)
        known = {item["id"]: item for item in items}
        first = [known[key] for key in spine if key in known]
        pages = [
            one if one.get("media-type") == PAGE else known.get(one.get("fallback", ""), {}) for one in first
        ]
        hrefs = [one["href"] for one in pages if one.get("media-type") == PAGE]
        names = [str(Path(package).parent / unquote(href)).removeprefix("./") for href in hrefs]
        return "\n".join(
            page(archive.read(name).decode()) for name in dict.fromkeys(names) if name in archive.namelist()
        )


def mail(file: Path) -> str:
    if file.suffix == ".mbox":
        return "\n".join(text for one in mailbox.mbox(file, create=False) for text in bodies(one))
    return "\n".join(bodies(email.message_from_bytes(file.read_bytes())))


def bodies(message: Any) -> Iterator[str]:
    """The texts of a message and of the messages within it; of alternatives the first plain one."""
    if message.is_multipart():
        parts = message.get_payload()
        if message.get_content_type() == "multipart/alternative":
            plain = [part for part in parts if part.get_content_type() == "text/plain"]
            parts = plain[:1] or parts[-1:]
        for part in parts:
            yield from bodies(part)
    elif message.get_content_maintype() == "text" and b"\0" not in (data := message.get_payload(decode=True)):
        text = strictly(data, message.get_content_charset("utf-8"), "utf-8", "cp1252", "latin-1")
        yield page(text) if message.get_content_subtype() == "html" else text


def strictly(data: bytes, *encodings: str) -> str:
    """The text by the first encoding that fits all bytes."""
    for encoding in encodings:
        with suppress(UnicodeDecodeError, LookupError):
            return data.decode(encoding)
    raise ValueError


def notebook(file: Path) -> str:
    """The sources of all cells and what they printed, up to 20,000 characters an output."""
    parts: list[str] = []
    for cell in json.loads(file.read_bytes())["cells"]:
        parts.append("".join(cell["source"]))
        for output in cell.get("outputs", ()):
            text = (
                output.get("text") or output.get("data", {}).get("text/plain") or output.get("traceback", ())
            )
            parts.append(re.sub(r"\x1b\[[0-9;]*m", "", "".join(text))[:20_000])
    return DATA.sub("", "\n".join(parts))


SECOND: dict[str, Callable[[Path], str | tuple[str, ...]]] = {
    **dict.fromkeys(("md", "rst", "org", "adoc", "code"), plain),
    "html": lambda file: page(plain(file)),
    "ipynb": notebook,
    "mail": mail,
    "pdf": pdf,
    "docx": office(WORD_PARTS),
    "pptx": office(SLIDE_PARTS),
    "odt": office(re.compile(r"content\.xml")),
    "epub": book,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

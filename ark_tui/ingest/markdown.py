"""Markdown in one pass: headings, fences and links, from one stream of parser events."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from ark_tui.domain.documents import LinkDraft
from ark_tui.ingest.decode import storable
from ark_tui.ingest.frontmatter import FrontMatter

if TYPE_CHECKING:
    from pyromark import Markdown

HEADING, FENCE, TEXT = "heading", "fence", "text"
ADDRESSES = ("Autolink", "Email")  # link types that are bare addresses: `<https://x.y>`
WORDS = ("Text", "Code")  # events with the text of a heading
LEAD = 64  # bytes of a link's line that are searched for its relation


class Block(NamedTuple):
    """A part of a text; it ends where the next one begins."""

    start: int
    kind: str = TEXT
    level: int = 0  # of a heading, 1 to 6
    label: str = ""  # a heading's text, a fence's language
    closed: bool = True  # whether a fence has its closing line


class WrittenLink(NamedTuple):
    """A link as written in the text; `line` counts from 1."""

    target: str
    line: int
    wiki: bool
    lead: str  # text of its line before the link


_TAG = re.compile(r"(?<!`)`++[^`\n]*`|(?<!\S)#(?P<tag>[\w/-]*[^\W\d][\w/-]*)")
_MARK = re.compile(r"#(?<!\S#)[\w/-]")  # beginning of a tag: a pre-check at 1/60 of the cost
_INDENTED = 4  # columns of indentation that make a line code


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of a text: its blocks in order, and its links (none from code)."""

    blocks: tuple[Block, ...]
    links: tuple[WrittenLink, ...] = ()

    @property
    def title(self) -> str:
        """The first heading of level 1, else ""."""
        return first_heading(self.blocks)


def first_heading(blocks: Iterable[Block]) -> str:
    """The text of the first heading of level 1, else ""."""
    return next((block.label for block in blocks if block.level == 1 and block.label), "")


def tags(body: str, blocks: Sequence[Block], start: int = 0) -> tuple[str, ...]:
    """The tags in a text, `#tag` or `#tag/below`, by Obsidian's rules; none from code."""
    if not _MARK.search(body, start):
        return ()
    found: dict[str, None] = {}
    starts = [block.start for block in blocks]
    for match in _TAG.finditer(body, start):
        if not match["tag"] or blocks[bisect(starts, match.start()) - 1].kind == FENCE:
            continue
        lead = body[body.rfind("\n", 0, match.start()) + 1 : match.start()]
        if lead.strip() or len(lead.expandtabs(_INDENTED)) < _INDENTED:
            found[match["tag"].strip("/")] = None
    return tuple(found)


def outline(body: str, start: int = 0) -> Outline:
    """Parse `body` from `start` on as Markdown. Offsets count characters of the whole body."""
    scan = _Scan(body, start)
    for event, span in _parser().events_with_range(scan.text):
        if type(event) is dict and "Start" in event:
            scan.open(event["Start"], span["start"], span["end"])
        elif span["start"] < scan.heading_end:
            scan.inside_heading(event, span["end"])
    return scan.outline()


class _Scan:
    """Collects blocks and links; offsets are bytes until `outline` converts them."""

    def __init__(self, body: str, start: int) -> None:
        self.start = start
        self.data = body[start:].encode("utf-8", "replace")
        self.text = self.data.decode()
        self.line = 1 + body.count("\n", 0, start)
        self.blocks: list[Block] = []
        self.links: list[WrittenLink] = []
        self.block_end = 0  # end of the current top-level block
        self.heading_end = 0  # end of the current heading
        self.words: list[str] = []
        self.counted = 0  # bytes whose line breaks are in `line`
        self.line_start = 0

    def inside_heading(self, event: Mapping[str, Any] | str, end: int) -> None:
        if isinstance(event, str):  # a line break
            self.words.append(" ")
        elif "End" not in event:
            self.words += [text for kind, text in event.items() if kind in WORDS]
        elif end == self.heading_end and "Heading" in event["End"]:
            self.name_heading()

    def open(self, what: Any, start: int, end: int) -> None:
        top = start >= self.block_end
        if top:
            self.block_end = end
        if type(what) is str:
            if top:
                self.blocks.append(Block(start))
        elif "Link" in what or "Image" in what:
            self.link(what, start)
        elif "CodeBlock" in what and type(what["CodeBlock"]) is dict:
            self.fence(what["CodeBlock"]["Fenced"], start, end)
        elif top and "Heading" in what:
            self.heading_end = end
            self.blocks.append(Block(start, HEADING, int(what["Heading"]["level"][1])))
        elif top:
            self.blocks.append(Block(start))

    def fence(self, info: str, start: int, end: int) -> None:
        last_line = self.data[self.data.rfind(b"\n", start, end) + 1 : end]
        closed = self.data.find(b"\n", start, end) > 0 and last_line.strip(b"> \t\r").startswith(
            self.data[start : start + 3]
        )
        language = info.split(maxsplit=1)[0].strip("{}.,").lower() if info.strip() else ""
        line_start = self.data.rfind(b"\n", 0, start) + 1  # including a list or quote marker before it
        self.blocks.append(Block(line_start, FENCE, label=language, closed=closed))
        if end < self.block_end:
            self.blocks.append(Block(end))

    def link(self, what: dict[str, Any], start: int) -> None:
        link = what.get("Link") or what["Image"]
        wiki = type(link["link_type"]) is dict
        if not wiki and ("Image" in what or link["link_type"] in ADDRESSES):
            return
        self.line += self.data.count(b"\n", self.counted, start)
        self.line_start = self.data.rfind(b"\n", self.counted, start) + 1 or self.line_start
        self.counted = start
        lead = self.data[self.line_start : min(start, self.line_start + LEAD)].decode(errors="ignore")
        self.links.append(WrittenLink(link["dest_url"], self.line, wiki, lead))

    def name_heading(self) -> None:
        self.blocks[-1] = self.blocks[-1]._replace(label=" ".join("".join(self.words).split()))
        self.words.clear()
        self.heading_end = 0

    def outline(self) -> Outline:
        places = characters(self.data, (block.start for block in self.blocks), self.start)
        blocks = tuple(b._replace(start=at) for b, at in zip(self.blocks, places, strict=True))
        return Outline(blocks, tuple(self.links))


@cache
def _parser() -> Markdown:
    from pyromark import Markdown, Options

    return Markdown(options=Options.ENABLE_WIKILINKS | Options.ENABLE_TABLES)


def characters(data: bytes, offsets: Iterable[int], start: int = 0) -> list[int]:
    """Convert ascending byte offsets in UTF-8 `data` to character offsets; the first byte is at `start`."""
    if data.isascii():
        return [start + offset for offset in offsets]
    places, byte, char = [], 0, start
    for offset in offsets:
        char += len(data[byte:offset].decode("utf-8", "ignore"))
        byte = offset
        places.append(char)
    return places


TYPED = ("builds_on", "tensions", "superseded_by", "post_mortem")  # `- builds_on:: [[x]]`
HTML = (".html", ".htm", ".xhtml")
STATED = ("derives_from", "contradicts", *TYPED)  # keys of front matter

_RELATION = re.compile(rf"\s*(?:(?:[-*+]|\d+[.)])\s*)?({'|'.join(TYPED)})::")
_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:|//|#|$")  # another scheme or host, or the same page
_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico|mp[34]|m4a|3gp|flac|og[agv]|opus|wav|mov|mkv|webm)$",
    re.IGNORECASE,
)


def written(links: Iterable[WrittenLink], path: str) -> Iterator[LinkDraft]:
    """The links in the text of the document at `path`.

    The target of a wikilink stays the stem or path as written; that of a Markdown link is resolved to a path
    relative to the root. Web links, links within the page and links to media files are left out.
    """
    for link in links:
        target, anchor = map(storable, place(link.target, path, wiki=link.wiki))
        if target and not _MEDIA.search(target):
            typed = _RELATION.match(link.lead)
            yield LinkDraft(typed[1] if typed else "links_to", target, link.line, anchor=anchor)


def stated(front: FrontMatter, path: str = "") -> Iterator[LinkDraft]:
    """The links in front matter."""
    for relation in STATED:
        for name in front.all(relation):
            target, anchor = _wiki(name.removeprefix("[[").removesuffix("]]"), path)
            if target:
                yield LinkDraft(relation, target, origin="front matter", anchor=anchor)


def once(links: Iterable[LinkDraft]) -> tuple[LinkDraft, ...]:
    """Remove duplicate links (same relation and target); the first one stays."""
    first: dict[tuple[str, str], LinkDraft] = {}
    for link in links:
        first.setdefault((link.relation, link.target), link)
    return tuple(first.values())


def place(target: str, path: str, *, wiki: bool) -> tuple[str, str]:
    """Resolve a link in the document at `path`: target (as in `written`) and anchor."""
    return _wiki(target, path) if wiki else _relative(target, path)


def _wiki(name: str, path: str) -> tuple[str, str]:
    """The target and heading of `stem`, `stem|label` or `stem#heading`."""
    place, _, anchor = name.partition("|")[0].removesuffix("\\").partition("#")
    target = place.strip()
    if target.startswith(("./", "../")):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return target, anchor.rpartition("#")[2].strip()


def _relative(target: str, path: str) -> tuple[str, str]:
    """The target of a Markdown link, relative to the root, and its anchor."""
    if _ELSEWHERE.match(target):
        return "", ""
    place, _, anchor = target.partition("#")
    place = unquote(place.partition("?")[0])
    if not path.endswith(HTML):
        place = place.removesuffix(".html")  # the page generated from a text; links in HTML pages keep it
    if place.startswith("/"):
        return place.lstrip("/"), unquote(anchor)
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), place)) if place else ""
    return joined, unquote(anchor)

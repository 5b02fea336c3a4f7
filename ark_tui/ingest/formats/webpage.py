"""HTML: the visible text of a page with its headings; and the texts in SVG drawings (I8)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.documents import Draft
from ark_tui.ingest import markdown
from ark_tui.ingest.decode import Unreadable, storable
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.markdown import FENCE, HEADING, TEXT, Block, Outline, WrittenLink
from ark_tui.ingest.readers.content import Text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

DEEPEST = 5_000  # maximum nesting of elements; parsing time is quadratic in it

LEAST = 0.25  # minimum share of a page's text that must remain without menus

FEW = 50  # maximum number of headers, footers and asides that are checked

_MAIN = "main:not([hidden]), [role=main]"
_NAVIGATION = ", ".join(
    (
        "nav",
        *(f"[role={role}]" for role in ("banner", "contentinfo", "menu", "menubar", "navigation", "search")),
    )
)
_DATES = (
    "article:published_time",
    "date",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "citation_publication_date",
)
_SAID = {
    "date": ", ".join(
        [*(f"meta[{key}='{name}' i]" for name in _DATES for key in ("property", "name")),
         "[itemprop=datePublished]", "time[pubdate]", "article time[datetime]"]
    ),
    "author": "meta[name=author i], meta[property='article:author']",
    "keywords": "meta[name=keywords i]",
}  # fmt: skip
_WRITTEN = "svg title, svg desc, svg text, svg foreignObject"  # texts in a drawing
_UNSEEN = {
    *("-comment", "button", "head", "iframe", "noscript", "object", "script", "select", "style", "svg"),
    "template",
}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LINES = {"br", "dd", "dt", "li", "tr"}
_PARAGRAPHS = {
    *("address", "article", "aside", "blockquote", "body", "details", "div", "dl", "fieldset", "figcaption"),
    *("figure", "footer", "form", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "summary"),
    *("table", "tbody", "tfoot", "thead", "ul", *_HEADINGS),
}
_CELLS = {"td", "th"}
_TAG = re.compile(r"<(/?)([a-z][^\s/>]*)", re.IGNORECASE)
_NO_END = {  # end tag optional: these do not nest, except items of alternating list types
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "option", "p", "source"),
    *("td", "th", "tr", "track", "wbr"),
}
_ITEMS = {"li": "li", "dd": "dl", "dt": "dl"}
_LISTS = {"ul", "ol", "dl"}
_SPACE = re.compile(r"\s+")
_CHARSET = re.compile(
    rb"<meta[^>]+charset=[\"']?\s*((?:big5|euc|gb|iso-8859|koi8|shift_jis|windows)[\w-]*)", re.IGNORECASE
)


def charset(data: bytes) -> str:
    """The encoding declared at the beginning of a page, or ""."""
    found = _CHARSET.search(data, 0, 2048)
    return found[1].decode("ascii", "replace") if found else ""


class Seen(NamedTuple):
    """The text of a page, its structure, its title, and its metadata by key."""

    body: str
    built: Outline
    title: str
    said: dict[str, str]


def seen(html: str, *, menus: bool = True) -> Seen:
    """Extract the visible text of a page. Raises `Unreadable`.

    Without `menus`, only the `main` landmark is read, if there is one, and navigation elements (by HTML tag
    or ARIA role) are left out. If less than a quarter of the text would remain, the whole page is read.
    """
    tree = parsed(html)
    body, built = _text(tree.body)
    if not body:
        raise Unreadable("no text in the page")
    if not menus:
        mains, around = tree.css(_MAIN), tree.css(_NAVIGATION)
        around += filter(_around, tree.css("header, footer, aside")[:FEW])
        if mains or around:
            top = mains[0] if len(mains) == 1 else tree.body
            inner = _text(top, {node.mem_id for node in around})
            body, built = inner if len(inner[0]) >= LEAST * len(body) else (body, built)
    named = tree.css_first("title")
    title = words(named.text()) if named else ""
    return Seen(body, built, title or built.title, _said(tree))


def words(text: str) -> str:
    """The text of an element or attribute on one line."""
    return storable(" ".join(text.split()))


def parsed(html: str) -> LexborHTMLParser:
    """Parse HTML. Raises `Unreadable` if elements are nested too deeply."""
    if _depth(html) > DEEPEST:
        raise Unreadable(f"its elements are nested more than {DEEPEST:,} deep")
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(html)


def _text(top: LexborNode | None, left_out: Container[int] = ()) -> tuple[str, Outline]:
    page = _Page()
    for node, leaving in _visits(top, left_out):
        page.visit(node, leaving=leaving)
    return page.finish()


def _around(node: LexborNode) -> bool:
    """Whether a footer, or a header or aside that is mostly links, belongs to the page, not to a section."""
    above = node.parent
    while above is not None:
        if above.tag in ("main", "article", "section"):
            return False
        above = above.parent
    linked = sum(len(link.text(strip=True)) for link in node.css("a"))
    return node.tag == "footer" or linked * 2 > len(node.text(strip=True))


def _said(tree: LexborHTMLParser) -> dict[str, str]:
    """Date, author, keywords and language of a page; the first value of each."""
    found = {
        key: next(
            (
                words(value)
                for node in tree.css(selector)
                if (value := node.attributes.get("content") or node.attributes.get("datetime"))
            ),
            "",
        )
        for key, selector in _SAID.items()
    }
    top = tree.css_first("html")
    found["language"] = (top.attributes.get("lang") or "") if top else ""
    return {key: value for key, value in found.items() if value}


def read(file: File) -> tuple[Draft, ...]:
    """One document: its body is the page's text without markup, scripts and styles."""
    body, built, title, said = seen(file.text, menus=False)
    draft = file.draft(
        "html",
        body,
        file.chunk(body, blocks=built.blocks),
        title=title,
        given=dates.parse(said.pop("date", "")[:10]),
        links=markdown.written(built.links, file.path),
        fields=tuple(said.items()),
    )
    return (draft,)


def drawing(file: File) -> tuple[Draft, ...]:
    """An SVG drawing: title, descriptions and labels, without duplicates. Raises `Unreadable` if empty."""
    tree = parsed(file.text)
    text = Text()
    for one in dict.fromkeys(words(node.text(separator=" ")) for node in _outermost(tree.css(_WRITTEN))):
        text.say(one)
    named = tree.css_first("svg > title")
    title = words(named.text()) if named else ""
    return (file.read(replace(text.content(), title=title), "svg"),)


def _outermost(nodes: Sequence[LexborNode]) -> Iterator[LexborNode]:
    """Those of the texts of a drawing, in its order, that are in no other: its text includes theirs."""
    inner: set[int] = set()
    for node in nodes:
        if node.mem_id not in inner:
            yield node
            inner.update(one.mem_id for one in node.css(_WRITTEN))


class _Page:
    """Builds the text and blocks of a page from the visited elements."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""  # separator before the next text
        self._next: Block | None = Block(0)  # block that begins with the next text
        self._blocks: list[Block] = []
        self._links: list[tuple[int, str]] = []
        self._verbatim = 0  # depth of open <pre> elements

    def visit(self, node: LexborNode, *, leaving: bool) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._say(node.text_content or "")
        elif tag in _PARAGRAPHS:
            self._gap = "\n\n"
            self._next = Block(0) if leaving else _block(tag)
            if tag == "pre":
                self._verbatim += -1 if leaving else 1
        elif tag in _LINES:
            self._gap = self._gap if self._gap == "\n\n" else "\n"
        elif tag in _CELLS:
            self._gap = self._gap or " "
        elif tag == "a" and not leaving and (target := node.attributes.get("href")):
            self._links.append((self._length, target))

    def finish(self) -> tuple[str, Outline]:
        body = "".join(self._parts)
        ends = [*(block.start for block in self._blocks), len(body)][1:]
        blocks = [
            block._replace(label=" ".join(body[block.start : end].split()))
            if block.kind == HEADING
            else block
            for block, end in zip(self._blocks, ends, strict=True)
        ]
        return body, Outline(tuple(blocks), tuple(self._written(body)))

    def _say(self, text: str) -> None:
        if not self._verbatim:
            text = _SPACE.sub(" ", text)
            if text.startswith(" "):
                self._gap = self._gap or " "
        words = text.strip("\n" if self._verbatim else " ")
        if not words:
            return
        if self._length:
            self._parts.append(self._gap)
            self._length += len(self._gap)
        if self._next:
            self._blocks.append(self._next._replace(start=self._length))
            self._next = None
        self._parts.append(words)
        self._length += len(words)
        self._gap = "" if self._verbatim or not text.endswith(" ") else " "

    def _written(self, body: str) -> Iterator[WrittenLink]:
        line, seen = 1, 0
        for place, target in self._links:
            line += body.count("\n", seen, place)
            seen = place
            yield WrittenLink(target, line, wiki=False, lead="")


def _block(tag: str) -> Block:
    if tag in _HEADINGS:
        return Block(0, HEADING, _HEADINGS[tag])
    return Block(0, FENCE if tag == "pre" else TEXT)


def _visits(top: LexborNode | None, left_out: Container[int]) -> Iterator[tuple[LexborNode, bool]]:
    """Traverse visible nodes: each on entry and, except text nodes, again on exit."""
    open_: list[LexborNode] = []
    node = top
    while node is not None:
        if node.tag not in _UNSEEN and node.mem_id not in left_out:
            yield node, False
            if node.child is not None:
                open_.append(node)
                node = node.child
                continue
            if node.tag != "-text":
                yield node, True
        while node.next is None and open_:
            node = open_.pop()
            yield node, True
        node = node.next if open_ else None


def _depth(html: str) -> int:
    """Estimate the maximum nesting depth of elements; implicitly closed elements are not tracked exactly."""
    open_: Counter[str] = Counter()
    depth = deepest = 0
    item = ""  # list type of the last item: an item of another type nests in it
    for end, name in _TAG.findall(html):
        tag = name.lower()
        if not (open_["svg"] or open_["math"]):  # in these, every element nests
            before, item = item, _item(item, tag, end, open_)
            if tag in _NO_END or (tag in _ITEMS and not end and before in ("", item)):
                continue
        if not end:
            open_[tag] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif open_[tag]:
            open_[tag] -= 1
            depth -= 1
    return deepest


def _item(item: str, tag: str, end: str, open_: Counter[str]) -> str:
    if tag in _ITEMS:
        return item if end else _ITEMS[tag]
    return "" if end and tag in _LISTS and open_[tag] else item

"""Org, reStructuredText, AsciiDoc and LaTeX: their headings, by how they are written (requirement I21)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from ark_tui.domain.dates import documents as dates
from ark_tui.domain.documents import Draft
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.markdown import FENCE, HEADING, TEXT, Block

Parts: TypeAlias = Callable[[str], Iterable[Block]]

_ORG = re.compile(
    r"^(?P<stars>\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]*)?(?P<title>.*)$"
    r"|^[ \t]*#\+begin_(?:src|example)[ \t]*(?P<fence>[\w-]*)|^[ \t]*#\+(?P<end>end)_(?:src|example)",
    re.MULTILINE | re.IGNORECASE,
)
_KEY = re.compile(r"^#\+(\w+):(.*)$", re.MULTILINE)
_ORG_TAGS = re.compile(r"[ \t]:[\w@#%:]+:\Z")
_ADOC = re.compile(r"^(?P<marks>={1,6})[ \t]+(?P<title>\S.*)$|^(?P<fence>-{4,}|\.{4,})[ \t]*$", re.MULTILINE)
_RST = re.compile(
    r"^(?:(?P<over>[^\w\s])(?P=over)+[ \t]*\n)?(?P<title>\S.*)\n(?P<line>[^\w\s])(?P=line)+[ \t]*$",
    re.MULTILINE,
)
_BRACED = r"\{(?P<title>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
_TEX = re.compile(
    rf"^[ \t]*\\(?P<kind>part|chapter|(?:sub){{0,2}}section|paragraph)\*?(?:\[[^\]]*\])?{_BRACED}",
    re.MULTILINE,
)
_TEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_TEX_SAID = re.compile(rf"\\(title|author|date){_BRACED}")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|[{}~]")


def read(file: File, *, name: str, parts: Parts) -> tuple[Draft, ...]:
    """One document; its text is the file as it is, its title what the file says, else its first heading."""
    blocks = [Block(0), *parts(file.text)]
    draft = file.plain(name, list(_spread(file.text, blocks)))
    said = dict(_said(file.text, name))
    title = said.pop("title", "") or next((block.label for block in blocks if block.kind == HEADING), "")
    given = dates.parse(said.pop("date", ""))
    tags = tuple(dict.fromkeys(re.findall(r"[\w@#%]+", said.pop("filetags", ""))))
    if given:
        draft = replace(draft, date=given, date_source="properties")
    return (
        replace(draft, title=title or draft.title, titled=bool(title), tags=tags, fields=tuple(said.items())),
    )


def _spread(text: str, blocks: list[Block]) -> Iterator[Block]:
    """The blocks that say something, and paragraphs where there is text."""
    for block, end in zip(blocks, [*(block.start for block in blocks[1:]), len(text)], strict=True):
        if block.kind != TEXT or text[block.start : end].strip():
            yield block
        if block.kind == TEXT:
            yield from (one for one in paragraphs(text[:end], block.start) if one.start > block.start)


def _said(text: str, name: str) -> Iterator[tuple[str, str]]:
    """What a file says of itself, by key."""
    if name == "org":
        found = ((key.lower(), value.strip()) for key, value in reversed(_KEY.findall(text)))
        yield from ((key, value) for key, value in found if value)
    elif name == "tex":
        yield from ((key, _plain(value)) for key, value in reversed(_TEX_SAID.findall(text)))


def _org(text: str) -> Iterator[Block]:
    fenced = False
    for match in _ORG.finditer(text):
        if match["stars"] and not fenced:
            title = _ORG_TAGS.sub("", match["title"].rstrip()).rstrip()
            yield from _heading(match, len(match["stars"]), title)
        elif match["fence"] is not None and not fenced:
            fenced = True
            yield Block(match.start(), FENCE, label=match["fence"])
        elif match["end"] and fenced:
            fenced = False
            yield Block(match.end())


def _adoc(text: str) -> Iterator[Block]:
    fence = ""
    for match in _ADOC.finditer(text):
        if match["fence"] and fence in ("", match["fence"]):
            yield Block(match.end()) if fence else Block(match.start(), FENCE)
            fence = "" if fence else match["fence"]
        elif match["title"] and not fence:
            yield from _heading(match, len(match["marks"]), match["title"].rstrip())


def _rst(text: str) -> Iterator[Block]:
    """Levels are those of the lines under headings, in the order in which they come."""
    levels: dict[tuple[str, bool], int] = {}
    for match in _RST.finditer(text):
        title, line = match["title"].strip(), match.group().rstrip().rpartition("\n")[2]
        if len(line) >= len(title) and match["over"] in (None, match["line"]):
            level = levels.setdefault((match["line"], bool(match["over"])), len(levels) + 1)
            yield from _heading(match, min(level, 6), title)


def _tex(text: str) -> Iterator[Block]:
    for match in _TEX.finditer(text):
        yield from _heading(match, _TEX_LEVELS.index(match["kind"]) + 1, _plain(match["title"]))


def _heading(match: re.Match[str], level: int, title: str) -> Iterator[Block]:
    """A heading, and the text behind it."""
    yield Block(match.start(), HEADING, level, title)
    yield Block(match.end())


def _plain(tex: str) -> str:
    """Words without commands and braces."""
    return " ".join(_COMMAND.sub(" ", tex).split())


SUFFIXES = {
    ".org": partial(read, name="org", parts=_org),
    **dict.fromkeys((".rst", ".rest"), partial(read, name="rst", parts=_rst)),
    **dict.fromkeys((".adoc", ".asciidoc"), partial(read, name="adoc", parts=_adoc)),
    **dict.fromkeys((".tex", ".latex"), partial(read, name="tex", parts=_tex)),
}

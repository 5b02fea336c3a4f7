"""Org, reStructuredText, AsciiDoc and LaTeX: headings, links and metadata by syntax (requirement I21)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeAlias

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.documents import Draft
from ark_tui.ingest import markdown
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.markdown import FENCE, HEADING, TEXT, Block, WrittenLink, first_heading

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
_ORG_ID = re.compile(r"^[ \t]*:ID:[ \t]+(\S+)", re.MULTILINE | re.IGNORECASE)
HEAD = 4_000  # characters at the beginning of a file in which fields are searched
_STATED = {
    "rst": re.compile(
        r"^(?::|\.\.[ ])(tags|keywords|author|authors|date|status|version)::?[ \t]+(.+)$",
        re.MULTILINE | re.IGNORECASE,
    ),
    "adoc": re.compile(
        r"^:(tags|keywords|author|email|revdate|date|status|description):[ \t]+(.+)$",
        re.MULTILINE | re.IGNORECASE,
    ),
}
_LINKS = {
    "org": re.compile(
        r"\[\[((?:id:|file:|\.{0,2}/)[^\]\[]+|[^\]\[:*#]+\.\w{1,5}(?:::[^\]\[]*)?)\](?:\[[^\]\[]*\])?\]"
    ),
    "rst": re.compile(
        r":(?:doc|download):`(?:[^`<]*<([^`>]+)>|([^`<]+))`|`[^`<]+<([^`>:]+\.\w+(?:#[^`>]*)?)>`_"
        r"|^\.\.[ ]+(?:include|literalinclude)::[ \t]+(\S+)",
        re.MULTILINE,
    ),
    "adoc": re.compile(
        r"(?:xref|link):([^\s\[\]:]+)\[|<<([^\s,<>]+\.\w+(?:#[^,<>]*)?)(?:,[^<>]*)?>>|^include::([^\s\[\]]+)\[",
        re.MULTILINE,
    ),
}
"""Links to other files by syntax; each alternative has one group with the target."""
_FENCED = {
    "org": re.compile(
        r"^[ \t]*#\+begin_(src|example)\b.*?^[ \t]*#\+end_\1", re.MULTILINE | re.DOTALL | re.IGNORECASE
    ),
    "adoc": re.compile(r"^(-{4,}|\.{4,})[ \t]*$.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL),
}
_BRACED = r"\{(?P<title>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
_TEX = re.compile(
    rf"^[ \t]*\\(?P<kind>part|chapter|(?:sub){{0,2}}section|paragraph)\*?(?:\[[^\]]*\])?{_BRACED}",
    re.MULTILINE,
)
_TEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_TEX_SAID = re.compile(rf"\\(title|author|date){_BRACED}")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|[{}~]")


def read(file: File, *, name: str, parts: Parts) -> tuple[Draft, ...]:
    """One document with the whole file as text. Title: as stated, else the first level-1 heading."""
    blocks = [Block(0), *parts(file.text)]
    said = dict(_said(file.text, name))
    title = said.pop("title", "") or first_heading(blocks)
    given = dates.parse(said.pop("date", ""))
    words = " ".join(said.pop(key, "") for key in ("filetags", "tags", "keywords"))
    tags = [*re.findall(r"[\w@#%/-]+", words), *(_org_tags(file.text) if name == "org" else ())]
    ids = _ORG_ID.findall(file.text) if name == "org" else []
    draft = file.draft(
        name,
        file.text,
        file.chunk(file.text, blocks=list(_spread(file.text, blocks))),
        title=title,
        given=given,
        links=markdown.written(_links(file.text, name), file.path),
        tags=tuple(dict.fromkeys(tags)),
        fields=tuple(said.items()),
        source_id=ids[0] if ids else "",
        aliases=tuple(ids[1:]),
    )
    return (draft,)


def _org_tags(text: str) -> Iterator[str]:
    """The tags at the ends of Org headings."""
    for match in _ORG.finditer(text):
        if match["stars"] and (found := _ORG_TAGS.search(match["title"].rstrip())):
            yield from found.group().strip(" \t:").split(":")


def _links(text: str, name: str) -> Iterator[WrittenLink]:
    """The links of a text; none from code."""
    fences = (
        _FENCED[name].sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        if name in _FENCED
        else text
    )
    line, seen = 1, 0
    for match in _LINKS[name].finditer(fences) if name in _LINKS else ():
        line += text.count("\n", seen, match.start())
        seen = match.start()
        target = next(filter(None, match.groups()))
        if name == "org":
            target = target.partition("::")[0].removeprefix("file:")
        wiki = target.startswith("id:")
        yield WrittenLink(target.removeprefix("id:").strip(), line, wiki, "")


def _spread(text: str, blocks: list[Block]) -> Iterator[Block]:
    """The non-empty blocks; text blocks are split into paragraphs."""
    for block, end in zip(blocks, [*(block.start for block in blocks[1:]), len(text)], strict=True):
        if block.kind != TEXT or text[block.start : end].strip():
            yield block
        if block.kind == TEXT:
            yield from (one for one in paragraphs(text[:end], block.start) if one.start > block.start)


def _said(text: str, name: str) -> Iterator[tuple[str, str]]:
    """The metadata of a file, by key."""
    if name == "org":
        found = ((key.lower(), value.strip()) for key, value in reversed(_KEY.findall(text)))
        yield from ((key, value) for key, value in found if value)
    elif name in _STATED:
        yield from (
            (key.lower(), value.strip()) for key, value in _STATED[name].findall(text[:HEAD]) if value.strip()
        )
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
    """Headings of reStructuredText. Underline styles get levels in order of first use."""
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
    """A heading, and the text block after it."""
    yield Block(match.start(), HEADING, level, title)
    yield Block(match.end())


def _plain(tex: str) -> str:
    """LaTeX text without commands and braces."""
    return " ".join(_COMMAND.sub(" ", tex).split())


org = partial(read, name="org", parts=_org)
rst = partial(read, name="rst", parts=_rst)
adoc = partial(read, name="adoc", parts=_adoc)
tex = partial(read, name="tex", parts=_tex)

"""Links between documents, as they are written: in the text, in typed lists, in front matter."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from ark_tui.domain.documents import LinkDraft
from ark_tui.ingest.decode import storable
from ark_tui.ingest.frontmatter import FrontMatter
from ark_tui.ingest.markdown import WrittenLink

TYPED = ("builds_on", "tensions", "superseded_by", "post_mortem")  # `- builds_on:: [[x]]`
HTML = (".html", ".htm", ".xhtml")
STATED = ("derives_from", "contradicts", *TYPED)  # keys of front matter

_RELATION = re.compile(rf"\s*(?:(?:[-*+]|\d+[.)])\s*)?({'|'.join(TYPED)})::")
_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:|//|#|$")  # another scheme or host, or this very page
_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico|mp[34]|m4a|3gp|flac|og[agv]|opus|wav|mov|mkv|webm)$",
    re.IGNORECASE,
)


def written(links: Iterable[WrittenLink], path: str) -> Iterator[LinkDraft]:
    """The links in the text of the document at `path`.

    A wikilink's target stays the stem or path it names; that of a Markdown link is made relative to the
    root. Links to the web and within the page are left out.
    """
    for link in links:
        target, anchor = map(storable, place(link.target, path, wiki=link.wiki))
        if target and not _MEDIA.search(target):
            typed = _RELATION.match(link.lead)
            yield LinkDraft(typed[1] if typed else "links_to", target, link.line, anchor=anchor)


def stated(front: FrontMatter, path: str = "") -> Iterator[LinkDraft]:
    """The links that front matter states."""
    for relation in STATED:
        for name in front.all(relation):
            target, anchor = _wiki(name.removeprefix("[[").removesuffix("]]"), path)
            if target:
                yield LinkDraft(relation, target, origin="front matter", anchor=anchor)


def once(links: Iterable[LinkDraft]) -> tuple[LinkDraft, ...]:
    """Each relation to each target once, where it is first written."""
    first: dict[tuple[str, str], LinkDraft] = {}
    for link in links:
        first.setdefault((link.relation, link.target), link)
    return tuple(first.values())


def place(target: str, path: str, *, wiki: bool) -> tuple[str, str]:
    """Where a link in the document at `path` leads, as `written` has it, and the place in that."""
    return _wiki(target, path) if wiki else _relative(target, path)


def _wiki(name: str, path: str) -> tuple[str, str]:
    """What `stem`, `stem|label` or `stem#heading` links to, and the heading."""
    place, _, anchor = name.partition("|")[0].removesuffix("\\").partition("#")
    target = place.strip()
    if target.startswith(("./", "../")):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return target, anchor.rpartition("#")[2].strip()


def _relative(target: str, path: str) -> tuple[str, str]:
    """What the address in a Markdown link leads to, from the root on, and the place in it."""
    if _ELSEWHERE.match(target):
        return "", ""
    place, _, anchor = target.partition("#")
    place = unquote(place.partition("?")[0])
    if not path.endswith(HTML):
        place = place.removesuffix(
            ".html"
        )  # of a page that is made of a text; a page itself has that name, too
    if place.startswith("/"):
        return place.lstrip("/"), unquote(anchor)
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), place)) if place else ""
    return joined, unquote(anchor)

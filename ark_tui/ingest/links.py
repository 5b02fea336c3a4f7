"""Links between documents, as they are written: in the text, in typed lists, in front matter."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from ark_tui.domain.documents import LinkDraft
from ark_tui.ingest.frontmatter import FrontMatter
from ark_tui.ingest.markdown import WrittenLink

TYPED = ("builds_on", "tensions", "superseded_by", "post_mortem")  # `- builds_on:: [[x]]`
STATED = ("derives_from", "contradicts", *TYPED)  # keys of front matter

_RELATION = re.compile(rf"\s*(?:[-*+]|\d+[.)])?\s*({'|'.join(TYPED)})::")
_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:|//|#|$")  # another scheme or host, or this very page
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|ico|mp[34]|mov|webm|wav)$", re.IGNORECASE)


def written(links: Iterable[WrittenLink], path: str) -> Iterator[LinkDraft]:
    """The links in the text of the document at `path`.

    A wikilink's target stays the stem or path it names; that of a Markdown link is made relative to the
    root. Links to the web and within the page are left out.
    """
    for link in links:
        target = wiki_target(link.target) if link.wiki else _relative(link.target, path)
        if target and not _PICTURE.search(target):
            typed = _RELATION.match(link.lead)
            yield LinkDraft(typed[1] if typed else "links_to", target, link.line)


def stated(front: FrontMatter) -> Iterator[LinkDraft]:
    """The links that front matter states."""
    for relation in STATED:
        for name in front.all(relation):
            if target := wiki_target(name.removeprefix("[[").removesuffix("]]")):
                yield LinkDraft(relation, target, origin="front matter")


def once(links: Iterable[LinkDraft]) -> tuple[LinkDraft, ...]:
    """Each relation to each target once, where it is first written."""
    first: dict[tuple[str, str], LinkDraft] = {}
    for link in links:
        first.setdefault((link.relation, link.target), link)
    return tuple(first.values())


def wiki_target(name: str) -> str:
    """What `stem`, `stem|label` or `stem#heading` links to."""
    return name.partition("|")[0].partition("#")[0].strip().removesuffix("\\")


def _relative(target: str, path: str) -> str:
    if _ELSEWHERE.match(target):
        return ""
    place = unquote(target.partition("#")[0].partition("?")[0])
    if place.startswith("/"):
        return place.lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), place)) if place else ""

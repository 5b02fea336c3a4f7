"""Markdown with front matter, headings, fences and links (requirements I8, I13, I14)."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from datetime import date

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.documents import TIERS, Draft, Tier
from ark_tui.ingest import frontmatter, markdown
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.frontmatter import FrontMatter
from ark_tui.ingest.markdown import FENCE, Block, outline, tags

LONGEST_PLACE = 18  # digits: fits the store's integers


def read(file: File) -> tuple[Draft, ...]:
    """One document: its body is the whole file; its chunks begin after the front matter."""
    front = frontmatter.read(file.text)
    built = outline(file.text, front.end)
    has_text = bool(file.text[front.end :].strip())
    start = front.end if has_text and not front.broken else 0  # a broken or sole front matter counts as text
    summary = [
        one
        for place, end in frontmatter.summaries(file.text[:start])
        for one in file.chunk(file.text[:end], start=place, blocks=(Block(place),))
    ]
    given, tier, notices = _stated(front)
    day, source = dates.own_date(given, file.stem, file.modified)
    title = front.text("title") or ("" if dates.only_one(built.title) else built.title)
    place = front.text("place")
    draft = Draft(
        path=file.path,
        title=title or file.readable,
        titled=bool(title),
        body=file.text,
        chunks=(*summary, *file.chunk(file.text, start=start, blocks=built.blocks)),
        type=front.text("type") or "note",
        tier=tier,
        status=front.text("status"),
        date=day,
        date_source=source,
        tags=tuple(dict.fromkeys([*front.tags(), *tags(file.text, built.blocks, front.end)])),
        aliases=front.aliases(),
        links=markdown.once(
            [
                *markdown.stated(front, file.path),
                *markdown.written(built.links, file.path),
                *dates.occurred_in(file.text, front.end, file.stem, given),
            ]
        ),
        source=front.text("source"),
        place=int(place) if place.isdecimal() and len(place) <= LONGEST_PLACE else None,
        source_id=front.text("source_id"),
        format="markdown",
        notices=(*file.notices, *notices),
        fields=(*front.fields(), *_inline(file.text, front.end, built.blocks)),
    )
    return (draft,)


def _inline(text: str, start: int, blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """Inline fields in the text, except those in code and typed links."""
    starts = [block.start for block in blocks]
    for key, value, place in frontmatter.inline(text, start):
        if key not in markdown.TYPED and blocks[bisect(starts, place) - 1].kind != FENCE:
            yield key, value


def _stated(front: FrontMatter) -> tuple[date | None, Tier, list[str]]:
    """The date and tier in the front matter, and a notice for each invalid value."""
    notices = [front.notice] if front.notice else []
    written = front.text("date", "created")
    given = dates.parse(written)
    if written and not given:
        notices.append(f"front matter: {written!r} is not understood as a date; write it as 2026-03-14")
    stated = front.text("tier", "memory_tier") or "doc"
    tier = next((tier for tier in TIERS if tier == stated), None)
    if tier is None:
        notices.append(f"front matter: there is no tier {stated!r}, only {', '.join(TIERS)}")
    return given, tier or "doc", notices

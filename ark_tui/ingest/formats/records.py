"""JSON and JSONL: every record with a text is a separate document (requirements I8, I18).

If a record has a title but no text, the title is its text, so that it can be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.documents import Draft
from ark_tui.domain.untrusted import read_json
from ark_tui.ingest import markdown
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.decode import Unreadable, storable
from ark_tui.ingest.formats.file import File, beginning
from ark_tui.ingest.frontmatter import FrontMatter

TEXTS = ("text", "content", "body")  # keys of the text; the first non-empty one counts
ABOUT = {*("_id", "id", "title", "tags", "date", "type", "metadata", "source_id"), *TEXTS}  # not fields
NAMED = 5  # faults listed in full; the rest is counted


def read_lines(file: File) -> tuple[Draft, ...]:
    """The records of a JSONL file. An invalid line becomes a notice. Raises `Unreadable` if none is valid."""
    drafts: list[Draft] = []
    faults: list[str] = []
    for number, line in enumerate(file.text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            drafts.append(_draft(file, read_json(line), number))
        except ValueError as error:
            faults.append(f"line {number}: {error}")
    if not drafts:
        raise Unreadable(_summary(faults))
    return _told(_distinct(drafts), faults)


def read_document(file: File) -> tuple[Draft, ...]:
    """The items of a JSON list, or a single object. Without any text, the file is one document as it is.

    Exception: in a list of records with only titles, each is a document.
    """
    try:
        found = read_json(file.text)
    except ValueError as error:
        return _told(_as_it_stands(file), [f"not valid JSON, kept as text: {error}"])
    drafts: list[Draft] = []
    faults: list[str] = []
    items = found if isinstance(found, list) else [found]
    if not (any(map(_text, items)) or (isinstance(found, list) and all(map(_bare, items)))):
        return _as_it_stands(file)
    for number, item in enumerate(items, start=1):
        try:
            drafts.append(_draft(file, item, number))
        except Unreadable as error:
            faults.append(f"item {number}: {error}")
    return _told(_distinct(drafts), faults) if drafts else _as_it_stands(file)


def _draft(file: File, record: Any, number: int) -> Draft:
    """A record as a document. Raises `Unreadable` if it has neither text nor title."""
    if not isinstance(record, dict):
        raise Unreadable("not an object")
    title = _word(record.get("title"))
    text = _text(record)
    body = text or title
    if not body:
        raise Unreadable(f"no text under {', '.join(TEXTS)}, and no title")
    metadata = record.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    part_of = _word(metadata.get("source"))
    front = FrontMatter({**metadata, **record})
    written = _word(record.get("date") or metadata.get("date"))
    given = dates.parse(written)
    day, source = dates.own_date(given, file.stem, file.modified)
    return Draft(
        path=file.path,
        title=title or beginning(body),
        titled=bool(title and text),
        body=body,
        chunks=file.chunk(body, blocks=paragraphs(body)),
        item=_word(record.get("_id", record.get("id"))) or str(number),
        type=_word(record.get("type")) or "note",
        date=day,
        date_source=source,
        tags=_words(record.get("tags") or metadata.get("tags")),
        links=markdown.once(
            [*markdown.stated(front, file.path), *dates.occurred_in(body, 0, file.stem, given)]
        ),
        source=part_of,
        place=number if part_of else None,
        source_id=front.text("source_id"),
        collection=_word(metadata.get("collection")),
        format="json",
        fields=FrontMatter({k: _worded(v) for k, v in front.values.items() if k not in ABOUT}).fields(),
        notices=(f"{written!r} is not understood as a date",) if written and not given else (),
    )


def _text(record: Any) -> str:
    """The text of a record, or ""."""
    found = (record.get(key) for key in TEXTS) if isinstance(record, dict) else ()
    return next((storable(text) for text in found if isinstance(text, str) and text.strip()), "")


def _bare(record: Any) -> bool:
    """Whether a record has a title and only known keys, so that the title can stand for it."""
    return isinstance(record, dict) and bool(_word(record.get("title"))) and record.keys() <= ABOUT


def _as_it_stands(file: File) -> tuple[Draft, ...]:
    from ark_tui.ingest.formats import tree

    return (file.plain("json", tree.parts(file.text)),)


def _distinct(drafts: list[Draft]) -> Iterator[Draft]:
    """Make the ids of drafts unique: the second `a` becomes `a~2`."""
    seen: dict[str, int] = {}
    for draft in drafts:
        seen[draft.item] = count = seen.get(draft.item, 0) + 1
        yield draft if count == 1 else replace(draft, item=f"{draft.item}~{count}")


def _told(drafts: Iterator[Draft] | tuple[Draft, ...], faults: list[str]) -> tuple[Draft, ...]:
    """The drafts, with the faults of the file as a notice on the first."""
    first, *others = drafts
    notices = (*first.notices, _summary(faults)) if faults else first.notices
    return (replace(first, notices=notices), *others)


def _summary(faults: list[str]) -> str:
    more = f"; and {len(faults) - NAMED} more" if len(faults) > NAMED else ""
    return "; ".join(faults[:NAMED]) + more


def _word(value: Any) -> str:
    """A scalar as text (ids may be numbers); "" for anything else."""
    if isinstance(value, str):
        return storable(value).strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _worded(value: Any) -> Any:
    """A value with its scalars as strings, as in front matter."""
    if isinstance(value, dict):
        return {str(key): _words(one) if isinstance(one, list) else _word(one) for key, one in value.items()}
    return list(_words(value)) if isinstance(value, list) else _word(value)


def _words(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(dict.fromkeys(word for part in parts if (word := _word(part))))

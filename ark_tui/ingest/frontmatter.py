"""Front matter: YAML, TOML or `key:: value` lines, parsed as untrusted input.

Every scalar stays a string as written (`tags: [no, 2024]` are two strings). YAML tags create no objects;
anchors, aliases and deep nesting are refused, so that a few lines cannot expand to gigabytes. If a block is
invalid, its entries are parsed one at a time, and the notice names the lines that were not read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from ark_tui.ingest.decode import storable

LARGEST = 65_536  # characters of a block
LONGEST = 1_000  # characters of a field's value
DEEPEST = 16  # nesting depth of lists and mappings

Value: TypeAlias = "str | list[Any] | dict[str, Any]"

_YAML = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(
    r"(?P<key>[^\s#:'\"\[\]{},-][^:\n]*?|'[^'\n]*'|\"[^\"\n]*\")[ \t]*:(?:[ \t]+(?P<value>.*)|[ \t]*)\Z"
)
_LOGSEQ = re.compile(r"(?P<key>[^\W\d][\w./-]*)::[ \t]*(?P<value>[^\n]*?)[ \t\r]*(?:\n|\Z)")
_INLINE = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?P<line>[^\W\d][\w /-]{0,40})::[ \t]+(?P<value>\S[^\n]*)$"
    r"|[\[(](?P<key>[^\W\d][\w /-]{0,40})::[ \t]*(?P<within>[^\]\)\n]+)[\])]",
    re.MULTILINE,
)
_SUMMARY = re.compile(
    r"^(?:description|summary|abstract)[ \t]*(?:::?|=)[ \t]*(?:[>|][+-]?[ \t]*)?[\"']*"
    r"(?P<text>[^\n]*(?:\n[ \t]+[^\n]+)*)",
    re.IGNORECASE | re.MULTILINE,
)
_REFUSED = re.compile(r"[&*!][\w.:/-]+(?:\s|\Z)")  # an anchor, alias or YAML tag is never text
_EMPTY = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The metadata of a document. `end`: character offset at which the text begins."""

    values: dict[str, Value] = field(default_factory=dict)
    end: int = 0
    broken: bool = False  # part of the block was not read; the block stays in the text
    notice: str = ""

    def get(self, key: str) -> Value | None:
        """The value of a key, ignoring case."""
        if key in self.values:
            return self.values[key]
        wanted = key.casefold()
        return next((value for name, value in self.values.items() if name.strip().casefold() == wanted), None)

    def text(self, *keys: str) -> str:
        """The first of these keys that has a single value, else ""."""
        values = (self.get(key) for key in keys)
        return next((word for value in values if isinstance(value, str) for word in _words(value)), "")

    def all(self, key: str) -> tuple[str, ...]:
        """The values of a key (single or list), in order, without duplicates."""
        return tuple(dict.fromkeys(_words(self.get(key))))

    def aliases(self) -> tuple[str, ...]:
        """Aliases of the document: a list, or one line with commas."""
        values = [self.get(key) for key in ("aliases", "alias")]
        lists = [value.split(",") if isinstance(value, str) else value for value in values]
        return tuple(dict.fromkeys(_words([entry for entry in lists if entry])))

    def fields(self) -> tuple[tuple[str, str], ...]:
        """All pairs of key and value; a nested key is `outer.inner`."""
        return tuple(_fields(self.values))

    def tags(self) -> tuple[str, ...]:
        """Tags of `tags` and `tag`: a list, or one line with commas or spaces; `#` is removed."""
        found: list[str] = []
        for value in (self.get("tags"), self.get("tag")):
            for words in _words(value):
                blanks = isinstance(value, str) and "," not in words
                found += words.split() if blanks else words.split(",")
        return tuple(dict.fromkeys(tag for word in found if (tag := word.strip().lstrip("#").rstrip(";"))))

    def merged(self, other: FrontMatter) -> FrontMatter:
        """Merge two blocks; for a key in both, the first counts."""
        notice = "; ".join(filter(None, (self.notice, other.notice)))
        return FrontMatter(
            {**other.values, **self.values}, other.end or self.end, self.broken or other.broken, notice
        )


def _words(value: Any, depth: int = DEEPEST) -> list[str]:
    """The strings in a value, each on one line. YAML parses an unquoted `[[x]]` as nested lists."""
    if isinstance(value, str):
        return [] if value in _EMPTY else [storable(" ".join(value.split()))]
    if not isinstance(value, list) or not depth:
        return []
    return [word for part in value for word in _words(part, depth - 1)]


def _fields(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        key = f"{above}{storable(' '.join(name.split()))}"
        if isinstance(value, dict):
            yield from _fields(value, f"{key}.")
        else:
            yield from ((key, word[:LONGEST]) for word in dict.fromkeys(_words(value)))


def read(body: str) -> FrontMatter:
    """Parse the front matter of a text; `values` is empty if there is none.

    A second YAML block directly after the first, as some exporters write it, is read too. An entry that is
    not valid YAML is read as plain text if unambiguous; otherwise `notice` names its line and the block stays
    in the text.
    """
    if body.startswith("+++"):
        return _toml(body)
    if not body.startswith("---"):
        return _logseq(body)
    first = _yaml(body, 0)
    head = body[first.end : first.end + LARGEST]
    start = first.end + len(head) - len(head.lstrip())
    if not first.values or not body.startswith("---", start):
        return first
    second = _yaml(body, start)
    return first.merged(second) if second.values else first


def inline(body: str, start: int) -> Iterator[tuple[str, str, int]]:
    """Dataview fields in a text (a line `key:: value`, or inline `[key:: value]`), with their offsets."""
    if "::" not in body[start:]:
        return
    for match in _INLINE.finditer(body, start):
        key, value = match["line"] or match["key"], match["value"] or match["within"]
        yield " ".join(key.split()), storable(" ".join(value.split()))[:LONGEST], match.start()


def summaries(head: str) -> Iterator[tuple[int, int]]:
    """Offsets (start, end) of descriptions in front matter, which are indexed as text."""
    for match in _SUMMARY.finditer(head):
        written = match["text"].rstrip(" \t\r\n\"'")
        if written.strip() and written not in _EMPTY:
            yield (
                match.start("text") + len(written) - len(written.lstrip()),
                match.start("text") + len(written),
            )


def _yaml(body: str, start: int) -> FrontMatter:
    """The YAML block that begins at `start`."""
    match = _YAML.match(body, start, start + LARGEST)
    if match is None:
        return FrontMatter()
    import yaml

    try:
        values = _load(match[1])
    except (yaml.YAMLError, ValueError):
        return _entry_by_entry(match, 2 + body.count("\n", 0, start))
    if isinstance(values, dict):
        return FrontMatter({str(key): value for key, value in values.items()}, match.end())
    return FrontMatter(end=match.end()) if values is None else FrontMatter()


def _toml(body: str) -> FrontMatter:
    """The TOML block between two lines of `+++`, as Hugo writes it."""
    match = _TOML.match(body, 0, LARGEST)
    if match is None:
        return FrontMatter()
    try:
        values = tomllib.loads(match[1])
    except tomllib.TOMLDecodeError as error:
        return FrontMatter({}, match.end(), broken=True, notice=f"front matter: {error}")
    return FrontMatter({key: _as_text(value) for key, value in values.items()}, match.end())


def _as_text(value: Any, depth: int = DEEPEST) -> Value:
    """A TOML value as strings, as for YAML."""
    if isinstance(value, dict):
        return {str(key): _as_text(one, depth - 1) for key, one in value.items()} if depth else ""
    if isinstance(value, list):
        return [_as_text(one, depth - 1) for one in value] if depth else ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _logseq(body: str) -> FrontMatter:
    """The `key:: value` lines at the beginning of a Logseq page."""
    values: dict[str, Value] = {}
    end = 0
    while match := _LOGSEQ.match(body, end, LARGEST):
        values[match["key"]] = match["value"]
        end = match.end()
    return FrontMatter(values, end)


class _Entry(NamedTuple):
    """The raw lines of one top-level key."""

    key: str
    value: str  # on the line of the key
    below: list[str]
    line: int


def _entry_by_entry(match: re.Match[str], line: int) -> FrontMatter:
    """Parse a block that is invalid YAML entry by entry; `line` is the number of its first line."""
    values: dict[str, Value] = {}
    unread: list[int] = []
    for entry in _entries(match[1], line, unread):
        value = _entry_value(entry)
        if value is None:
            unread.append(entry.line)
        else:
            values[entry.key.strip("\"'")] = value
    lines = ", ".join(map(str, sorted(unread)))
    notice = f"front matter: not valid YAML, not read: line {lines}" if unread else ""
    return FrontMatter(values, match.end(), broken=bool(unread), notice=notice)


def _entries(block: str, line: int, unread: list[int]) -> Iterator[_Entry]:
    """The top-level entries of a block; numbers of lines outside any entry are added to `unread`."""
    entry: _Entry | None = None
    for number, row in enumerate(block.splitlines(), line):
        begun = _ENTRY.match(row)
        if begun:
            if entry:
                yield entry
            entry = _Entry(begun["key"].strip(), (begun["value"] or "").strip(), [], number)
        elif row.strip() and not row.startswith("#"):
            if entry is None:
                unread.append(number)
            else:
                entry.below.append(row)
    if entry:
        yield entry


def _entry_value(entry: _Entry) -> Value | None:
    """The value of one entry: as YAML, else as plain text or a plain list; else None."""
    import yaml

    written = "\n".join([f"value: {entry.value}", *entry.below])
    try:
        value = _load(written)
        if isinstance(value, dict) and "value" in value:
            return value["value"] if isinstance(value["value"], str | list | dict) else None
    except ValueError:
        return None
    except yaml.YAMLError:
        pass
    if _REFUSED.match(entry.value):
        return None
    if not entry.below:
        is_list = entry.value.startswith("[") and not entry.value.startswith("[[")
        return entry.value.strip("[]").split(",") if is_list else entry.value.strip("\"'")
    items = [
        row.strip().removeprefix("-").strip().strip("\"'")
        for row in entry.below
        if row.lstrip().startswith("-")
    ]
    return items if len(items) == len(entry.below) and not entry.value else None


def _load(text: str) -> Any:
    """Strings, lists and mappings from YAML, ignoring tags.

    Raises `yaml.YAMLError`, or `ValueError` for anchors, aliases and deep nesting.
    """
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ValueError("anchors and aliases are not read")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")
    return yaml.load(text, Loader=loader)  # noqa: S506 - it makes nothing but strings, lists and mappings

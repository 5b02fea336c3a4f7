"""The YAML block at the head of a Markdown file, read without trust.

Every scalar stays the string that was written (`tags: [no, 2024]` are two words), no tag makes an
object, and anchors, aliases and deep nesting are refused, so that no few lines can become gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ark_tui.ingest.decode import storable

LARGEST = 65_536  # characters
LONGEST = 1_000  # characters of a value that is looked for as a field
DEEPEST = 16  # lists and mappings within each other

Value: TypeAlias = "str | list[Any] | dict[str, Any]"

_BLOCK = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"^(\w+):[ \t]+(\S.*)$", re.MULTILINE)
_EMPTY = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a document says of itself. `end` is where its text begins, in characters."""

    values: dict[str, Value] = field(default_factory=dict)
    end: int = 0
    broken: bool = False  # its block could not be read; it is kept as text
    notice: str = ""

    def text(self, *keys: str) -> str:
        """The first of these keys that has a single value, else ""."""
        values = (self.values.get(key) for key in keys)
        return next((word for value in values if isinstance(value, str) for word in _words(value)), "")

    def all(self, key: str) -> tuple[str, ...]:
        """The values of a key that has a single one or a list, each once, in order."""
        return tuple(dict.fromkeys(_words(self.values.get(key))))

    def aliases(self) -> tuple[str, ...]:
        """Other names of the document: a list, or one line with commas."""
        values = [self.values.get(key) for key in ("aliases", "alias")]
        lists = [value.split(",") if isinstance(value, str) else value for value in values]
        return tuple(dict.fromkeys(_words([entry for entry in lists if entry])))

    def fields(self) -> tuple[tuple[str, str], ...]:
        """Every key that says something, with each of its values; a key within another is `outer.inner`."""
        return tuple(_fields(self.values))

    def tags(self) -> tuple[str, ...]:
        """Tags may also stand in one line with commas; `#` is taken off."""
        lines = (part for word in self.all("tags") for part in word.split(","))
        return tuple(dict.fromkeys(tag for line in lines if (tag := line.strip().lstrip("#"))))


def _words(value: Any, depth: int = DEEPEST) -> list[str]:
    """The strings in a value, each in one line. An unquoted `[[x]]` is a list in a list to YAML."""
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
    """The front matter of a text; without `values` where there is none.

    A block that is not YAML is no reason to lose the document: its plain `key: value` lines are taken,
    `notice` names the line, and the block stays in the text.
    """
    if not body.startswith("---"):
        return FrontMatter()
    match = _BLOCK.match(body, 0, LARGEST)
    if match is None:
        return FrontMatter()
    import yaml

    try:
        values = _load(match[1])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 2}" if mark else ""
        return _broken(match, f"front matter{line}: {error.problem or error.context}")
    except (yaml.YAMLError, ValueError) as error:
        return _broken(match, f"front matter, {str(error).splitlines()[0]}")
    if isinstance(values, dict):
        return FrontMatter({str(key): value for key, value in values.items()}, match.end())
    return FrontMatter(end=match.end()) if values is None else FrontMatter()


def _load(text: str) -> Any:
    """Strings, lists and mappings, made of YAML's events as they come, whatever tags stand with them.

    Raises `yaml.YAMLError`, or `ValueError` for what is refused.
    """
    import yaml

    within: list[list[Any]] = [
        []
    ]  # the documents, and what each open collection has so far, keys among values
    begun: list[Any] = []  # the events that opened those
    for event in yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ValueError(f"line {_line(event)}: anchors and aliases are not read")
        if isinstance(event, yaml.ScalarEvent):
            within[-1].append(event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            begun.append(event)
            within.append([])
            if len(begun) > DEEPEST:
                raise ValueError(f"line {_line(event)}: nested more than {DEEPEST} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            _close(within, begun)
        elif isinstance(event, yaml.DocumentStartEvent) and within[0]:
            raise ValueError(f"line {_line(event)}: but found another document")
    return within[0][0] if within[0] else None


def _close(within: list[list[Any]], begun: list[Any]) -> None:
    """End the collection that was begun last, which the one around it has then; as a key it is refused."""
    from yaml import MappingStartEvent

    made, start = within.pop(), begun.pop()
    if begun and isinstance(begun[-1], MappingStartEvent) and len(within[-1]) % 2 == 0:
        raise ValueError(f"line {_line(start)}: found unhashable key")
    pairs = zip(made[::2], made[1::2], strict=False)
    within[-1].append(dict(pairs) if isinstance(start, MappingStartEvent) else made)


def _line(event: Any) -> int:
    return event.start_mark.line + 2 if event.start_mark else 0


def _broken(match: re.Match[str], notice: str) -> FrontMatter:
    plain: dict[str, Value] = {key: value.strip().strip("\"'") for key, value in _PLAIN.findall(match[1])}
    return FrontMatter(plain, match.end(), broken=True, notice=notice)

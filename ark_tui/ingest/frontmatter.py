"""The YAML block at the head of a Markdown file, read without trust.

Every scalar stays the string that was written (`tags: [no, 2024]` are two words), no tag makes an
object, and anchors, aliases and deep nesting are refused, so that no few lines can become gigabytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

LARGEST = 65_536  # characters
DEEPEST = 16  # lists and mappings within each other

Value: TypeAlias = "str | list[Any] | dict[str, Any]"

_BLOCK = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"^(\w+):[ \t]+(\S.*?)[ \t\r]*$", re.MULTILINE)
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
        return next((v.strip() for k in keys if isinstance(v := self.values.get(k), str)), "")

    def list(self, key: str) -> tuple[str, ...]:
        """A value that may be one string, one with commas, or a list; each once, in order."""
        value = self.values.get(key, "")
        parts = value.split(",") if isinstance(value, str) else flat(value)
        return tuple(dict.fromkeys(part for part in map(str.strip, parts) if part not in _EMPTY))

    def names(self, key: str) -> tuple[str, ...]:
        """Documents that are named: a string or a list, in `[[…]]` or without."""
        return tuple(name for part in flat(self.values.get(key, "")) if (name := part.strip()) not in _EMPTY)


def flat(value: Any) -> list[str]:
    """The strings in a value. An unquoted `[[x]]` is a list in a list to YAML."""
    if isinstance(value, str):
        return [value]
    return [text for part in value for text in flat(part)] if isinstance(value, list) else []


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
    """Strings, lists and mappings. Raises `yaml.YAMLError`, or `ValueError` for what is refused."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        line = event.start_mark.line + 2 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ValueError(f"line {line}: anchors and aliases are not read")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise ValueError(f"line {line}: nested more than {DEEPEST} deep")
    return yaml.load(text, Loader=loader)  # noqa: S506 - the base loader makes strings, lists and mappings only


def _broken(match: re.Match[str], notice: str) -> FrontMatter:
    plain = {key: value.strip("\"'") for key, value in _PLAIN.findall(match[1])}
    return FrontMatter(dict(plain), match.end(), broken=True, notice=notice)

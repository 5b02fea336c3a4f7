"""Kinds of settings: validation of values, and parsing from text."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off", "")

LONGEST_SHOWN = 200  # characters of a value in a warning
LONGEST_NAME = 200  # characters
HOST = re.compile(r"[\w.:%-]+")
SECRET = ("key", "token", "secret", "password", "sig")
PLACES = ("s3://", "gs://", "az://", "db://")  # storage and servers of LanceDB tables
PROVIDERS = ("local", "ollama", "openai", "openrouter")


class Unfit(ValueError):
    """An invalid value; the message describes valid ones.

    `secret`: the value may contain a key and must not be shown.
    """

    def __init__(self, what: str, *, secret: bool = False) -> None:
        super().__init__(what)
        self.secret = secret


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value. `valid`: valid values in words. `items`: a list whose items are checked singly.

    `convert` returns the value to use; None or a `ValueError` if it is invalid. `read` parses a text into a
    value, without validation.
    """

    valid: str
    convert: Callable[[Any], Any]
    read: Callable[[str], object] = str
    items: bool = False

    def check(self, value: object) -> Any:
        """Validate and convert a value. Raises `Unfit`."""
        try:
            found = self.convert(value)
        except Unfit:
            raise
        except ValueError:
            found = None
        if found is None:
            raise Unfit(self.valid)
        return found


def choice(*names: str) -> Kind:
    """One of a few names."""
    return Kind("one of " + ", ".join(names), lambda value: value if _text(value) in names else None)


def whole(low: int, high: int) -> Kind:
    """An integer between two bounds, inclusive."""

    def convert(value: object) -> int | None:
        return value if type(value) is int and low <= value <= high else None

    return Kind(f"a whole number from {low} to {high}", convert, lambda text: _number(text, int))


def number(low: float, high: float) -> Kind:
    """A number between two bounds, inclusive."""

    def convert(value: object) -> float | None:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        return float(str(value)) if good and low <= value <= high else None  # type: ignore[operator]

    return Kind(f"a number from {low:g} to {high:g}", convert, lambda text: _number(text, float))


def address(*, bare: bool = False) -> Kind:
    """An `http` or `https` address without keys in it, or "".

    `bare`: the scheme is optional, as in `OLLAMA_HOST=127.0.0.1:11434`.
    """

    def convert(value: str) -> str | None:
        text = _text(value).strip()
        if not value:
            return value
        if "@" in text:
            raise _with_keys()
        parts = urlsplit(text if "://" in text or not bare else f"http://{text}")
        if any(word in parts.query.lower() for word in SECRET):
            raise _with_keys()
        good = parts.scheme in {"http", "https"} and bool(parts.hostname or bare)
        good = good and (parts.port is None or parts.port > 0)
        return text if good and HOST.fullmatch(parts.hostname or "localhost") else None

    return Kind(f"an address such as http://127.0.0.1:{'11434' if bare else '8080/v1'}", convert)


def _text(value: object) -> str:
    """The value. Raises `ValueError` if it is no text."""
    if isinstance(value, str):
        return value
    raise ValueError(value)


def _with_keys() -> Unfit:
    return Unfit("an address without keys, which belong into the environment", secret=True)


def _number(text: str, make: Callable[[str], float]) -> object:
    try:
        return make(text)
    except ValueError:
        return text


def _flag(text: str) -> object:
    word = text.strip().lower()
    return True if word in YES else False if word in NO else text


def _texts(value: object) -> tuple[str, ...] | None:
    given = tuple(value) if isinstance(value, list | tuple) else (None,)
    known = tuple(item for item in given if isinstance(item, str))
    return known if len(known) == len(given) else None


def _listed(text: str) -> object:
    if text.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return [item.strip() for item in text.split(",") if item.strip()]


def _name(value: object) -> str | None:
    text = _text(value)
    return text.strip() if text.strip() and text.isprintable() and len(text) <= LONGEST_NAME else None


def _table(value: object) -> dict[str, str] | None:
    good = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return {str(name): item for name, item in value.items()} if good else None  # type: ignore[attr-defined]


def _place(value: object) -> str | None:
    text = _text(value).strip().rstrip("/")
    if "://" in text and ("@" in text or "?" in text):
        raise _with_keys()
    if text.startswith("~"):
        text = str(Path(text).expanduser())
    away = text.startswith(PLACES) and bool(text.partition("://")[2])
    return text if not text or away or text.startswith("/") else None


def _model(value: object) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    if text in {"auto", "static"}:
        return text
    if "://" in text:
        found: str = address().check(text)
        return found
    provider, _, model = text.partition(":")
    if text and provider not in PROVIDERS and "@" not in text and not text.startswith("-"):
        return f"ollama:{text}"
    return text if model else None


TEXT = Kind("a text", _text)
NAME = Kind(f"a name on one line of at most {LONGEST_NAME} characters", _name)
FLAG = Kind("true or false", lambda value: value if isinstance(value, bool) else None, _flag)
TEXTS = Kind("a list of texts", _texts, _listed, items=True)
"""A list of texts. As text: separated by commas, or as JSON."""

TABLE = Kind("a table of texts", _table)
PLACE = Kind("an absolute path, or an address such as s3://bucket/prefix", _place)
"""The location of a table: an absolute path, or the address of storage or a server, without keys."""

MODEL = Kind("auto, static, local:MODEL, ollama:MODEL, openai:MODEL, openrouter:MODEL or an address", _model)
"""A choice of the embedding model: `auto`, `static`, `PROVIDER:MODEL`, or the address of an endpoint.

A plain name, as `EMBEDDING_MODEL` often holds one, is a model of Ollama.
"""


def shown(value: object) -> str:
    """A value for a warning, shortened."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "what stands there"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def unset(text: str) -> bool:
    """Whether a value is empty or an unexpanded `${VAR}`."""
    bare = text.strip()
    return not bare or (bare.startswith("${") and bare.endswith("}") and "}" not in bare[2:-1])


VARIABLES = ("ARK_DIRS", "RALPH_KNOWLEDGE_DIRS")
FALLBACK = "thoughts"
EXPECTED = 'a list of folders, each a text or a table such as { path = "~/notes", name = "notes" }'

Complain = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to index; `name`: of its collection, "" for the folder's name."""

    path: Path
    name: str = ""


def split(text: str, relative_to: Path) -> tuple[Root, ...]:
    """The folders in a comma-separated variable."""
    return tuple(Root(folder(part, relative_to)) for part in text.split(",") if not unset(part))


def listed(value: object, relative_to: Path, complain: Complain) -> tuple[Root, ...]:
    """The folders of a `roots` list. Invalid items are reported to `complain` and left out.

    A single text counts as a list of one. Raises `Unfit` for anything else.
    """
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise Unfit(EXPECTED)
    return tuple(_items(value, relative_to, complain))


def folder(text: str, relative_to: Path) -> Path:
    """An absolute path; `~` is the user's home."""
    return Path(os.path.normpath(relative_to / os.path.expanduser(text.strip())))  # noqa: PTH111 - an unknown ~user stays


def _items(value: list[object], relative_to: Path, complain: Complain) -> Iterator[Root]:
    for item in value:
        path = item.get("path") if isinstance(item, dict) else item
        name = item.get("name", "") if isinstance(item, dict) else ""
        if not isinstance(path, str) or not isinstance(name, str):
            complain(f"must contain only folders, not {shown(item)}")
        elif not unset(path):
            yield Root(folder(path, relative_to), "" if unset(name) else name.strip())

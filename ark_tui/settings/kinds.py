"""Kinds of settings: validation of values, and parsing from text."""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off", "")


LONGEST_SHOWN = 200  # characters of a value in a warning
HOST = re.compile(r"[\w.:%-]+")
SECRET = ("key", "token", "secret", "password", "sig")


class Unfit(ValueError):
    """An invalid value; the message describes valid ones.

    `secret`: the value may contain a key and must not be shown.
    """

    def __init__(self, what: str, *, secret: bool = False) -> None:
        super().__init__(what)
        self.secret = secret


class Kind(ABC):
    """One kind of value."""

    __slots__ = ()

    @abstractmethod
    def check(self, value: object) -> object:
        """Validate and convert a value. Raises `Unfit`."""

    def read(self, text: str) -> object:
        """Parse a text into a value, without validation."""
        return text


class Text(Kind):
    """Any text."""

    def check(self, value: object) -> str:
        if isinstance(value, str):
            return value
        raise Unfit("a text")


class Name(Kind):
    """A short name: printable characters on one line."""

    LONGEST = 200

    def check(self, value: object) -> str:
        if isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= self.LONGEST:
            return value.strip()
        raise Unfit(f"a name on one line of at most {self.LONGEST} characters")


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of a few names."""

    names: tuple[str, ...]

    def check(self, value: object) -> str:
        if isinstance(value, str) and value in self.names:
            return value
        raise Unfit("one of " + ", ".join(self.names))


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """An integer between two bounds, inclusive."""

    low: int
    high: int

    def check(self, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return value
        raise Unfit(f"a whole number from {self.low} to {self.high}")

    def read(self, text: str) -> object:
        try:
            return int(text)
        except ValueError:
            return text


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A number between two bounds, inclusive."""

    low: float
    high: float

    def check(self, value: object) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if good and self.low <= value <= self.high:  # type: ignore[operator]
            return float(str(value))
        raise Unfit(f"a number from {self.low:g} to {self.high:g}")

    def read(self, text: str) -> object:
        try:
            return float(text)
        except ValueError:
            return text


class Flag(Kind):
    """Yes or no."""

    def check(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise Unfit("true or false")

    def read(self, text: str) -> object:
        word = text.strip().lower()
        return True if word in YES else False if word in NO else text


@dataclass(frozen=True, slots=True)
class Texts(Kind):
    """A list of texts. As text: separated by commas, or as JSON."""

    def check(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise Unfit("a list of texts")
        return tuple(str(item) for item in value)

    def read(self, text: str) -> object:
        if text.lstrip().startswith("["):
            with suppress(ValueError, RecursionError):
                return json.loads(text)
        return [item.strip() for item in text.split(",") if item.strip()]


class Names(Kind):
    """A table from names to texts."""

    def check(self, value: object) -> dict[str, str]:
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return {str(name): str(item) for name, item in value.items()}
        raise Unfit("a table of texts")


class Uri(Kind):
    """The location of a table: an absolute path, or the address of storage or a server, without keys."""

    SUCH = "an absolute path, or an address such as s3://bucket/prefix"
    SCHEMES = ("s3://", "gs://", "az://", "db://")

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise Unfit(self.SUCH)
        text = value.strip().rstrip("/")
        if "://" in text and ("@" in text or "?" in text):
            raise Unfit("an address without keys, which belong into the environment", secret=True)
        if text.startswith("~"):
            text = str(Path(text).expanduser())
        away = text.startswith(self.SCHEMES) and bool(text.partition("://")[2])
        if text and not away and not text.startswith("/"):
            raise Unfit(self.SUCH)
        return text


class Address(Kind):
    """An `http` or `https` address without keys in it, or "".

    `bare`: the scheme is optional, as in `OLLAMA_HOST=127.0.0.1:11434`.
    """

    def __init__(self, *, bare: bool = False) -> None:
        self._bare = bare
        self._such = f"an address such as http://127.0.0.1:{'11434' if bare else '8080/v1'}"

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise Unfit(self._such)
        return value and self._checked(value.strip())

    def _checked(self, text: str) -> str:
        try:
            parts = urlsplit(text if "://" in text or not self._bare else f"http://{text}")
            good = parts.scheme in {"http", "https"} and bool(parts.hostname or self._bare)
            good = good and (parts.port is None or parts.port > 0)
            good = good and HOST.fullmatch(parts.hostname or "localhost") is not None
        except ValueError:
            good, parts = False, urlsplit("")
        if "@" in text or any(word in parts.query.lower() for word in SECRET):
            raise Unfit("an address without keys, which belong into the environment", secret=True)
        if not good:
            raise Unfit(self._such)
        return text


class Model(Kind):
    """A choice of the embedding model: `auto`, `static`, `PROVIDER:MODEL`, or the address of an endpoint.

    A plain name, as `EMBEDDING_MODEL` often holds one, is a model of Ollama.
    """

    providers = ("local", "ollama", "openai", "openrouter")

    def check(self, value: object) -> str:
        text = value.strip() if isinstance(value, str) else ""
        if text in {"auto", "static"}:
            return text
        if "://" in text:
            return Address().check(text)
        provider, _, model = text.partition(":")
        if text and provider not in self.providers and "@" not in text and not text.startswith("-"):
            return f"ollama:{text}"
        if model:
            return text
        raise Unfit("auto, static, local:MODEL, ollama:MODEL, openai:MODEL, openrouter:MODEL or an address")


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

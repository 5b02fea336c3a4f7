"""What a model of an Ollama is made for, read from the server's own answers; its name is the last resort."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import families
from ark_tui.settings.home import checked, read_checked, write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Kind:
    """What a model is made for. `context`: tokens that it takes, `dims`: of its vectors; 0 where not said."""

    embeds: bool = False
    completes: bool = False
    context: int = 0
    dims: int = 0

    @property
    def purpose(self) -> str:
        """In words; empty for what is neither."""
        return " and ".join(("embedding",) * self.embeds + ("writing",) * self.completes)


class Kinds:
    """What servers have said of models, by digest: in memory, and in a folder that may be deleted any time.

    Thread-safe: what two threads learn of one digest is the same.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, Kind] = {}

    def get(self, digest: str) -> Kind | None:
        """What is known of a model."""
        if digest and digest not in self._known and self._folder and digest.isalnum():
            with suppress(ValueError, TypeError, KeyError):
                self._known[digest] = _checked(read_json(read_checked(self._folder / digest) or b""))
        return self._known.get(digest)

    def keep(self, digest: str, kind: Kind) -> None:
        """Learn it; where the folder may not be written, the next run asks again."""
        if not digest:
            return
        self._known[digest] = kind
        if self._folder and digest.isalnum():
            with suppress(OSError):
                write_file(self._folder / digest, checked(json.dumps(asdict(kind)).encode()))


def _checked(found: Any) -> Kind:
    """A kind from its file; raises `ValueError` or `TypeError` for anything else."""
    return Kind(bool(found["embeds"]), bool(found["completes"]), int(found["context"]), int(found["dims"]))


def of_entry(entry: Mapping[str, Any]) -> Kind | None:
    """The kind by an entry of `/api/tags`; None where the server does not tell it there."""
    told = entry.get("capabilities")
    if not told:
        return None
    details = entry.get("details") or {}
    return _of(told, details.get("context_length"), details.get("embedding_length"))


def of_show(answer: Mapping[str, Any]) -> Kind | None:
    """The kind by an answer of `/api/show`; None where that does not tell it.

    Servers from before capabilities tell how vectors are pooled, which only models for embedding have.
    """
    info = answer.get("model_info") or {}
    sizes = {str(key).rpartition(".")[2]: value for key, value in info.items()}
    told = answer.get("capabilities") or (
        () if not info else ("embedding",) if "pooling_type" in sizes else ("completion",)
    )
    return _of(told, sizes.get("context_length"), sizes.get("embedding_length")) if told else None


def guessed(name: str, family: str = "") -> Kind:
    """The kind of a model of which its server does not tell it."""
    embeds = "bert" in family or families.embeds(name)
    return Kind(embeds, not embeds)


def _of(told: Iterable[object], context: object, dims: object) -> Kind:
    names = {str(one) for one in told}
    embeds = "embedding" in names
    return Kind(embeds, "completion" in names, _count(context), _count(dims) if embeds else 0)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 40 else 0

"""Models that can be downloaded by name from the Hugging Face hub.

Each file is checked against the hub's listing: large files by SHA-256, small ones by git blob id. No other
part of this program contacts the hub.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ark_tui.domain.errors import Hint, NotFound
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress
from ark_tui.embedding.retry import Down, NoKey, NoModel, Wrong
from ark_tui.embedding.shelf import wanted as model_files
from ark_tui.embedding.transport import Http
from ark_tui.settings.home import PRIVATE

WHO = "The hub"
SECONDS = 60.0  # timeout without data


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be added by name, and its repository on the hub."""

    name: str
    place: str
    about: str


OFFERS = (
    Offer("bge-small", "Xenova/bge-small-en-v1.5", "vectors, English"),
    Offer("e5-small", "Xenova/multilingual-e5-small", "vectors, many languages"),
    Offer("minilm", "Xenova/all-MiniLM-L6-v2", "vectors, English, the quickest"),
    Offer("ms-marco-minilm", "Xenova/ms-marco-MiniLM-L-6-v2", "re-ranking, English, the quickest"),
    Offer("bge-reranker", "Xenova/bge-reranker-base", "re-ranking, English and Chinese"),
    Offer("jina-reranker", "jinaai/jina-reranker-v1-tiny-en", "re-ranking, English, long texts"),
)


@dataclass(frozen=True, slots=True)
class Held:
    """A file as listed by the hub. `blob`: git blob id; `sha256`: only for large files."""

    name: str
    size: int
    blob: str
    sha256: str = ""

    @classmethod
    def of(cls, told: dict[str, Any]) -> Held:
        """From an entry of the hub's listing."""
        large = told.get("lfs") or {}
        return cls(
            str(told["rfilename"]), int(told["size"]), str(told["blobId"]), str(large.get("sha256", ""))
        )

    def fits(self, content: Path) -> bool:
        """Whether a downloaded file has this size and hash."""
        if content.stat().st_size != self.size:
            return False
        with content.open("rb") as file:
            if self.sha256:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
            git = hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)
            git.update(file.read())
            return git.hexdigest() == self.blob


def offer(name: str) -> Offer:
    """A model by its name. Raises `NotFound`, which lists the known names."""
    for one in OFFERS:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in OFFERS)
    raise NotFound(
        f"There is no model {name}.",
        f"There are {known}; " + Hint.give(from_="FOLDER", say="any other by its folder: {}."),
    )


def fetch(
    wanted: Offer, into: Path, address: str = "", stop: Stop = NEVER, progress: OnProgress = ignore
) -> str:
    """Download the files of a model into a folder; return their source. Raises `ServerFailure`.

    `address`: URL of the hub; empty for the default of huggingface-hub.
    """
    hub = (address or _endpoint()).rstrip("/")
    http = Http(WHO, hub, SECONDS, redirects=True)
    try:
        told = http.call("GET", f"api/models/{wanted.place}?blobs=true")
        with http.readable():
            commit, held = str(told["sha"]), [Held.of(one) for one in told["siblings"]]
        names = model_files((one.name for one in held), wanted.place)
        for one in held:
            if one.name in names:
                _fetch_file(http, f"{wanted.place}/resolve/{commit}", one, into, stop, progress)
    except NoKey as error:  # the hub answers 401 for a missing repository
        hint = Hint.give(from_="FOLDER", say="Take another model, or a folder: {}.")
        raise NoModel(f"{WHO} has no {wanted.place}.", hint) from error
    except Down as error:
        hint = f"{error.hint} " + Hint.give(from_="FOLDER", say="A folder needs no network: {}.")
        raise Down(error.what, hint) from error
    finally:
        http.close()
    return f"{wanted.place}@{commit}"


def _endpoint() -> str:
    """The default hub of huggingface-hub: `HF_ENDPOINT`, or the public one."""
    from huggingface_hub import constants

    return constants.ENDPOINT


def _fetch_file(http: Http, place: str, wanted: Held, into: Path, stop: Stop, progress: OnProgress) -> None:
    path, done = into / wanted.name, 0
    path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    with path.open("wb") as file, http.opened("GET", f"{place}/{quote(wanted.name)}") as answer:
        for piece in answer.iter_bytes():
            check(stop)
            done += len(piece)
            if done > wanted.size:
                break
            file.write(piece)
            progress(Progress("fetch", done, wanted.size, wanted.name))
    if not wanted.fits(path):
        raise Wrong(f"{wanted.name} is not the file that {WHO.lower()} says it is.", "Try again later.")

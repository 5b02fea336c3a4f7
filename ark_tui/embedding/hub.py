"""The models that can be fetched by name, and fetching one from the hub, which alone says what is right.

What the hub says of a file is checked: SHA-256 of large ones, git's own name of small ones. Nothing else of
this program asks the hub for anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ark_tui.domain.errors import Hint, NotFound
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.work import Progress
from ark_tui.embedding import folders, transport
from ark_tui.embedding.retry import Down, NoModel, Wrong, of_status
from ark_tui.settings.home import PRIVATE

if TYPE_CHECKING:
    import httpx

WHO = "The hub"
SECONDS = 60.0  # between two signs of life


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be added by name, and where the hub has it."""

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
    """A file as the hub describes it. `sha256` is of large files, `blob`, git's name, of all."""

    name: str
    size: int
    blob: str
    sha256: str = ""

    def fits(self, content: Path) -> bool:
        """Whether a file that has come is this one."""
        if content.stat().st_size != self.size:
            return False
        with content.open("rb") as file:
            if self.sha256:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
            git = hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)
            git.update(file.read())
            return git.hexdigest() == self.blob


def offer(name: str) -> Offer:
    """A model by its name. Raises `NotFound`, with the names of the known ones."""
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
    """Fetch the files of a model into a folder; returns where they are from. Raises `ServerFailure`.

    `address`: of a hub; empty for the one that the hub's own library names.
    """
    import httpx
    from huggingface_hub import constants

    with httpx.Client(
        base_url=address or constants.ENDPOINT, timeout=SECONDS, follow_redirects=True
    ) as client:
        commit, held = _listing(client, wanted)
        names = folders.wanted((one.name for one in held), wanted.place)
        for one in held:
            if one.name in names:
                place = f"{wanted.place}/resolve/{commit}/{quote(one.name)}"
                _fetched(client, place, one, into / one.name, stop, progress)
    return f"{wanted.place}@{commit}"


def _listing(client: httpx.Client, wanted: Offer) -> tuple[str, list[Held]]:
    with _answering(client):
        answer = client.get(f"api/models/{wanted.place}", params={"blobs": "true"})
        if answer.is_error:
            raise _refused(wanted, answer.status_code)
        told = read_json(answer.content)
        return str(told["sha"]), [_held(one) for one in told["siblings"]]


def _held(told: dict[str, Any]) -> Held:
    large = told.get("lfs") or {}
    name, size = str(told["rfilename"]), int(told["size"])
    return Held(name, size, str(told["blobId"]), str(large.get("sha256", "")))


def _fetched(
    client: httpx.Client, place: str, wanted: Held, into: Path, stop: Stop, progress: OnProgress
) -> None:
    into.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    done = 0
    with _answering(client), into.open("wb") as file, client.stream("GET", place) as answer:
        if answer.is_error:
            raise Wrong(f"{WHO} has not given {wanted.name} ({answer.status_code}).", "Try again later.")
        for piece in answer.iter_bytes():
            check(stop)
            done += len(piece)
            if done > wanted.size:
                break
            file.write(piece)
            progress(Progress("fetch", done, wanted.size, wanted.name))
    if not wanted.fits(into):
        raise Wrong(f"{wanted.name} is not the file that {WHO.lower()} says it is.", "Try again later.")


def _refused(wanted: Offer, status: int) -> Exception:
    if status in {401, 404}:  # it says 401 of what is not there
        return NoModel(
            f"{WHO} has no {wanted.place}.",
            Hint.give(from_="FOLDER", say="Take another model, or a folder: {}."),
        )
    return of_status(WHO, "", status, "")


@contextmanager
def _answering(client: httpx.Client) -> Iterator[None]:
    """Whatever the wire may do, as a `ServerFailure`."""
    try:
        yield
    except transport.broken() as error:
        failure = transport.failure(error, WHO, str(client.base_url), SECONDS)
        if isinstance(failure, Down):
            hint = f"{failure.hint} " + Hint.give(from_="FOLDER", say="A folder needs no network: {}.")
            raise Down(failure.what, hint) from error
        raise failure from error
    except transport.UNREADABLE as error:
        raise transport.nonsense(WHO) from error

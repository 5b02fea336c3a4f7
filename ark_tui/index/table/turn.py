"""Whose turn it is to write at a place: a row there, which its holder renews while it works.

Copies of one home share nothing but the place; what two of them wrote there at once would stand in one
version. No clock is compared with another machine's: who finds the turn taken watches it, and takes it over
where it was not renewed for `SILENT` seconds.
"""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, StoreError
from ark_tui.domain.protocols import OnWait, Stop, check, ignore
from ark_tui.index.table.place import Overtaken, Place

if TYPE_CHECKING:
    from pathlib import Path

TURN = "turn"
RENEW_EVERY = 10.0  # seconds
SILENT = 60.0  # seconds without a renewal after which its holder is taken for dead
LOOK_EVERY = 0.5  # seconds
SWEEP_EVERY = 32  # renewals, of which each is a version of the table
NOBODY = ""


class Turn:
    """The turn at a place, which is held."""

    def __init__(self, place: Place, who: str, serial: int) -> None:
        self._place, self._who, self._serial = place, who, serial
        self._hold = threading.Lock()

    def renew(self) -> None:
        """Say that its holder is still at work. Raises `Overtaken` where somebody else has it by now."""
        self._put(self._who)

    def give_back(self) -> None:
        """Let the next one have it."""
        self._put(NOBODY)
        if self._serial % SWEEP_EVERY == 0:
            self._place.squeeze(TURN)

    def _put(self, who: str) -> None:
        with self._hold:
            if not self._place.swap(TURN, _row(who), self._serial):
                raise Overtaken(
                    f"Another copy of this home has begun to publish at {self._place.uri}.",
                    "Let one of them publish there; what is missing is published when it is its turn.",
                )
            self._serial += 1


@contextmanager
def taken(uri: str, who: str, stop: Stop, on_wait: OnWait = ignore) -> Iterator[Turn]:
    """The turn at an address, renewed until the end of the block. `on_wait` is told for whom it waits.

    Raises `StoreError` where another holds it who works, and where the place cannot be read or written.
    """
    place = Place(uri)  # one of its own: it is used by two threads, in turns
    turn, over = _awaited(place, who, stop, on_wait), threading.Event()

    def renew() -> None:
        while not over.wait(RENEW_EVERY):
            with suppress(ArkError):  # what is written is refused where it has been lost
                turn.renew()

    renewing = threading.Thread(target=renew, name="turn", daemon=True)
    renewing.start()
    try:
        yield turn
    finally:
        over.set()
        renewing.join()
        with suppress(ArkError):  # it has been lost, or is taken over in a while
            turn.give_back()


def holder(home: Path) -> str:
    """What a home is called by those who share a place with it: each copy otherwise."""
    found = home.stat()
    told = f"{home.resolve()} {found.st_dev} {found.st_ino}"
    return f"{platform.node()} {blake2b(told.encode(), digest_size=8).hexdigest()}"


def _awaited(place: Place, who: str, stop: Stop, on_wait: OnWait) -> Turn:
    seen: int | None = None
    since = time.monotonic()
    while True:
        found = place.row(TURN)
        serial, held = (int(found["serial"]), str(found["told"])) if found else (0, NOBODY)
        if held in {NOBODY, who} or time.monotonic() - since > SILENT:
            if place.swap(TURN, _row(who), serial):
                return Turn(place, who, serial + 1)
        elif seen is not None and serial != seen:
            raise StoreError(
                f"{_named(held)} is publishing at {place.uri}.",
                "What is missing there is published when it is done.",
            )
        elif seen is None:
            seen = serial
            on_wait(f"{_named(held)} may be publishing at {place.uri}: waiting for a sign of it.")
        check(stop)
        time.sleep(LOOK_EVERY)


def _named(who: str) -> str:
    return f"Another copy of this home, on {who.partition(' ')[0]},"


def _row(who: str) -> dict[str, Any]:
    return {"key": TURN, "told": who}

"""Receipts: a search with all that its answer depends on, as a file, and such files run again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from ark_tui.domain.errors import ArkError, Hint, UsageError
from ark_tui.domain.receipts import FORMAT, KIND, Receipt, Verification, Verified
from ark_tui.domain.untrusted import read_json
from ark_tui.operations.call import Call
from ark_tui.operations.decoding import Misfit, decoded
from ark_tui.operations.encoding import encoded
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Name, Overwrite

FAMILY = "receipts"
SUFFIX = ".json"
MOST = 32 << 20  # bytes of a file that is read as a receipt


@operation(
    "receipt", Effect.READS, route="GET /searches/{id}/receipt", heavy=True,
    example="ark-tui receipt 3fa9c1 gap.json",
)  # fmt: skip
def receipt(
    call: Call,
    id: Annotated[
        Name,
        Param("A search that was run: its id, or the start of it.", example="3fa9c1", metavar="ID",
              argument=True),
    ],
    file: Annotated[
        Path | None,
        Param("Write it into this file; for a person only.", example="gap.json", metavar="FILE",
              argument=True, personal=True),
    ] = None,
    overwrite: Overwrite = False,
) -> Receipt:  # fmt: skip
    """Make a receipt of a search of the log: what it asked and answered, with every part of every score.

    It runs again by the clock of then. Where it answers otherwise by now, the receipt says so.
    """
    place = checked(call, file, overwrite=overwrite)
    made = call.engine.receipts.again(call.engine.history.search(id), call.stop)
    if place:
        write(place, made)
    return made


@operation(
    "verify", Effect.READS, route="POST /verify", heavy=True,
    example="ark-tui verify receipts gap.json",
)  # fmt: skip
def verify(
    call: Call,
    files: Annotated[
        tuple[Path, ...],
        Param("Receipts, and folders of them; for a person only.", example=("receipts", "gap.json"),
              metavar="FILE", argument=True, personal=True),
    ] = (),
    receipts: Annotated[
        tuple[dict[str, Any], ...],
        Param("A receipt itself, as JSON; for programs.", example='{"kind": "receipt of ark-tui", …}',
              option="--receipt", metavar="JSON"),
    ] = (),
    today: Annotated[bool, Param("Search by today's clock, not by the receipt's.", example=True)] = False,
) -> Verified:  # fmt: skip
    """Run the searches of receipts again, and say what has changed and why.

    An answer is its first ten hits in their order. What has changed without changing an answer is told, too.
    A command ends with 1 where an answer has changed, with 2 where a receipt cannot be read.
    """
    if files and not call.person:
        raise UsageError("Only a person names files.", "Give the receipts themselves.")
    named = [*_read(files), *((f"receipt {n}", one) for n, one in enumerate(receipts, 1))]
    if not named:
        raise UsageError("There is nothing to verify.", Hint.run("verify", "FILE", say="Name receipts: {}"))
    return Verified(tuple(_verified(call, name, found, today=today) for name, found in named))


def _verified(call: Call, name: str, found: Any, *, today: bool) -> Verification:
    """What has become of a receipt; of what is none, why. `found`: its JSON, or why there is none."""
    if isinstance(found, str):
        return Verification(name, "unreadable", why=found)
    try:
        return replace(call.engine.verifier.verify(made(found), call.stop, today=today), file=name)
    except UsageError as error:
        return Verification(name, "unreadable", why=error.what)


def made(found: Any) -> Receipt:
    """A receipt from its JSON. Raises `UsageError`."""
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise UsageError("It is no receipt of ark-tui.")
    if isinstance(found.get("format"), int) and found["format"] > FORMAT:
        raise UsageError(f"It is of a newer ark-tui: format {found['format']}, and this one reads {FORMAT}.")
    try:
        made: Receipt = decoded(Receipt, found)
        decoded(str, made.profile.get("name"), "profile.name")
    except Misfit as misfit:
        raise UsageError(f"It is a damaged receipt: {misfit}.") from misfit
    return made


def _read(files: tuple[Path, ...]) -> Iterator[tuple[str, Any]]:
    """The files and those below folders, by name, with their JSON; a sentence where there is none."""
    for path in (one.expanduser() for one in files):
        if not path.is_dir():
            yield str(path), _json(path)
            continue
        below = sorted(path.rglob(f"*{SUFFIX}"))
        if not below:
            raise UsageError(f"There is no receipt in {path}.", f"Receipts are files that end in {SUFFIX}.")
        yield from ((str(one), _json(one)) for one in below)


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > MOST:
            return "It is too large for a receipt."
        found = read_json(path.read_bytes())
    except OSError as error:
        return f"{error.strerror or error}."
    except ValueError:
        return "It is not JSON."
    return "It is no receipt of ark-tui." if isinstance(found, str) else found


def checked(call: Call, file: Path | None, *, overwrite: bool) -> Path | None:
    """Where a receipt is to be written. Raises before any work is done where it cannot be."""
    if file is None:
        return None
    if not call.person:
        raise UsageError("Only a person names a file to write.", "Leave it out: the receipt is answered.")
    path = file.expanduser()
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", "Name a file in it.")
    if not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent}.", "Make it, or name another place.")
    if path.exists() and not overwrite:
        raise UsageError(
            f"{path} is there already.", Hint.give(overwrite=True, say="{} writes in its place.")
        )
    return path


def write(path: Path, made: Receipt) -> None:
    """Write a receipt: complete, or not at all. Raises `ArkError`."""
    text = json.dumps(encoded(made), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(text.encode("utf-8", "backslashreplace"))
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise ArkError(
            f"{path} cannot be written: {error.strerror or error}.", "Name another place."
        ) from error

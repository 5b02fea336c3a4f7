"""Notes that become new Markdown files in the folder that the setting `inbox` names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError, Hint, UsageError
from ark_tui.domain.failures import if_full
from ark_tui.engine.services import Services
from ark_tui.settings.tree import Tree
from ark_tui.store import Lease, documents, files

LONGEST = 60  # characters of a file's name
TRIES = 1000  # names that may be taken


def folder(parts: Services) -> Path | None:
    """Where notes go as files; None where no such folder is configured."""
    named = parts.settings.inbox.strip()
    return Path(named).expanduser() if named else None


def write(parts: Services, text: str, title: str) -> Path:
    """Write a note as a new file, named for its title or the moment. Nothing is ever overwritten."""
    where = folder(parts)
    if where is None:
        raise UsageError("No inbox is configured.", 'Name a folder in config.toml: inbox = "~/notes/inbox"')
    if not where.is_absolute():
        raise UsageError(f"The inbox {where} is not an absolute path.", "Write it in full in config.toml.")
    if not text.strip():
        raise UsageError("There is no text to keep.", Hint.run("doc note", "a thought", say="Give some: {}"))
    heading = visible_line(" ".join(title.split()))
    body = f"# {heading}\n\n{text}" if heading else text
    body = body if body.endswith("\n") else body + "\n"
    with parts.store.read() as lease:
        followed = files.roots(lease).values()
    root, inside = _within(where, followed)
    stem = _stem(heading) or f"{parts.clock.now():%Y-%m-%d-%H%M%S}"
    for number in range(1, TRIES):
        name = f"{stem}.md" if number == 1 else f"{stem}-{number}.md"
        try:
            if str(root) not in followed:  # one that is not there now may be a disk that is not mounted
                root.mkdir(parents=True, exist_ok=True)
            _create(root, inside + name, body.encode("utf-8", "backslashreplace"))
        except FileExistsError:
            continue
        except OSError as error:
            raise if_full(error, where) or ArkError(
                f"The note cannot be written to {where}: {error.strerror or error}.",
                "Make the folder writable, or name another `inbox` in config.toml.",
            ) from error
        return where / name
    raise UsageError(f"{where} has {TRIES} notes called {stem}.", "Give this one another title.")


def _within(where: Path, roots: Iterable[str]) -> tuple[Path, str]:
    """The followed folder that the inbox lies in, and the way there, on which no link is followed."""
    above = [root for root in roots if where.is_relative_to(root)]
    root = Path(max(above, key=len)) if above else where
    return root, "".join(f"{name}/" for name in where.relative_to(root).parts)


def _create(root: Path, path: str, data: bytes) -> None:
    """A new file, whole or not at all."""
    with Tree(root) as tree, tree.create(path) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            tree.remove(path)
            raise


def take_in(parts: Services, path: Path) -> tuple[str, str]:
    """Index the new file; the collection and the path that it has there."""
    from ark_tui.engine import indexing

    report = indexing.ingest_file(parts, path, tags=())
    if report.left_out:
        raise ArkError(f"{path} is written, but cannot be indexed: {report.left_out[0].reason}.")
    with parts.store.read() as lease:
        return indexing.place(path.absolute(), files.roots(lease))


def number(lease: Lease, place: tuple[str, str]) -> int:
    """The document of the new file."""
    return documents.at(lease, *place)


def _stem(title: str) -> str:
    words = re.sub(r"[^\w]+", "-", title.casefold()).strip("-_")
    return words[:LONGEST].strip("-")

"""Writes reports: format, destination, and atomic replacement."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.interfaces.reports import data, markdown, page
from ark_tui.interfaces.reports.report import Report

Format: TypeAlias = Literal["md", "html", "json", "parquet"]
FORMATS: tuple[Format, ...] = ("md", "html", "json", "parquet")

SUFFIXES: dict[str, Format] = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".parquet": "parquet",
}


def format_of(path: Path) -> Format:
    """The format for a file's suffix. Raises `UsageError` for an unknown one."""
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        known = ", ".join(suffix for suffix in SUFFIXES)
        raise UsageError(
            f"The name {path.name} does not say in which form to write the report.",
            f"Use one of the endings {known}, or add --format.",
        )
    return found


def files(report: Report, form: Format) -> dict[str, bytes]:
    """The files of a report by name. A single file has no name; Parquet has one file per table."""
    if form == "md":
        return {"": markdown.written(report).encode()}
    if form == "html":
        return {"": page.written(report).encode()}
    if form == "json":
        text = json.dumps(data.document(report), ensure_ascii=False, allow_nan=False, indent=2)
        return {"": f"{text}\n".encode()}
    tables = [(f"{name}.parquet", data.parquet(table)) for name, table in data.tables(report)]
    return dict(tables) if len(tables) > 1 else {"": tables[0][1]}


def no_parquet(path: Path) -> UsageError:
    """The error for Parquet written to a stream."""
    return UsageError(f"Parquet cannot be written to {path}.", "Name a file, as in --export report.parquet.")


def check(path: Path, form: Format) -> None:
    """Raise `ArkError` for a destination that cannot be written, before any work is done."""
    folder = path.parent
    if not folder.is_dir():
        raise ArkError(f"There is no folder {folder}.", "Make it, or name another place for the report.")
    if path.is_dir() and not (form == "parquet" and _is_ours(path)):
        raise ArkError(
            f"{path} is a folder that is not a report. It was not changed.",
            "Name another place for the report.",
        )
    if _is_a_device(path):
        if form == "parquet":
            raise no_parquet(path)
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ArkError(f"Nothing can be written in {folder}.", "Name another place for the report.")


def put(contents: Mapping[str, bytes], path: Path) -> None:
    """Write the files of a report atomically, replacing existing ones.

    A file without a name is written to `path` itself, others into a folder of that name.
    """
    path = path.resolve()  # what a link leads to is replaced, not the link
    if _is_a_device(path):
        path.write_bytes(contents[""])
        return
    with _fresh(path) as fresh:
        if "" in contents:
            fresh.write_bytes(contents[""])
            return
        fresh.mkdir()
        for name, content in contents.items():
            (fresh / Path(name).name).write_bytes(content)


@contextmanager
def _fresh(path: Path) -> Iterator[Path]:
    """A temporary path next to `path`, renamed to it on success."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        yield fresh
        _put(fresh, path)
    except OSError as error:
        what = f"{path} could not be written: {error.strerror or error}."
        raise ArkError(what, "Check the folder, its permissions and the space on its disk.") from error
    finally:
        _gone(fresh)


def _put(fresh: Path, path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        old = path.with_name(f"{fresh.name}.old")
        path.replace(old)
        fresh.replace(path)
        _gone(old)
    elif fresh.is_dir() and path.exists():
        path.unlink()
        fresh.replace(path)
    else:
        fresh.replace(path)


def _gone(path: Path) -> None:
    remove: Callable[[Path], object] = shutil.rmtree if path.is_dir() else os.unlink
    if path.exists():
        remove(path)


def _is_a_device(path: Path) -> bool:
    """Whether the path is a device or pipe, which is written to but not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _is_ours(folder: Path) -> bool:
    """Whether a folder is a report: it contains only Parquet files written by ark-tui."""
    entries = [] if folder.is_symlink() else list(folder.iterdir())
    return bool(entries) and all(
        entry.is_file() and entry.suffix == ".parquet" and data.ours(entry) for entry in entries
    )

"""Writes reports: format, destination, and atomic replacement."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.interfaces.reports import data, markdown, page
from ark_tui.interfaces.reports.report import Report

Format: TypeAlias = Literal["md", "html", "json", "parquet"]
FORMATS: tuple[Format, ...] = ("md", "html", "json", "parquet")


def format_of(path: Path) -> Format:
    """The format for a file's suffix. Raises `UsageError` for an unknown one."""
    for form in FORMATS:
        if path.suffix.lower() == f".{form}":
            return form
    raise UsageError(
        f"The name {path.name} does not say in which form to write the report.",
        f"Use one of the endings {', '.join(f'.{form}' for form in FORMATS)}, or add --format.",
    )


def files(report: Report, form: Format) -> dict[str, bytes]:
    """The files of a report by name. A single file has no name; Parquet has one file per table."""
    if form == "md":
        return {"": markdown.written(report).encode()}
    if form == "html":
        return {"": page.written(report).encode()}
    if form == "json":
        text = json.dumps(data.document(report), ensure_ascii=False, allow_nan=False, indent=2)
        return {"": f"{text}\n".encode()}
    return {f"{name}.parquet": data.parquet(table) for name, table in data.tables(report).items()}


def no_parquet(path: Path) -> UsageError:
    """The error for Parquet written to a stream."""
    return UsageError(
        f"Parquet cannot be written to {path}.", "Name a folder, as in --export report.parquet."
    )


def check(path: Path, form: Format) -> None:
    """Raise `ArkError` for a destination that cannot be written, before any work is done."""
    folder, another = path.parent, "Name another place for the report."
    if form == "parquet" and path.exists() and not path.is_dir():
        if _is_a_device(path):
            raise no_parquet(path)
        raise ArkError(f"{path} is a file, and Parquet needs a folder. It was not changed.", another)
    if form != "parquet" and path.is_dir():
        raise ArkError(f"{path} is a folder. It was not changed.", another)
    if not folder.is_dir():
        raise ArkError(f"There is no folder {folder}.", "Make it, or name another place for the report.")
    if not _is_a_device(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise ArkError(f"Nothing can be written in {folder}.", another)


def put(contents: Mapping[str, bytes], path: Path) -> None:
    """Write the files of a report, each atomically, replacing those of the same name.

    A file without a name is written to `path` itself, others into a folder of that name.
    """
    path = path.resolve()  # what a link leads to is replaced, not the link
    try:
        if "" not in contents:
            path.mkdir(exist_ok=True)
        for name, content in contents.items():
            _write(path / name, content)
    except OSError as error:
        what = f"{path} could not be written: {error.strerror or error}."
        raise ArkError(what, "Check the folder, its permissions and the space on its disk.") from error


def _write(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it. A device or pipe is written to directly."""
    if _is_a_device(path):
        path.write_bytes(content)
        return
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _is_a_device(path: Path) -> bool:
    """Whether the path is a device or pipe, which is written to but not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()

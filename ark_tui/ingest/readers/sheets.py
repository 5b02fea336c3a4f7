"""Spreadsheets of Excel and OpenDocument, by calamine (requirement I8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from ark_tui.ingest.decode import LOCKED, Unreadable
from ark_tui.ingest.readers import zipped
from ark_tui.ingest.readers.content import Content, Text

PACKAGE = "EncryptedPackage".encode("utf-16-le")  # the part that Excel puts an encrypted workbook into


def read(data: bytes) -> Iterator[Content]:
    """A spreadsheet: each sheet by rows, below the names of its columns."""
    try:
        book = CalamineWorkbook.from_filelike(zipped.bounded(data, unpacked=True))
    except PasswordError as error:
        raise Unreadable(LOCKED) from error
    except CalamineError as error:  # which also stands for a password where it tries one format after another
        locked = PACKAGE in data or zipped.is_locked(data)
        raise Unreadable(LOCKED if locked else f"damaged: {error}") from error
    text = Text()
    for name in book.sheet_names:
        text.place(f"sheet {name}", 1)
        try:
            rows = book.get_sheet_by_name(name).iter_rows()
        except CalamineError:  # a sheet of charts
            continue
        text.table(map(_cell, row) for row in rows)
    yield text.content()


def _cell(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

"""Readers for non-text files, run in a separate process (`ark_tui.ingest.apart`).

A reader is a module of this package, imported only in that process, with an entry in `READERS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from shutil import which
from typing import TYPE_CHECKING, NamedTuple

from ark_tui.ingest.decode import LOCKED, Unreadable

if TYPE_CHECKING:
    from ark_tui.ingest.readers.content import Content

NEEDED = "needs ark-tui[files] (pip install 'ark-tui[files]')"
DRAWN = "scanned, or drawn"
UNSEEN = f"{DRAWN}; tesseract would read it, but is not installed"


class Reader(NamedTuple):
    """A reader module and its function; `needs`: the required package of the extra `files`."""

    module: str
    function: str
    needs: str = ""


READERS: dict[str, Reader] = {
    ".pdf": Reader("pdf", "read", "pypdfium2"),
    **dict.fromkeys((".docx", ".docm", ".dotx"), Reader("office", "document", "docx")),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx"), Reader("office", "slides", "pptx")),
    **dict.fromkeys(
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), Reader("office", "sheets", "python_calamine")
    ),
    **dict.fromkeys((".odt", ".ott", ".odp", ".otp"), Reader("zipped", "opendocument")),
    ".epub": Reader("zipped", "book"),
    ".rtf": Reader("office", "rich", "striprtf"),
    ".eml": Reader("mail", "message"),
    **dict.fromkeys((".mbox", ".mbx"), Reader("mail", "box")),
}
OLE = b"\xd0\xcf\x11\xe0"  # magic bytes of Office 97 files and of encrypted current ones
OLD = dict.fromkeys((".doc", ".ppt"), "a format of Office 97, which is not read: save it as .docx or .pptx")


def missing(suffix: str) -> bool:
    """Whether the package required for this suffix is not installed."""
    reader = READERS.get(suffix)
    return bool(reader and reader.needs and find_spec(reader.needs) is None)


def met(suffix: str, reason: str) -> bool:
    """Whether the missing package or program named in a skip reason is now installed."""
    from ark_tui.ingest.chunk import symbols
    from ark_tui.ingest.formats import sourcecode

    if reason.endswith(sourcecode.UNCUT):
        return not symbols.missing(sourcecode.LANGUAGES.get(suffix, ""))
    return (reason.startswith(NEEDED.partition(" (")[0]) and not missing(suffix)) or (
        reason.endswith(UNSEEN) and which("tesseract") is not None
    )


def texts(suffix: str, data: bytes) -> Iterable[Content]:
    """Extract the texts of a file. Raises `decode.Unreadable` with a reason, or any error of its library."""
    reader = READERS[suffix]
    if data.startswith(OLE) and reader.needs in ("docx", "pptx"):
        raise Unreadable(f"{LOCKED}; or a file of Office 97 by another name")
    found: Iterable[Content] = getattr(import_module(f"{__name__}.{reader.module}"), reader.function)(data)
    return found

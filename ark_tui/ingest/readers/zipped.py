"""OpenDocument and EPUB: ZIP archives of XML, in reading order (requirement I8)."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile, is_zipfile
from zlib import error as ZlibError  # noqa: N812 - as exceptions are named

from ark_tui.domain import archives
from ark_tui.ingest.decode import LOCKED, Unreadable
from ark_tui.ingest.formats import webpage
from ark_tui.ingest.readers.content import Content, Text

LARGEST = 64 << 20  # bytes of a part, unpacked
ALL = 256 << 20  # bytes of all parts, unpacked
MANIFEST = "META-INF/manifest.xml"  # in OpenDocument files
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
WORDS = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
DC = "{http://purl.org/dc/elements/1.1/}"
OPF = "{http://www.idpf.org/2007/opf}"
PAGE = "application/xhtml+xml"
CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"


def opendocument(data: bytes) -> Iterator[Content]:
    """Read a text or presentation: headings and paragraphs; each slide is a location heading."""
    with _opened(data) as parts:
        if _is_locked(parts):
            raise Unreadable(LOCKED)
        body = _xml(parts, "content.xml").find(f"{OFFICE}body")
        about = _xml(parts, "meta.xml") if "meta.xml" in parts.namelist() else None
    if body is None:
        raise Unreadable("damaged: it has no body")
    text = Text()
    _walk(text, body)
    yield text.content(**_said(about))


def is_locked(data: bytes) -> bool:
    """Whether these bytes are an encrypted OpenDocument file."""
    with suppress(Unreadable), _opened(data) as parts:
        return _is_locked(parts)
    return False


def _is_locked(parts: ZipFile) -> bool:
    return MANIFEST in parts.namelist() and b"encryption-data" in _bytes(parts, MANIFEST)


def book(data: bytes) -> Iterator[Content]:
    """Read an EPUB: chapters in spine order, each with a location heading."""
    with _opened(data) as parts:
        root = next(_xml(parts, "META-INF/container.xml").iter(f"{CONTAINER}rootfile"), None)
        place = root.get("full-path", "") if root is not None else ""
        package = _xml(parts, place)
        items = {one.get("id"): one for one in package.iter(f"{OPF}item")}
        text, number = Text(), 0
        pages = [_page(items, one.get("idref")) for one in package.iter(f"{OPF}itemref")]
        for href in dict.fromkeys(pages):
            name = posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(href)))
            if name not in parts.namelist():
                continue
            try:
                page = webpage.seen(_bytes(parts, name).decode("utf-8", "replace"))
            except Unreadable:  # a page without text
                continue
            number += 1
            text.place(f"chapter {number}", 1)
            text.take(page.body, page.built.blocks, below=1)
    yield text.content(**_said(package))


def _page(items: dict[str | None, ET.Element], key: str | None) -> str:
    """The path of a manifest item; if it is not XHTML, that of its first XHTML fallback; else ""."""
    for _ in range(len(items)):
        item = items.get(key)
        if item is None or item.get("media-type", PAGE) == PAGE:
            return item.get("href", "") if item is not None else ""
        key = item.get("fallback")
    return ""


@contextmanager
def _opened(data: bytes) -> Iterator[ZipFile]:
    try:
        with ZipFile(io.BytesIO(data)) as parts:
            archives.check(parts, ALL)
            if "META-INF/encryption.xml" in parts.namelist() and "META-INF/rights.xml" in parts.namelist():
                raise Unreadable("encrypted: it is protected")
            yield parts
    except archives.TooLarge as error:
        raise Unreadable(f"too large: {error}") from error
    except (
        BadZipFile,
        ZlibError,
        KeyError,
        ET.ParseError,
        RuntimeError,
        NotImplementedError,
        EOFError,
    ) as error:
        raise Unreadable(f"damaged: {error}") from error


def _bytes(parts: ZipFile, name: str) -> bytes:
    """Decompress a part. Raises `TooLarge`."""
    return archives.read(parts, name, LARGEST)


def bounded(data: bytes, *, unpacked: bool = False) -> io.BytesIO:
    """Check a file for a library that decompresses it itself; a non-archive is passed through.

    `unpacked`: decompress each part as a test, for a library that does not stop at the declared size. Raises
    `Unreadable` if the decompressed size is too large.
    """
    try:
        with ZipFile(io.BytesIO(data)) as parts:
            archives.check(parts, ALL)
            if unpacked:
                archives.unpack_all(parts)
    except archives.TooLarge as error:
        raise Unreadable(f"too large: {error}") from error
    except (BadZipFile, EOFError, ZlibError) as error:
        if is_zipfile(io.BytesIO(data)):
            raise Unreadable(f"damaged: {error}") from error
    except (RuntimeError, NotImplementedError):
        pass  # encrypted or another compression: the library reports it
    return io.BytesIO(data)


def _xml(parts: ZipFile, name: str) -> ET.Element:
    """Parse a part as XML. Raises `Unreadable` if it declares entities."""
    data = _bytes(parts, name)
    if b"<!ENTITY" in data:
        raise Unreadable("it declares entities, which are not read")
    return ET.fromstring(data)  # noqa: S314 - without entities, in a process of its own


def _walk(text: Text, element: ET.Element) -> None:
    slides = 0
    for child in element.iter():
        if child.tag == f"{DRAW}page":
            slides += 1
            text.place(f"slide {slides}", 1)
        elif child.tag == f"{WORDS}h":
            text.heading(_words(child), int(child.get(f"{WORDS}outline-level") or 1))
        elif child.tag == f"{WORDS}p":
            text.say(_words(child))


def _words(element: ET.Element) -> str:
    """The text of a paragraph with tabs, line breaks and spaces; without frames, notes and comments."""
    said = [element.text or ""]
    for child in element:
        if child.tag == f"{WORDS}s":
            said.append(" " * min(int(child.get(f"{WORDS}c") or 1), 100))
        elif child.tag in (f"{WORDS}tab", f"{WORDS}line-break"):
            said.append("\t" if child.tag.endswith("tab") else "\n")
        elif child.tag not in (f"{DRAW}frame", f"{WORDS}note", f"{OFFICE}annotation"):
            said.append(_words(child))
        said.append(child.tail or "")
    return "".join(said)


def _said(about: ET.Element | None) -> dict[str, object]:
    """Title, date and fields from Dublin Core metadata."""
    said = {
        tag: " ".join((one.text or "").split())
        for tag in ("title", "creator", "subject", "publisher", "language", "date")
        if about is not None and (one := about.find(f".//{DC}{tag}")) is not None
    }
    title, day = said.pop("title", ""), said.pop("date", "")[:10]
    fields = tuple(("author" if key == "creator" else key, value) for key, value in said.items() if value)
    return {"title": title, "date": day, "fields": fields}

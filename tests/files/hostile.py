"""Files that are made to hang, burst or break a reader; each is to end as a row with a reason."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from tests.files.makers import MAKERS

NULLS = bytes(1 << 20)
MEGABYTES = 700  # that a part of a bomb has, unpacked


def archive(parts: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(out := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name, data)
    return out.getvalue()


def changed(kind: str, parts: dict[str, bytes]) -> bytes:
    """A good file of a kind of archive with some parts in place of its own."""
    with zipfile.ZipFile(io.BytesIO(MAKERS[kind]())) as good:
        return archive({name: good.read(name) for name in good.namelist()} | parts)


def grown(kind: str, name: str) -> bytes:
    """A good file of a kind of archive, one part of which unpacks to very much."""
    with zipfile.ZipFile(io.BytesIO(MAKERS[kind]())) as good:
        parts = {other: good.read(other) for other in good.namelist() if other != name}
    with zipfile.ZipFile(out := io.BytesIO(), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        with made.open(name, "w", force_zip64=True) as part:
            part.write(b"<a>")
            for _ in range(MEGABYTES):
                part.write(b" " * (1 << 20))
        for other, data in parts.items():
            made.writestr(other, data)
    return out.getvalue()


def sheet(cells: str) -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = f'<worksheet xmlns="{space}"><sheetData>{cells}</sheetData></worksheet>'
    return changed("xlsx", {"xl/worksheets/sheet1.xml": rows.encode()})


def opendocument(kind: str, body: str) -> bytes:
    names = "".join(
        f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for short, name in (("office", "office"), ("text", "text"), ("table", "table"))
    )
    text = f"<office:document-content{names}><office:body>{body}</office:body></office:document-content>"
    return changed(kind, {"content.xml": text.encode()})


def word(body: str) -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    text = f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
    return changed("docx", {"word/document.xml": text.encode()})


def pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """Objects by number, from 1, with a table of where they are."""
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj" % number + body + b"endobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Root 1 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)
    return bytes(out)


def stream(part: bytes) -> bytes:
    """A page of one stream, which unpacks to very much."""
    packer = zlib.compressobj(1)
    squeezed = b"".join(packer.compress(part * (1 << 16)) for _ in range(1600)) + packer.flush()
    squeezed = zlib.compress(squeezed, 1)
    head = b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n" % len(squeezed)
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 9 9]/Resources<<>>>>",
        head + squeezed + b"\nendstream ",
    )


def locked() -> bytes:
    """By reportlab, with a password."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(out := io.BytesIO(), encrypt="secret")
    canvas.drawString(9, 9, "No.")
    canvas.save()
    return out.getvalue()


def nested(depth: int) -> bytes:
    """A message of parts within each other."""
    heads = (f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(depth))
    return ("Subject: a\n" + "".join(heads)).encode()


CYCLE = pdf(
    b"<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>",
    b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>",
    b"<</Type/Page/Parent 2 0 R>>",
    b"<</First 5 0 R/Last 5 0 R>>",
    b"<</Title(a)/Parent 4 0 R/Next 5 0 R>>",
)
LAUGHS = b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>'
ZIPS = ("docx", "pptx", "xlsx", "ods", "odt", "odp", "epub")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PACKAGE = "EncryptedPackage".encode("utf-16-le")
ENCRYPTED = {
    "META-INF/manifest.xml": b"<manifest:manifest "
    b"xmlns:manifest='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0'>"
    b"<manifest:file-entry manifest:full-path='content.xml'><manifest:encryption-data/>"
    b"</manifest:file-entry></manifest:manifest>",
    "content.xml": NULLS,
}
LAST = "<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>"
FIRST = "<row r='1'><c r='A1'><v>1</v></c></row>"
REPEATED = (  # a billion cells
    '<office:spreadsheet><table:table table:name="a"><table:table-row table:number-rows-repeated="1048576">'
    '<table:table-cell office:value-type="string" table:number-columns-repeated="16384">'
    "<text:p>a</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"
)

HOSTILE: dict[str, Callable[[], bytes]] = {
    "cut.pdf": lambda: MAKERS["pdf"]()[:400],
    "locked.pdf": locked,
    "cycle.pdf": lambda: CYCLE,
    "nulls.pdf": lambda: b"%PDF-1.7" + NULLS,
    "bomb.pdf": lambda: stream(b"0 0 m "),
    "deep.pdf": lambda: pdf(b"<</Type/Catalog/Pages 2 0 R/A" + b"[" * 500_000),
    **{f"cut.{kind}": lambda kind=kind: MAKERS[kind]()[:300] for kind in ZIPS},  # type: ignore[misc]
    **{f"noise.{kind}": lambda: b"PK\3\4" + NULLS for kind in ZIPS},
    **{f"locked.{kind}": lambda: OLE + NULLS + PACKAGE for kind in ("docx", "pptx", "xlsx")},
    "bomb.docx": lambda: grown("docx", "word/document.xml"),
    "bomb.pptx": lambda: grown("pptx", "ppt/slides/slide1.xml"),
    "bomb.xlsx": lambda: grown("xlsx", "xl/worksheets/sheet1.xml"),
    "bomb.ods": lambda: grown("ods", "content.xml"),
    "bomb.odt": lambda: grown("odt", "content.xml"),
    "bomb.epub": lambda: grown("epub", "OEBPS/book.opf"),
    "wide.xlsx": lambda: sheet(FIRST + LAST),
    "wide.ods": lambda: opendocument("ods", REPEATED),
    "wide.docx": lambda: word(
        "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='999999999'/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>"
    ),
    "laughs.odt": lambda: archive({"content.xml": LAUGHS}),
    "laughs.docx": lambda: changed("docx", {"word/document.xml": LAUGHS}),
    "deep.odt": lambda: opendocument("odt", "<text:p>" + "<text:span>" * 200_000),
    "deep.docx": lambda: word("<w:p>" * 200_000),
    "other.epub": lambda: archive({"META-INF/container.xml": b"<container/>"}),
    **{f"locked.{kind}": lambda kind=kind: changed(kind, ENCRYPTED) for kind in ("odt", "ods")},  # type: ignore[misc]
    "locked.epub": lambda: changed("epub", {"META-INF/encryption.xml": b"", "META-INF/rights.xml": b""}),
    "old.doc": lambda: OLE + NULLS,
    "empty.rtf": lambda: b"{\\rtf1}",
    "deep.rtf": lambda: b"{\\rtf1" + b"{" * 500_000,
    "empty.eml": lambda: b"",
    "nulls.eml": lambda: NULLS,
    "deep.eml": lambda: nested(20_000),
    "empty.mbox": lambda: b"From a Sat Mar 14 10:00:00 2026\n\n" * 300_000,
    "deep.html": lambda: b"<div>" * 1_000_000,
    "deep.ipynb": lambda: b'{"cells":' + b"[" * 1_000_000,
    "wide.canvas": lambda: json.dumps({"nodes": [{"x": 1e308}] * 300_000}).encode(),
    "nulls.csv": lambda: NULLS,
}

SLOW = {  # seconds each: tried by the soak
    *("bomb.ods", "bomb.pdf", "bomb.pptx", "bomb.xlsx", "empty.mbox", "wide.canvas", "wide.docx", "wide.ods")
}


def vast(folder: Path) -> str:
    """A file of 1 GB of nothing, which takes no room; its name."""
    with (folder / "vast.odt").open("wb") as file:
        file.truncate(1 << 30)
    return "vast.odt"

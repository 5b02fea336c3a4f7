"""What LibreOffice writes is found by its words and at its place, as what the libraries write (I8)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.files.makers import BIRDS, SENTENCE, odp, ods, odt

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed"),
]
PLACES = {
    odt: {
        **dict.fromkeys(("docx", "docm", "dotx", "odt", "ott"), "Winter"),
        "html": "1.Opening",  # short sections of a page are one chunk
        "rtf": "",
        "pdf": "2. Winter › p. 1",
        "epub": "chapter 2",  # and its headings as paragraphs
    },
    ods: {
        **dict.fromkeys(("xlsx", "xlsm", "xls", "ods"), "sheet Winter"),
        "csv": SENTENCE,
        "pdf": "Winter › p. 2",
    },
    odp: {**dict.fromkeys(("pptx", "pptm", "ppsx", "odp", "otp"), "slide 2"), "pdf": "Slide 2 › p. 2"},
}
WRITERS = [(make, suffix, place) for make, places in PLACES.items() for suffix, place in places.items()]
FILTERS = {
    "docm": "MS Word 2007 XML VBA",
    "xlsm": "Calc MS Excel 2007 VBA XML",
    "csv": "Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,2",  # the second sheet
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("office")
    for make in PLACES:
        (place / f"{make.__name__}.{make.__name__}").write_bytes(make(BIRDS))
    for make, suffix, _ in WRITERS:
        kind = f"{suffix}:{FILTERS[suffix]}" if suffix in FILTERS else suffix
        subprocess.run(
            ["soffice", f"-env:UserInstallation=file://{place}/user", "--headless", "--convert-to", kind,
             "--outdir", place / "files" / make.__name__, place / f"{make.__name__}.{make.__name__}"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip
    with Engine(load(place / "home", environ={})) as engine:
        assert engine.index([place / "files"]).problems == ()
        yield engine


@pytest.mark.parametrize(("make", "suffix", "place"), WRITERS)
def test_the_sentence_is_found_at_its_place(engine: Engine, make: object, suffix: str, place: str) -> None:
    name = getattr(make, "__name__", "")
    (hit,) = engine.search(Request(f'"{SENTENCE}" path:{name}/{name}*.{suffix}')).hits
    assert hit.chunk.heading == place
    text = engine.show(hit.document.id).text
    assert SENTENCE in " ".join(text[hit.chunk.start_char : hit.chunk.end_char].split())

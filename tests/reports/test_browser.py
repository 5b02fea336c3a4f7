"""The page in a real browser: on a phone and on a desk, light and dark, it fits and nothing complains."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ark_tui.engine import Engine
from ark_tui.interfaces.reports import export, sections
from ark_tui.settings import load
from tests.reports.conftest import FIXED, QUERY

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--allow-file-access-from-files", "--enable-logging=stderr", "--dump-dom", "--window-size=1400,1000"),
)
PHONE, DESK = 390, 1280

LOOK = Path(__file__).parent / "look.html"


@pytest.fixture(scope="module", params=["sample", "hostile"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page that holds everything, and a page that looks at it."""
    if BROWSER is None:
        pytest.skip("No Chromium is installed, so nobody has looked at the page.")
    folder = tmp_path_factory.mktemp("page")
    query = QUERY if request.param == "sample" else "spectral"
    with Engine(load(request.getfixturevalue(request.param), environ=FIXED)) as engine:
        report = sections.report(engine, sections.REPORTS, sections.Asked(query))
    export.write(report, folder / "report.html", "html")
    shutil.copyfile(LOOK, folder / "look.html")
    return folder


def seen(place: Path, profile: Path, *flags: str) -> tuple[Any, str]:
    """What the browser makes of the page, and what it says in its console."""
    assert BROWSER
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", *flags, (place / "look.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-500:]
    text = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    complaints = "\n".join(line for line in done.stderr.splitlines() if ":CONSOLE" in line)
    return json.loads(text), complaints


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_and_a_desk_in_light_and_in_dark(
    place: Path, tmp_path: Path, scheme: str
) -> None:
    flags = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    found, complaints = seen(place, tmp_path / "profile", *flags)
    assert complaints == ""
    for name, width in (("phone", PHONE), ("desk", DESK)):
        one = found[name]
        assert one["outside"] == []
        assert one["scroll"] <= one["width"] <= width
        assert one["clipped"] == []
        assert one["kinds"] == ["narrow" if name == "phone" else "wide"]
        assert one["plots"] == one["named"] >= 3
        red = int(re.findall(r"\d+", one["paper"])[0])
        assert red < 60 if scheme == "dark" else red > 200

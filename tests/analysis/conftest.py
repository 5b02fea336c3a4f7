"""An engine over a small corpus of three themes, joined by a few notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.support import SteadyClock

THEMES = {
    "graphs": "The {} of a graph: vertices, edges, the Laplacian and its spectral gap, cuts and eigenvalues.",
    "bread": "The {} of a sourdough: flour, water, salt, an oven, a crust and a long fermentation overnight.",
    "sailing": "The {} of a sailing boat: mast, mainsail, rudder, harbour, wind over port and the tide.",
}  # fmt: skip
ASPECTS = (
    "beginning", "measure", "history", "mistake", "theory", "practice", "trouble", "repair", "beauty", "price"
)  # fmt: skip


def write(folder: Path) -> Path:
    """Ten notes to a theme, each linked with the next of its theme; one that links two themes."""
    for theme, sentence in THEMES.items():
        (folder / theme).mkdir(parents=True)
        for number, aspect in enumerate(ASPECTS):
            after = ASPECTS[(number + 1) % len(ASPECTS)]
            text = f"---\ntags: [{theme}]\n---\n# {theme} {aspect}\n\n{sentence.format(aspect)}\n"
            text += f"\nIt goes on in [[{theme}-{after}]] and began in [[{theme}-beginning]].\n"
            (folder / theme / f"{theme}-{aspect}.md").write_text(text, "utf-8")
    bridge = "# A loaf at sea\n\nFlour, water and salt keep on a sailing boat; the oven follows the tide.\n"
    (folder / "loaf.md").write_text(bridge + "\nSee [[bread-practice]] and [[sailing-practice]].\n", "utf-8")
    return folder


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The indexed home; only for tests that change nothing."""
    folder = tmp_path_factory.mktemp("analysed")
    with Engine(load(folder / "home", environ={}), SteadyClock()) as engine:
        engine.index([write(folder / "notes")])
    return folder / "home"


@pytest.fixture
def engine(corpus: Path) -> Iterator[Engine]:
    with Engine(load(corpus, environ={}), SteadyClock()) as engine:
        yield engine

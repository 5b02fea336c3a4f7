"""The home over the 7,000 pages, indexed once and kept, for the scripts that need one."""

from __future__ import annotations

from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus


def home() -> Path:
    def make(path: Path) -> None:
        with Engine(load(path, environ={})) as engine:
            engine.index([corpus.pages()])

    return corpus.followed(corpus.kept(f"home-pages-{corpus.PAGES}", make))

"""Saved searches, one a line."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.curation import SavedSearch
from ark_tui.faces.cli.layout import fit, short
from ark_tui.faces.cli.output import WIDTH, Ink
from ark_tui.faces.cli.rendering import Renderer, View
from ark_tui.faces.cli.rendering.curation import DONE
from ark_tui.operations.page import Page


def listed(view: View, pages: Sequence[Page[SavedSearch]]) -> None:
    """Names with what they search for."""
    if not pages[0].total:
        view.say.notice("No search is saved yet: ark-tui saved add NAME some words")
    for one in pages[0].items:
        about = f"{one.mode:<9} {one.limit:>4}  "
        view.out.line(f"{fit('@' + one.name, 22)}  ", Ink(about, "faint"), short(one.query, WIDTH - 40))


RENDERERS = {
    "saved list": Renderer(listed),
    **{f"saved {verb}": DONE for verb in ("add", "rename", "delete")},
}

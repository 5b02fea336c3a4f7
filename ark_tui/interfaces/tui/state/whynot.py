"""Why a search does not list a document, in rows, with numbered remedies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import Hint, Step
from ark_tui.interfaces.tui.state import strings

if TYPE_CHECKING:
    from ark_tui.domain.whynot import Remedy, WhyNot
    from ark_tui.interfaces.tui.state.context import PaneContext

BY_KEY = ("search", "doc restore", "eval judge", "show")
"""Operations that the key of a remedy runs at once."""

Row = tuple[Text, Text]


def remedies(found: WhyNot) -> dict[str, Remedy]:
    """The remedies by their keys."""
    return {str(number): one for number, one in enumerate(found.remedies[:9], 1)}


def rows(found: WhyNot, context: PaneContext) -> Iterator[Row]:
    """The document, the cause, its rank by each signal, and the remedies."""
    if document := found.document:
        yield Text(), Text(visible_line(document.title), "bold")
        yield Text(), Text(visible_line(f"{document.collection}/{document.path}"))
    yield Text(), Text.assemble((f"{found.cause}: ", "bold"), visible_line(found.sentence))
    if found.signals:
        ranks = (f"{one.name} {f'{one.rank:,}' if one.rank else '–'}" for one in found.signals)
        said = strings.WHY_NOT_RANKS.format(count=found.of, ranks=", ".join(ranks))
        yield Text(), Text(f"\n{visible_line(said)}")
    for off in found.off:
        yield Text(), Text(f"\nNot used: {visible_line(off)}")
    for key, remedy in remedies(found).items():
        press = Style(bold=True, meta={"@click": f"screen.answer({key!r})"})
        yield Text(f"\n{key}  ", press), Text(f"\n{visible_line(_told(remedy, key, context))}")


def _told(remedy: Remedy, key: str, context: PaneContext) -> str:
    """What a remedy does. The step that its key runs is named by the key."""

    def step(one: Step) -> str:
        by_key = one.name in BY_KEY or (one.name == "index" and bool(one.arguments))
        return key if by_key else context.worded(Hint.of(one))

    what = remedy.what.worded(step) if isinstance(remedy.what, Hint) else remedy.what
    return what + (strings.WHY_NOT_RANK.format(rank=remedy.rank) if remedy.rank else "")

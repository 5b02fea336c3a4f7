"""Who asks for an operation, and what it has at hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ark_tui.domain.dataclass import dataclass
from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.documents import Tier
    from ark_tui.domain.memory import Scope
    from ark_tui.engine import Engine

PERSONAL: tuple[Tier, ...] = ("wiki",)
"""Tiers that only a person gives (M5)."""


@dataclass
class Call:
    """One call of an operation.

    `person`: a person asks, at a terminal or in the workbench; all else is a program. `agent`, `session`:
    whose memory is meant, those of the settings where they are empty. `stop` is asked between two steps of
    long work, `progress` is told of each, `say` of what a person should know first. `so_far` is told what
    there is before all is, of an operation that `streams`. `local`: days are meant by the clock of this
    machine, else by UTC.
    """

    engine: Engine
    person: bool = False
    agent: str = ""
    session: str = ""
    stop: Stop = NEVER
    progress: OnProgress = ignore
    say: Callable[[str], object] = ignore
    so_far: Callable[[Any], None] = ignore
    local: bool = False

    @cached_property
    def scope(self) -> Scope:
        """Whose memory is meant."""
        return self.engine.memory.scope(self.agent, self.session)

    @property
    def reach(self) -> Scope | None:
        """Whose items alone may be changed; None: everybody's, for a person."""
        return None if self.person else self.scope

    def unplaced(self, text: str) -> str:
        """A text for whoever asks: programs are not told where the home and its folders are."""
        if self.person:
            return text
        roots = {
            collection.root: collection.name
            for collection in self.engine.status().collections
            if collection.root
        }
        for place, name in {**roots, str(self.engine.settings.home.path): "HOME"}.items():
            text = text.replace(place, name)
        return text

    def may_give(self, tier: Tier) -> Tier:
        """The tier, where whoever asks may give it. Raises `UsageError`."""
        if tier in PERSONAL and not self.person:
            raise UsageError(f"Only a person gives the tier {tier}.", "Give `doc`, or ask the user.")
        return tier

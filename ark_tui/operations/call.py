"""Who asks for an operation, and what it has at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ark_tui.domain.errors import Forbidden, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore

if TYPE_CHECKING:
    from ark_tui.domain.documents import Tier
    from ark_tui.domain.memory import Scope
    from ark_tui.domain.principal import Grant, Owned, Principal, Viewer
    from ark_tui.engine import Engine

_asking: ContextVar[Principal | None] = ContextVar("asking", default=None)


@contextmanager
def asking(principal: Principal | None) -> Iterator[None]:
    """Within this block calls are those of the holder of a token, where they do not say whose they are."""
    before = _asking.set(principal)
    try:
        yield
    finally:
        _asking.reset(before)


_steering: ContextVar[tuple[Stop, OnProgress]] = ContextVar("steering", default=(NEVER, ignore))


@contextmanager
def steered(stop: Stop, progress: OnProgress) -> Iterator[None]:
    """Within this block calls that say nothing else are stopped by this token, and tell how far they are."""
    before = _steering.set((stop, progress))
    try:
        yield
    finally:
        _steering.reset(before)


PERSONAL: tuple[Tier, ...] = ("wiki",)
"""Tiers that only a person gives (M5)."""


class Granted(Protocol):
    """What a token may be for: what it has to grant, and whether it heeds whose items are."""

    @property
    def grant(self) -> Grant: ...

    @property
    def confinable(self) -> bool: ...


@dataclass
class Call:
    """One call of an operation.

    `person`: a person asks, at a terminal or in the workbench; all else is a program. `agent`, `session`:
    whose memory is meant, those of the settings where they are empty; `principal`: who holds the token that
    a program asks with, which says for whom it may ask and for what. `stop` is asked between two steps of
    long work, `progress` is told of each, `say` of what a person should know first. `so_far` is told what
    there is before all is, of an operation that `streams`. `local`: days are meant by the clock of this
    machine, else by UTC.
    """

    engine: Engine
    person: bool = False
    agent: str = ""
    session: str = ""
    stop: Stop = field(default_factory=lambda: _steering.get()[0])
    progress: OnProgress = field(default_factory=lambda: _steering.get()[1])
    say: Callable[[str], object] = ignore
    so_far: Callable[[Any], None] = ignore
    local: bool = False
    principal: Principal | None = field(default_factory=_asking.get)

    @cached_property
    def scope(self) -> Scope:
        """Whose memory is meant. Raises `Forbidden` for another's than the token is for."""
        if not self.principal:
            return self.engine.scope(self.agent, self.session)
        from ark_tui.domain.memory import Scope

        return self.principal.scope(Scope(self.agent, self.session), self.engine.scope())

    @property
    def viewer(self) -> Viewer | None:
        """Whose items are seen beside those that are shared; None: all, for a person."""
        if self.principal:
            return self.principal.viewer
        project = self.engine.project
        if self.person and not project:
            return None
        from ark_tui.domain.memory import EVERY
        from ark_tui.domain.principal import Viewer

        projects = (project,) if project else ()
        if self.person or self.scope.agent == EVERY:
            return Viewer(projects=projects) if projects else None
        return Viewer((self.scope.agent,), projects)

    def seen_by(self, agent: str) -> AbstractContextManager[None]:
        """Within this block only what an agent sees is listed, as in its searches and contexts; `EVERY`: all.

        Raises `Forbidden` for another agent than the token is for.
        """
        from ark_tui.domain.memory import EVERY, Scope
        from ark_tui.domain.principal import Viewer

        if agent == EVERY:
            return nullcontext()
        if self.principal:
            self.principal.scope(Scope(agent, ""), self.engine.scope())
        viewer = self.viewer
        return self.engine.seen_by(Viewer((agent,), viewer.projects if viewer else ()))

    @property
    def confined(self) -> bool:
        """Whether whoever asks is told nothing of what others do."""
        return self.principal is not None and self.principal.confined

    @contextmanager
    def admitted(self, operation: Granted | None = None) -> Iterator[None]:
        """Within this block whoever asks sees what is theirs to see.

        Raises `Forbidden` where their token is not for the operation.
        """
        if self.principal and operation:
            self._check(self.principal, operation)
        viewer = self.viewer
        with self.engine.seen_by(viewer) if viewer else nullcontext():
            yield

    def _check(self, principal: Principal, operation: Granted) -> None:
        principal.need(operation.grant)
        if principal.confined and not operation.confinable:
            raise Forbidden(
                f"The token {principal.name} is for {', '.join((*principal.agents, *principal.projects))}; "
                "this is about all there is.",
                "Ask the user for a token without an agent.",
            )

    def whose(self, owner: Owned | None) -> tuple[str, str] | None:
        """The owner and the project of what is added, as whoever asks says; None: nothing is said."""
        if owner is None:
            return None
        from ark_tui.domain.principal import MINE

        _, project = self.engine.memory.whose(self.scope)
        return self.scope.agent if owner == MINE else "", project

    @property
    def reach(self) -> Scope | None:
        """Whose items alone may be changed; None: all, for a person; of every agent: all but `wiki`."""
        if self.person:
            return None
        from ark_tui.domain.memory import EVERY, Scope

        everybodys = self.principal is not None and self.principal.may("admin") and not self.confined
        return Scope(EVERY, EVERY) if everybodys else self.scope

    def unplaced(self, text: str) -> str:
        """A text for whoever asks: programs are not told where the home and its folders are."""
        if self.person:
            return text
        roots = {root: name for name, root in self.engine.library.roots().items()}
        for place, name in {**roots, str(self.engine.settings.home.path): "HOME"}.items():
            text = text.replace(place, name)
        return text

    def may_give(self, tier: Tier) -> Tier:
        """The tier, where whoever asks may give it. Raises `UsageError`."""
        if tier in PERSONAL and not self.person:
            raise UsageError(f"Only a person gives the tier {tier}.", "Give `doc`, or ask the user.")
        return tier

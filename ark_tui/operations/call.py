"""The context of an operation's call: caller, engine and callbacks."""

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
    """Set the default principal of calls within this block."""
    before = _asking.set(principal)
    try:
        yield
    finally:
        _asking.reset(before)


_steering: ContextVar[tuple[Stop, OnProgress]] = ContextVar("steering", default=(NEVER, ignore))


@contextmanager
def steered(stop: Stop, progress: OnProgress) -> Iterator[None]:
    """Set the default stop token and progress callback of calls within this block."""
    before = _steering.set((stop, progress))
    try:
        yield
    finally:
        _steering.reset(before)


PERSONAL: tuple[Tier, ...] = ("wiki",)
"""Tiers that only a person may set (M5)."""


class Granted(Protocol):
    """What the check of a token needs: the required grant, and whether tokens of an agent may be used."""

    @property
    def grant(self) -> Grant: ...

    @property
    def confinable(self) -> bool: ...


@dataclass
class Call:
    """One call of an operation.

    `person`: a person calls, at a terminal or in the workbench; otherwise a program. `agent`, `session`: the
    memory scope; empty: that of the settings. `principal`: the holder of the program's token, which limits
    scope and grants. `stop` is checked between the steps of long work, `progress` gets each step, `say` gets
    messages for the user. `so_far` gets partial results of an operation that `streams`. `local`: dates use
    the time zone of this machine, otherwise UTC.
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
        """The memory scope. Raises `Forbidden` for a scope outside of the token's."""
        if not self.principal:
            return self.engine.scope(self.agent, self.session)
        from ark_tui.domain.memory import Scope

        return self.principal.scope(Scope(self.agent, self.session), self.engine.scope())

    @property
    def viewer(self) -> Viewer | None:
        """The viewer whose items are visible besides shared ones; None: all, for a person."""
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
        """List only items that an agent can see within this block; `EVERY`: all.

        Raises `Forbidden` for an agent outside of the token's scope.
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
        """Whether the token is limited to some agents or projects."""
        return self.principal is not None and self.principal.confined

    @contextmanager
    def admitted(self, operation: Granted | None = None) -> Iterator[None]:
        """Limit this block to the items that the caller may see.

        Raises `Forbidden` if the token does not allow the operation.
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
        """The owner and the project of a new item; None: not specified."""
        if owner is None:
            return None
        from ark_tui.domain.principal import MINE

        _, project = self.engine.memory.whose(self.scope)
        return self.scope.agent if owner == MINE else "", project

    @property
    def reach(self) -> Scope | None:
        """The scope of changeable items; None: all, for a person; every agent: all but `wiki`."""
        if self.person:
            return None
        from ark_tui.domain.memory import EVERY, Scope

        everybodys = self.principal is not None and self.principal.may("admin") and not self.confined
        return Scope(EVERY, EVERY) if everybodys else self.scope

    def unplaced(self, text: str) -> str:
        """The text with the paths of the home and its folders replaced by names, for programs."""
        if self.person:
            return text
        roots = {root: name for name, root in self.engine.library.roots().items()}
        for place, name in {**roots, str(self.engine.settings.home.path): "HOME"}.items():
            text = text.replace(place, name)
        return text

    def may_give(self, tier: Tier) -> Tier:
        """Return the tier if the caller may set it. Raises `UsageError`."""
        if tier in PERSONAL and not self.person:
            raise UsageError(f"Only a person can set the tier {tier}.", "Give `doc`, or ask the user.")
        return tier

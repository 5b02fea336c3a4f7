"""Token holders, their permissions, and the items visible to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

from ark_tui.domain.errors import Forbidden

if TYPE_CHECKING:
    from ark_tui.domain.memory import Scope

Grant = Literal["read", "write", "admin"]
GRANTS: tuple[Grant, ...] = get_args(Grant)
"""The permission levels of a token; each includes those before it."""

Owned = Literal["mine", "shared"]
"""The visibility of a new item: its creator only, or everyone. Stored as the owner's name, or empty."""

MINE: Owned = "mine"


@dataclass(frozen=True, slots=True)
class Viewer:
    """The items visible in addition to shared ones.

    `agents`: items of these owners; None: of all. `projects`: items of these projects or of none; empty: of
    all. `alone`: messages and reports are visible to their own agent only, too.
    """

    agents: tuple[str, ...] | None = None
    projects: tuple[str, ...] = ()
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a server token. `agents`, `projects`: those that it is restricted to; empty: all."""

    name: str
    grant: Grant
    agents: tuple[str, ...]
    projects: tuple[str, ...]
    created: datetime

    @property
    def confined(self) -> bool:
        """Whether the token is restricted to some agents or projects."""
        return bool(self.agents or self.projects)

    @property
    def viewer(self) -> Viewer:
        """The items visible to them."""
        return Viewer(self.agents or None, self.projects, alone=self.confined)

    def may(self, grant: Grant) -> bool:
        """Whether the token has this permission."""
        return GRANTS.index(grant) <= GRANTS.index(self.grant)

    def need(self, grant: Grant) -> None:
        """Raise `Forbidden` if the token lacks this permission."""
        if not self.may(grant):
            raise Forbidden(
                f"The token {self.name} may {self.grant}; this takes {grant}.",
                "Ask the user for another token.",
            )

    def scope(self, given: Scope, usual: Scope) -> Scope:
        """Resolve a scope with possibly empty names. Raises `Forbidden` for a scope of others."""
        return replace(
            given,
            agent=self._one("agent", given.agent, self.agents, usual.agent),
            session=self._one("session", given.session, self.projects, usual.session),
        )

    def _one(self, kind: str, given: str, own: tuple[str, ...], usual: str) -> str:
        if own and given and given not in own:
            raise Forbidden(
                f"The token {self.name} is not for the {kind} {given}.", f"It is for {', '.join(own)}."
            )
        return given or (own[0] if own else usual)


@dataclass(frozen=True, slots=True)
class NewToken(Principal):
    """A new token; only now is its value shown."""

    token: str

"""Who asks with a token, what it lets them do, and which items they see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

from ark_tui.domain.errors import Forbidden

if TYPE_CHECKING:
    from ark_tui.domain.memory import Scope

Grant = Literal["read", "write", "admin"]
GRANTS: tuple[Grant, ...] = get_args(Grant)
"""What a token lets its holder do; each includes those before it."""

Owned = Literal["mine", "shared"]
"""What is said of an owner: whoever adds it, or everybody. Kept is a name, or nothing for shared."""

MINE: Owned = "mine"


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whose items are seen beside those that are shared.

    `agents`: their owners; None: everybody's. `projects`: those of these, and of none; empty: of all.
    `alone`: what was said and reported is seen by its own agent only, too.
    """

    agents: tuple[str, ...] | None = None
    projects: tuple[str, ...] = ()
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a token of the server. `agents`, `projects`: those that it is for; empty: all."""

    name: str
    grant: Grant
    agents: tuple[str, ...]
    projects: tuple[str, ...]
    created: datetime

    @property
    def confined(self) -> bool:
        """Whether something in the home is not theirs to see."""
        return bool(self.agents or self.projects)

    @property
    def viewer(self) -> Viewer:
        """What they see."""
        return Viewer(self.agents or None, self.projects, alone=self.confined)

    def may(self, grant: Grant) -> bool:
        """Whether the token grants that."""
        return GRANTS.index(grant) <= GRANTS.index(self.grant)

    def need(self, grant: Grant) -> None:
        """Raise `Forbidden` where the token does not grant that."""
        if not self.may(grant):
            raise Forbidden(
                f"The token {self.name} may {self.grant}; this takes {grant}.",
                "Ask the user for another token.",
            )

    def scope(self, given: Scope, usual: Scope) -> Scope:
        """The scope that is meant by names, empty where none is given. Raises `Forbidden` for another's."""
        from ark_tui.domain.memory import Scope

        return Scope(
            _one(self, "agent", given.agent, self.agents, usual.agent),
            _one(self, "session", given.session, self.projects, usual.session),
        )


@dataclass(frozen=True, slots=True)
class NewToken(Principal):
    """A token that was made: it is shown now, and never again."""

    token: str


def _one(who: Principal, kind: str, given: str, own: tuple[str, ...], usual: str) -> str:
    if not own:
        return given or usual
    if given and given not in own:
        raise Forbidden(
            f"The token {who.name} is not for the {kind} {given}.", f"It is for {', '.join(own)}."
        )
    return given or own[0]

"""Tokens of the server: their holders, grants and agents."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.principal import Grant, NewToken, Principal
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Name

Called = Annotated[Name, Param("The name of the token.", example="laptop", metavar="NAME", argument=True)]


@operation(
    "token add", Effect.SETS, example="ark-tui token add laptop --scope write --agent ann",
    personal=True, begins=True, keyed=False,
)  # fmt: skip
def add(
    call: Call,
    name: Called,
    grant: Annotated[
        Grant, Param("What it permits; admin permits everything that programs may do.", option="--scope")
    ] = "read",
    agents: Annotated[
        tuple[Name, ...],
        Param("The agent or user that it acts for; with several, the first is the default.",
              example=("ann",), metavar="NAME", option="--agent"),
    ] = (),
    projects: Annotated[
        tuple[Name, ...],
        Param("A project that it is for; may be given several times.", example=("zoo",), metavar="NAME",
              option="--project"),
    ] = (),
) -> NewToken:  # fmt: skip
    """Create a token for the server. It is shown once; only its hash is kept.

    Its holder sees the items of its agents and the shared ones, and adds items of its own. A token without an
    agent sees everything.
    """
    return call.engine.memory.tokens.add(name, grant, agents, projects)


@operation("token list", Effect.READS, example="ark-tui token list", listed="tokens", personal=True)
def list_(call: Call) -> tuple[Principal, ...]:
    """List the names of the server's tokens."""
    return call.engine.memory.tokens.list()


@operation("token revoke", Effect.DESTROYS, example="ark-tui token revoke laptop", personal=True)
def revoke(call: Call, name: Called) -> Principal:
    """Revoke a token. The next request with it is refused."""
    return call.engine.memory.tokens.revoke(name)

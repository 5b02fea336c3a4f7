"""What other packages have added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ark_tui.domain import plugins
from ark_tui.domain.errors import ArkError
from ark_tui.domain.fields import As
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, operation

FAMILY = "home"


@dataclass(frozen=True, slots=True)
class Added:
    """A plugin: of which kind, what it adds, from which package; `problem`: why it does not work."""

    kind: str
    name: str
    package: str
    version: str
    place: str
    problem: Annotated[str, As.NULL]


@operation("plugins", Effect.READS, example="ark-tui plugins", listed="plugins", begins=True)
def listed(call: Call) -> tuple[Added, ...]:
    """List what other packages have added, and what of it does not work.

    They add signals, formats, operations, panes and embedding providers, by entry points.
    """
    return tuple(_added(one) for one in plugins.installed())


def _added(one: plugins.Plugin) -> Added:
    try:
        one.load()
        problem = ""
    except ArkError as error:
        problem = error.what
    return Added(one.kind, one.name, one.package, one.version, one.place, problem)

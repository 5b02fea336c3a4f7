"""A home opened in this process, with the interface of a client.

Used for `--direct`, in tests, and where no home process can be started.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import OnWait, ignore
from ark_tui.interfaces.calls.own import OWN
from ark_tui.operations import workbench

if TYPE_CHECKING:
    from ark_tui.engine import Engine
    from ark_tui.operations.call import Call
    from ark_tui.settings import Settings


class Direct:
    """The home of these settings. `begins`: create it if it does not exist."""

    local = True
    place = ""

    def __init__(self, settings: Settings, on_wait: OnWait = ignore, *, begins: bool = True) -> None:
        from ark_tui.engine import Engine

        self.warned: Callable[[str], object] = ignore
        self.engine: Engine = Engine(settings, on_wait=on_wait, begins=begins)

    def ask(
        self,
        what: Any,
        call: Call,
        given: Sequence[Any] = (),
        named: Mapping[str, Any] | None = None,
        key: str = "",
        **_: Any,
    ) -> Any:
        """The result of an operation, of a function of `operations.workbench`, or of a named call."""
        function = _named(what) if isinstance(what, str) else what
        with self.engine.asked(key, call.agent):
            found = function(call, *given, **(named or {}))
        self._tell()
        return found

    def _tell(self) -> None:
        for notice in self.engine.notices():
            self.warned(notice)

    def look_after(self) -> None:
        """Start the background work of a home process: watch folders, continue interrupted jobs."""
        from ark_tui.engine import services

        services.open_all()
        jobs = self.engine.jobs
        self.engine.background.start(jobs.notice, watch=self.engine.settings.watch)

    def renew(self, settings: Settings) -> None:
        """Use new settings for new calls; running calls keep the old ones."""
        self.engine = self.engine.renewed(settings)

    def close(self) -> None:
        """Close the home."""
        try:
            self.engine.close()
        finally:
            self._tell()


def _named(what: str) -> Callable[..., Any]:
    module, _, name = what.partition(".")
    found: Any = getattr(workbench, name, None) if module == "workbench" else OWN.get(what)
    if found is None:
        raise UsageError("That needs a home process.", "Leave --direct and ARK_DIRECT out.")
    return found  # type: ignore[no-any-return]

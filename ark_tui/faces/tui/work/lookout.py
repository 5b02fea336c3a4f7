"""What tells the workbench that there is something new: changes of the home, and indexes that catch up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.work import Status
    from ark_tui.engine import Engine
    from ark_tui.faces.tui.screens.workbench import Workbench

POLL = 0.25
"""Seconds between two looks (one `stat`) whether anybody has changed the home."""

AT_LEAST = 4
"""Polls between two refreshes while it keeps changing."""

LOOK_AFTER = 20
"""Polls between two looks for work that another process has left."""

AGAIN = 240
"""Polls for which a notice has to be over until it is said again: each key of a query may give it."""

PATIENCE = 10
"""Further looks, one a second, at an index that is behind, before taking that as it is."""


class Lookout:
    """Notices what anybody does to the home, here or in another process. On the thread that paints."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self.polls = 0
        self._refreshed = 0  # the poll of the latest refresh
        self._change: int | None = None  # of the corpus, as it is shown
        self._pulse = -1  # of the home, likewise
        self._held_up = False
        self._noticed: dict[str, int] = {}  # the poll at which each notice was given last
        self._behind = 0
        self._looks_left = PATIENCE

    def opened(self, engine: Engine) -> None:
        """The home is open: whatever is read from now on is at least as new."""
        if self._pulse < 0:
            self._pulse = engine.pulse()

    def learn(self, status: Status) -> None:
        """The state of the home has been read."""
        if self._change is None:
            self._change = status.change
        self._await_followers(sum(one.behind for one in status.followers))

    def seen(self, engine: Engine) -> None:
        """What has changed up to now is being shown anyway."""
        self._change, self._refreshed = engine.change(), self.polls

    def poll(self) -> None:
        """Look whether anybody has changed anything. Nearly always nobody has, and nothing is done."""
        self.polls += 1
        engine = self._workbench.ark.opening.opened
        if engine is None:
            return
        self._tell_who_waits(engine)
        self._tell_notices()
        if self._workbench.status is None or self.polls - self._refreshed < AT_LEAST:
            return
        if self.polls % LOOK_AFTER == 0:
            self._workbench.attendant.tick()
        change, pulse = engine.change(), engine.pulse()
        if change != self._change:
            self._change, self._refreshed, self._looks_left = change, self.polls, PATIENCE
            self._workbench.corpus_changed()
        if pulse != self._pulse:
            self._pulse, self._refreshed = pulse, self.polls
            self._workbench.in_front.home_changed()

    def _tell_who_waits(self, engine: Engine) -> None:
        """Say once that another process has the store, when something here has long been waiting for it."""
        holder = engine.held_up()
        if holder and not self._held_up:
            said = f"The store is held by {holder}.\nWhat you do waits until it is free."
            self._workbench.ark.say(said, "warning")
        self._held_up = bool(holder)

    def _tell_notices(self) -> None:
        """Say what failed and has stopped nobody, or was damaged and is rebuilt."""
        for notice in self._workbench.ark.opening.notices():
            before, self._noticed[notice] = self._noticed.get(notice), self.polls
            if before is None or self.polls - before > AGAIN:
                self._workbench.ark.say(notice, "warning")

    def _await_followers(self, behind: int) -> None:
        """An index that was behind has more to be found when it has caught up; nobody but itself tells."""
        if behind < self._behind:
            self._workbench.search_again()
            self._looks_left = PATIENCE
        self._behind = behind
        if behind and self._looks_left > 0:
            self._looks_left -= 1
            self._workbench.set_timer(1.0, self._workbench.read_status)

"""What tells the workbench that there is something new: changes of the home, and indexes that catch up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ark_tui.interfaces.tui.state import strings

if TYPE_CHECKING:
    from ark_tui.domain.work import Status
    from ark_tui.interfaces.tui.state.context import PaneContext

POLL = 0.25
"""Seconds between two looks at the latest news of the home."""

AT_LEAST = 4
"""Polls between two refreshes while it keeps changing."""

AGAIN = 240
"""Polls for which a notice has to be over until it is said again: each key of a query may give it."""

PATIENCE = 10
"""Further looks, one a second, at an index that is behind, before taking that as it is."""


class News(NamedTuple):
    """What a look has shown."""

    corpus: bool = False  # there is something else to be found
    settings: bool = False  # config.toml is another
    home: bool = False  # somebody has written something: a task, a judgment, a search


class Followed(NamedTuple):
    """What has become of indexes that were behind."""

    caught_up: bool  # there may be more to be found
    look_again: bool  # soon: nobody but the index itself tells when it has


class ChangePoller:
    """Notices what anybody does to the home, here or in another process. On the thread that paints."""

    def __init__(self, context: PaneContext) -> None:
        self._context = context
        self.polls = 0
        self._refreshed = 0  # the poll of the latest refresh
        self._change: int | None = None  # of the corpus, as it is shown
        self._pulse = -1  # of the home, likewise
        self._held_up = False
        self._config = self._config_mark()
        self._noticed: dict[str, int] = {}  # the poll at which each notice was given last
        self._behind = 0
        self._looks_left = PATIENCE

    def opened(self) -> None:
        """The home is open: whatever is read from now on is at least as new."""
        if self._pulse < 0:
            self._pulse = self._context.opening.news.pulse

    def learn(self, status: Status) -> Followed:
        """The state of the home has been read."""
        if self._change is None:
            self._change = status.change
        return self._follow(sum(follower.behind for follower in status.followers))

    def seen(self) -> None:
        """What has changed up to now is being shown anyway."""
        if self._context.opening.opened:
            self._change, self._refreshed = self._context.opening.news.change, self.polls

    def settings_read(self) -> None:
        """What config.toml says up to now has been taken up."""
        self._config = self._config_mark()

    def _config_mark(self) -> tuple[int, ...]:
        """Another one where config.toml is another."""
        try:
            found = self._context.settings.home.config.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def poll(self, *, shown: bool) -> News:
        """Look whether anybody has changed anything; `shown`: the home has been read and is on the screen."""
        self.polls += 1
        if not self._context.opening.opened:
            return News()
        self._tell_who_waits()
        self._tell_notices()
        if not shown or self.polls - self._refreshed < AT_LEAST:
            return News()
        now, before = self._context.opening.news, (self._change, self._pulse)
        self._change, self._pulse = now.change, now.pulse
        config, self._config = self._config, self._config_mark()
        news = News(now.change != before[0], config != self._config, now.pulse != before[1])
        if news.corpus:
            self._looks_left = PATIENCE
        if news.corpus or news.home:
            self._refreshed = self.polls
        return news

    def _tell_who_waits(self) -> None:
        """Say once that another process has the store, when something here has long been waiting for it."""
        holder = self._context.opening.held_up()
        if holder and not self._held_up:
            said = strings.STORE_HELD.format(holder=holder)
            self._context.say(said, "warning")
        self._held_up = bool(holder)

    def _tell_notices(self) -> None:
        """Say what failed and has stopped nobody, or was damaged and is rebuilt."""
        for notice in self._context.opening.notices():
            before, self._noticed[notice] = self._noticed.get(notice), self.polls
            if before is None or self.polls - before > AGAIN:
                self._context.say(notice, "warning")

    def _follow(self, behind: int) -> Followed:
        caught_up = behind < self._behind
        if caught_up:
            self._looks_left = PATIENCE
        self._behind = behind
        look_again = behind > 0 and self._looks_left > 0
        self._looks_left -= look_again
        return Followed(caught_up, look_again)

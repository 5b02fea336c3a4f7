"""Detects changes of the home, and indexes that are catching up."""

from __future__ import annotations

from typing import NamedTuple

from ark_tui.domain.work import Status
from ark_tui.interfaces.tui.state.context import PaneContext

POLL = 0.25
"""Seconds between polls of the latest news."""

AT_LEAST = 4
"""Minimum polls between two refreshes during continuous changes."""

AGAIN = 240
"""Polls after which a notice is shown again: a notice may recur with each key of a query."""

PATIENCE = 10
"""Further checks, one per second, of an index that is behind, before its state is accepted."""


class News(NamedTuple):
    """The result of a poll."""

    corpus: bool = False  # the searchable documents have changed
    settings: bool = False  # config.toml has changed
    home: bool = False  # data was written: a task, a judgment, a search


class Followed(NamedTuple):
    """The state of indexes that were behind."""

    caught_up: bool  # there may be more results
    look_again: bool  # check soon: only the index itself knows when it is done


class ChangePoller:
    """Detects changes of the home by this or another process. Runs on the UI thread."""

    def __init__(self, context: PaneContext) -> None:
        self._context = context
        self.polls = 0
        self._refreshed = 0  # poll number of the latest refresh
        self._change: int | None = None  # change number of the corpus as shown
        self._pulse = -1  # change number of the home as shown
        self._config = self._config_mark()
        self._noticed: dict[str, int] = {}  # poll number at which each notice occurred last
        self._behind = 0
        self._looks_left = PATIENCE

    def opened(self) -> None:
        """The home is open. Data that is loaded from now on is at least as new."""
        if self._pulse < 0:
            self._pulse = self._context.opening.news.pulse

    def learn(self, status: Status) -> Followed:
        """The state of the home was loaded."""
        if self._change is None:
            self._change = status.change
        behind = sum(follower.behind for follower in status.followers)
        caught_up = behind < self._behind
        if caught_up:
            self._looks_left = PATIENCE
        self._behind = behind
        look_again = behind > 0 and self._looks_left > 0
        self._looks_left -= look_again
        return Followed(caught_up, look_again)

    def seen(self) -> None:
        """Mark all changes up to now as shown."""
        if self._context.opening.opened:
            self._change, self._refreshed = self._context.opening.news.change, self.polls

    def settings_read(self) -> None:
        """Mark the present config.toml as applied."""
        self._config = self._config_mark()

    def _config_mark(self) -> tuple[int, ...]:
        """A value that differs when config.toml has changed."""
        try:
            found = self._context.settings.home.config.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def poll(self, *, shown: bool) -> News:
        """Check for changes. `shown`: the home has been loaded and is on the screen."""
        self.polls += 1
        if not self._context.opening.opened:
            return News()
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

    def _tell_notices(self) -> None:
        """Show notices of errors that stopped nothing and of damage that is being repaired."""
        for notice in self._context.opening.notices():
            before, self._noticed[notice] = self._noticed.get(notice), self.polls
            if before is None or self.polls - before > AGAIN:
                self._context.say(notice, "warning")

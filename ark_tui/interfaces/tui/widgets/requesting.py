"""Requests in threads. The answer arrives as a message, so no thread touches a widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker, get_current_worker

from ark_tui.domain.errors import ArkError, Cancelled

if TYPE_CHECKING:
    from textual.message_pump import MessagePump
    from textual.timer import Timer

    from ark_tui.interfaces.tui.state.client import Act
    from ark_tui.interfaces.tui.state.context import PaneContext


def anew(pump: MessagePump, before: Timer | None, seconds: float, act: Callable[[], object]) -> Timer:
    """Start a timer in place of the one `before`."""
    if before is not None:
        before.stop()
    return pump.set_timer(seconds, act)


Answer = TypeVar("Answer")


class Requesting(Widget if TYPE_CHECKING else object):  # type: ignore[misc]
    """A part of the screen that runs operations and shows their results.

    A mixin rather than a widget: Textual takes CSS rules and focus behavior from the first base that is a
    widget.
    """

    context: PaneContext

    @dataclass
    class Answered(Message, bubble=False):
        """A request has finished; `then` handles it."""

        worker: Worker[None]
        then: Callable[[], object]

    def home_changed(self) -> None:
        """The home was changed: a task, a judgment or a search was written.

        Called at most once a second, for visible panes and dialogs.
        """

    def request(
        self,
        act: Act[Answer],
        then: Callable[[Answer], object] | None = None,
        failed: Callable[[ArkError], object] | None = None,
        *,
        group: str,
        exclusive: bool = True,
    ) -> None:
        """Run an act in a thread, then call back with its result, or with its error; else show the error.

        If `exclusive`, a newer request of the group replaces it. Results of replaced requests, or of a
        removed widget, are dropped.
        """

        def run() -> None:
            worker = get_current_worker()
            try:
                answer = act(replace(self.context.client, stop=worker.cancelled_event))
            except Cancelled:
                return
            except ArkError as error:
                self.call_back(worker, partial(failed or self.context.say_error, error))
            else:
                if then is not None:
                    self.call_back(worker, partial(then, answer))

        self.run_worker(run, thread=True, exclusive=exclusive, group=group, exit_on_error=False)

    def call_back(self, worker: Worker[Any], then: Callable[[], object]) -> None:
        """Call a function from the thread of a request, unless the request is replaced or canceled."""
        self.post_message(self.Answered(worker, then))

    def edit(
        self,
        act: Act[Answer],
        then: Callable[[Answer], object],
        failed: Callable[[ArkError], object] | None = None,
        *,
        after: Callable[[], object] | None = None,
    ) -> Worker[None]:
        """Run an edit after the previous ones, then call back with its result, or with its error.

        Without an error callback the error is shown. `after` is called last in both cases.
        """

        async def run() -> None:
            try:
                answer = await self.context.acts.run(act)
            except ArkError as error:
                (failed or self.context.say_error)(error)
            else:
                then(answer)
            if after is not None:
                after()

        worker: Worker[None] = self.run_worker(run(), group="edits", exit_on_error=False)
        return worker

    def on_requesting_answered(self, event: Answered) -> None:
        """Call the callback."""
        if not event.worker.is_cancelled:
            event.then()

"""Asking for something in a thread: the answer comes back as a message, so no thread touches a widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

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
    """A timer that acts after so many seconds, in place of the one `before`."""
    if before is not None:
        before.stop()
    return pump.set_timer(seconds, act)


Answer = TypeVar("Answer")


class Requesting(Widget if TYPE_CHECKING else object):  # type: ignore[misc]
    """A part of the screen that asks operations and shows what they answer.

    No widget by itself: Textual takes rules and focus of the first base that is one.
    """

    context: PaneContext

    @dataclass
    class Answered(Message, bubble=False):
        """A request has come to its end, which `then` shows."""

        worker: Worker[None]
        then: Callable[[], object]

    def home_changed(self) -> None:
        """Somebody has written something into the home: a task, a judgment, a search.

        Panes and dialogs are told, once a second at most, while they are in front.
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
        """Carry out an act in a thread, then go on with its answer; or with its error, else that is said.

        Where it is `exclusive`, a newer request of the group takes its place. What comes when it is not
        waited for any more, or when this is gone, is dropped.
        """

        def run() -> None:
            worker = get_current_worker()
            try:
                answer = act(replace(self.context.client, stop=worker.cancelled_event))
            except Cancelled:
                return
            except ArkError as error:
                self.post_message(self.Answered(worker, partial(failed or self.context.say_error, error)))
            else:
                if then is not None:
                    self.post_message(self.Answered(worker, partial(then, answer)))

        self.run_worker(run, thread=True, exclusive=exclusive, group=group, exit_on_error=False)

    def edit(
        self,
        act: Act[Answer],
        then: Callable[[Answer], object],
        failed: Callable[[ArkError], object] | None = None,
        *,
        after: Callable[[], object] | None = None,
    ) -> Worker[None]:
        """Carry out an edit when those before it are done, then go on with its answer; or with its error.

        An error that nothing is to be done with is said. `after` comes last, either way.
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
        """Show it."""
        if not event.worker.is_cancelled:
            event.then()

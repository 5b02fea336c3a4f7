"""Tasks: open, done, or deleted; each can be reopened."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.memory import Scope, Task, TaskState
from ark_tui.domain.protocols import Clock
from ark_tui.memory import texts
from ark_tui.store import Lease, Store, requests, tasks

LISTED = 12  # tasks that an error names
LONGEST = 100_000  # bytes of a task


class Tasks:
    """The tasks of one home, with a list for each agent and session."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def add(
        self, scope: Scope, text: str, *, due: str = "", tags: Sequence[str] = (), local: bool = False
    ) -> Task:
        """Add a task at the end of its list. `due`: a date in plain words, relative to now.

        Days and times are in UTC, or (`local`) in the time zone of this machine.
        """
        scope, text = texts.one(scope), texts.text(text, "a task", LONGEST).strip()
        day = read(due, self._clock.now(), local=local)
        with self._store.write() as lease:
            return requests.once(
                lease, "add a task", [scope.name, text, due, tags, local],
                lambda: tasks.add(lease, scope, text, day, _tags(tags)),
                lambda made: made.id, lambda id_: tasks.get(lease, scope, id_),
            )  # fmt: skip

    def list(self, scope: Scope, *, all: bool = False, tag: str = "", due: str = "") -> tuple[Task, ...]:  # noqa: A002
        """The open tasks of a scope in their order; `all`: also the done ones.

        `due`: only those due on that day or before it.
        """
        last = read(due, self._clock.now())
        states = ("open", "done") if all else ("open",)
        with self._store.read() as lease:
            found = tasks.tasks(lease, scope, states)
        return tuple(
            task
            for task in found
            if (not tag or tag.removeprefix("#") in task.tags)
            and (last is None or (task.due is not None and day(task.due) <= day(last)))
        )

    def done(self, scope: Scope, id: int) -> Task:  # noqa: A002  (its name everywhere)
        """Mark a task as done. Raises `NotFound`."""
        return self._set(scope, id, "done")

    def reopen(self, scope: Scope, id: int) -> Task:  # noqa: A002
        """Reopen a task that was done or deleted. Raises `NotFound`."""
        return self._set(scope, id, "open")

    def delete(self, scope: Scope, id: int) -> Task:  # noqa: A002
        """Delete a task; `reopen` brings it back. Raises `NotFound`."""
        return self._set(scope, id, "deleted")

    def edit(
        self,
        scope: Scope,
        id: int,  # noqa: A002
        *,
        text: str | None = None,
        due: str | None = None,
        add: Sequence[str] = (),
        drop: Sequence[str] = (),
        before: int | None = None,
        local: bool = False,
    ) -> Task:
        """Change a task: text, due date (`none`: no date), tags, or position (`before` another task)."""
        with self._store.write() as lease:
            task = self._get(lease, texts.one(scope), id)
            if text is not None:
                task = replace(task, text=texts.text(text, "a task", LONGEST).strip())
            if due is not None:
                task = replace(task, due=read(due, self._clock.now(), local=local))
            kept = [tag for tag in task.tags if tag not in _tags(drop)]
            task = replace(task, tags=_tags([*kept, *add]))
            if before is not None:
                task = replace(task, place=tasks.place_before(lease, self._get(lease, scope, before)))
            return tasks.put(lease, task)

    def _set(self, scope: Scope, id_: int, state: TaskState) -> Task:
        with self._store.write() as lease:
            task = self._get(lease, texts.one(scope), id_, deleted=state == "open")
            return task if task.state == state else tasks.put(lease, replace(task, state=state))

    def _get(self, lease: Lease, scope: Scope, id_: int, *, deleted: bool = False) -> Task:
        task = tasks.get(lease, scope, id_)
        if task is not None and (deleted or task.state != "deleted"):
            return task
        known = [f"{one.id} {one.text[:40]}" for one in tasks.tasks(lease, scope, ("open", "done"))]
        more = "; …" if len(known) > LISTED else ""
        hint = f"Tasks: {'; '.join(known[:LISTED])}{more}." if known else "The list is empty."
        if task is not None:
            hint = Hint.run("tasks reopen", id_, say="It was deleted; bring it back: {}.")
        raise NotFound(f"There is no task {id_} in {scope.name}.", hint)


def _tags(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts.name(tag.removeprefix("#"), "a tag") for tag in given))


NONE = ("none", "never", "")
EXAMPLES = "tomorrow, next friday, in 3 days, friday 17:00, 2026-02-03, none"
TIMED = ("time", "part_of_day")  # dateparser's periods that include a time of day


def read(words: str, now: datetime, *, local: bool = False) -> date | datetime | None:
    """Parse a due date: a day, or a time in UTC if the words name one; None for `none`. Raises `UsageError`.

    Words without a time zone are in UTC, or (`local`) in the time zone of this machine.
    """
    text = " ".join(words.split()).lower()
    now = now.astimezone(None if local else UTC)
    if text in NONE:
        return None
    if text == "today":
        return now.date()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of dateparser's dependencies, of no use to a person
        from dateparser.date import DateDataParser

        settings = {
            "RELATIVE_BASE": now.replace(tzinfo=None), "PREFER_DATES_FROM": "future",
            "RETURN_TIME_AS_PERIOD": True, "TIMEZONE": "UTC",
        }  # fmt: skip
        found = DateDataParser(languages=["en"], settings=settings).get_date_data(text)
    moment: datetime | None = found.date_obj
    if moment is None:
        raise UsageError(f"{words[:60]!r} is not a date.", f"Dates are written like {EXAMPLES}.")
    if found.period in TIMED:
        if moment.tzinfo is None and not local:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).replace(microsecond=0)  # without a zone it is local
    return moment.date()


def day(due: date | datetime) -> date:
    """The day of a due date."""
    return due.date() if isinstance(due, datetime) else due

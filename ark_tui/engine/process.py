"""Jobs in a process of their own: orders are given, what it says is handed on from a thread."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain import children
from ark_tui.domain.errors import ArkError, Cancelled, Hint, ModelUnavailable, Paused, Step
from ark_tui.domain.stages import StageTime
from ark_tui.domain.work import IndexReport, Leaving, Problem, Progress

if TYPE_CHECKING:
    from ark_tui.domain.jobs import JobEntry
    from ark_tui.engine.threads import Hearing

MODULE = "ark_tui.engine.child"
"""What the process runs."""

LAST_WORDS = 400
"""Characters of what a process said of its own end that are passed on."""


class Apart:
    """Does the jobs of a lane in a process, which is begun when there is something to do, and stands back."""

    def __init__(self, home: Path, jobs: Hearing) -> None:
        self._home = home
        self._jobs = jobs
        self.process: Process | None = None
        self._ending: list[Process] = []
        self._number = 0
        self._at: JobEntry | None = None

    def begin(self, entry: JobEntry) -> None:
        """Give the order of a job."""
        if self.process is None:
            self.process = Process(self._home, self._heard)
        self._number, self._at = self._number + 1, entry
        self.process.order(self._number, entry.order())

    def stop(self, entry: JobEntry) -> None:
        """Let it end after the batch at hand."""
        del entry
        if self.process is not None:
            self.process.order(self._number, {"do": "stop"})

    def kill(self) -> None:
        """End the process where it stands."""
        if self.process is not None:
            self.process.kill()

    def close(self) -> None:
        """Let the process end: at once where it does nothing, else at the next safe point."""
        if self.process is not None:
            self.process.close()
            self._ending = [*(process for process in self._ending if process.alive), self.process]
            self.process = None

    def wait(self) -> None:
        """Until all have ended."""
        for process in self._ending:
            process.wait()

    def _heard(self, process: Process, event: Mapping[str, Any]) -> None:
        with self._jobs.hold:
            if process is not self.process or self._at is None:
                return
            if event["event"] == "gone":
                self.process = None
                self._jobs.finished(self._at, None, _died(self._at, event))
            elif event.get("number") == self._number:
                self._told(self._at, event)

    def _told(self, entry: JobEntry, event: Mapping[str, Any]) -> None:
        match event["event"]:
            case "progress":
                at = Progress(event["stage"], int(event["done"]), event["total"], event["note"])
                self._jobs.heard(entry, at)
            case "notice":
                self._jobs.notice(str(event["text"]))
            case "done":
                self._jobs.finished(entry, _report(event["report"]) if "report" in event else None, None)
            case _:
                self._jobs.finished(entry, None, error_of(event))


class Process:
    """One working process. `heard` is called from a thread, with an event; the last is `gone`."""

    def __init__(self, home: Path, heard: Callable[[Process, dict[str, Any]], object]) -> None:
        self._heard = heard
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the thread, at the process's end
        self._process = children.start_python(
            MODULE, str(home), stdin=children.PIPE, stdout=children.PIPE,
            stderr=self._errors, start_new_session=True,
        )  # fmt: skip
        self._listening = threading.Thread(target=self._listen, name="long work", daemon=True)
        self._listening.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet, or has still to be heard."""
        return self._listening.is_alive()

    def order(self, number: int, order: Mapping[str, object]) -> None:
        """Give an order. One that has just died is heard to be gone."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(json.dumps({"number": number, **order}).encode() + b"\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """Let it end: at once where it does nothing, else at the next safe point."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End it where it stands: nothing is lost but the batch at hand."""
        self._process.kill()

    def wait(self) -> None:
        """Until it has ended and all it said was heard."""
        self._listening.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                if event := parsed(line):
                    self._heard(self, event)
        code = self._process.wait()
        self.close()
        self._errors.seek(0)
        words = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        self._errors.close()
        self._heard(self, {"event": "gone", "code": code, "said": words[-1][:LAST_WORDS] if words else ""})


def _died(entry: JobEntry, event: Mapping[str, Any]) -> ArkError:
    code = int(event["code"])
    ended = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    said = f": {event['said']}" if event["said"] else ""
    hint = Hint.run("doctor", say="What was done is kept; `{}` says whether all is well.")
    return ArkError(f"{entry.title} {ended}{said}.", hint)


def error_of(event: Mapping[str, Any]) -> ArkError:
    """An error as the process has told it, its hint with its steps."""
    kinds: dict[str, type[ArkError]] = {
        "cancelled": Cancelled, "paused": Paused, "unavailable": ModelUnavailable
    }  # fmt: skip
    return kinds.get(event["reason"], ArkError)(str(event["error"]), _hint(event["hint"]))


def _hint(parts: Sequence[Any]) -> Hint:
    return Hint.of(
        *(
            Step(
                part["name"],
                tuple(part["arguments"]),
                tuple((name, value) for name, value in part["options"]),
            )
            if isinstance(part, dict)
            else str(part)
            for part in parts
        )
    )


def _report(told: Mapping[str, Any]) -> IndexReport:
    lists = {name: tuple(told[name]) for name in ("collections", "notices")}
    problems = tuple(Problem(**problem) for problem in told["problems"])
    stages = tuple(StageTime(**stage) for stage in told["stages"])
    leaving = tuple(Leaving(**{**one, "some": tuple(one["some"])}) for one in told["leaving"])
    return IndexReport(**{**told, **lists, "problems": problems, "leaving": leaving, "stages": stages})


def parsed(line: bytes) -> dict[str, Any]:
    """A line of the stream; what is no event counts as an empty one."""
    try:
        read = json.loads(line)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}

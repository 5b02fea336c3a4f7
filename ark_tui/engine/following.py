"""The indexes following while files are read: in a thread, or for a large corpus in a process beside.

Texts go by the store: the process is told only that there are more (`more`), and that no more will come
(`end`). Messages are handed over as they are stored, those of a transaction behind a line that says how many
bytes they are (`store.arrivals`). It says how far it is, and in the end what it has done, in lines of JSON.
Its input ends with whoever began it, however that came: it stops after the batch at hand.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain import children, collector
from ark_tui.domain.dataclass import dataclass
from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.protocols import OnProgress, Stop, check, ignore
from ark_tui.domain.stages import StageTime, together
from ark_tui.domain.work import Progress
from ark_tui.engine.services import Services
from ark_tui.settings import load
from ark_tui.settings.clock import SystemClock
from ark_tui.store import changes
from ark_tui.store.arrivals import Arrivals

if TYPE_CHECKING:
    from ark_tui.index.follower import Follower
    from ark_tui.settings import Settings
    from ark_tui.store.arrivals import Arrived

WAIT = 60.0  # seconds for another process that is writing the same index
RESTS = 4  # times as long as a round's publication took, until the next one
LEAST_BETWEEN = 0.5  # seconds between two rounds of catching up while files are read
LOOKS = 0.1  # seconds between two looks whether to stop
PIPE = 1 << 20  # bytes of the pipe to a process beside, where that can be said
TOLD_EVERY = 0.1  # seconds between two words on how far an index is
PASSED_ON = ("dedup", "lease_timeout")  # settings that a process beside must share
ALONE = {
    "OPENBLAS_NUM_THREADS": "1",  # threads of numpy's that wait for each other take all cores meanwhile
    "MALLOC_ARENA_MAX": "2",  # glibc has one for each thread else, and what is free in it stays there
}


@dataclass(slots=True)
class Followed:
    """What the indexes have done."""

    embedded: int = 0
    duplicates: int = 0
    notices: list[str] = field(default_factory=list)
    stages: list[StageTime] = field(default_factory=list)


@contextmanager
def suppressed(notices: list[str], follower: Follower) -> Iterator[None]:
    """An index that cannot follow is a notice: the text is safe and the index catches up later."""
    try:
        yield
    except Cancelled:
        raise
    except ArkError as error:
        notices.append(f"{follower.name}: " + error.told)


class InThread:
    """Lets indexes catch up in a thread while there is more to come; `at_once`: with whatever has come.

    `apart`: in a process that does nothing else. There the slow index has a thread of its own and goes on
    without a rest; the quick ones take a fifth of the time, or half of it where that one waits for more.
    """

    def __init__(
        self, followers: Sequence[Follower], stop: Stop, *, at_once: bool = False, apart: bool = False
    ) -> None:
        self._followers = followers
        self._apart = apart
        self._between, self._rests = (0.0, 0) if at_once else (LEAST_BETWEEN, RESTS)
        share(followers, changes.Handed() if len(followers) > 1 else None)
        self._stop = stop
        self._news = threading.Event()
        self._slow_news = threading.Event()
        self._slow_waits = threading.Event()
        self._over = threading.Event()
        self._notices: list[str] = []
        self._progress: OnProgress = ignore  # of the slow index, when all is read
        self._thread: threading.Thread | None = None
        self._slow_thread: threading.Thread | None = None

    def poke(self) -> None:
        """There is something new in the store."""
        self._news.set()
        self._slow_news.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="followers", daemon=True)
            self._thread.start()
        if self._apart and self._slow_thread is None:
            self._slow_thread = threading.Thread(target=self._run_slow, name="slow follower", daemon=True)
            self._slow_thread.start()

    def end(self) -> None:
        """Stop after the batches at hand, which are not to be done again; `apart` the slow index goes on."""
        self._over.set()
        self._news.set()
        self._slow_news.set()
        for thread in (self._thread, self._slow_thread):
            if thread is not None:
                thread.join()

    def finish(self, stop: Stop, progress: OnProgress, *, whole: bool = True) -> Followed:
        """Catch up with everything: the quick indexes side by side with the slow one, which tells of it.

        `whole`: else whoever began this process does the quick ones.
        """
        self._progress = progress
        self.end()
        if not whole:
            share(self._followers, None)  # nobody here asks for it any more
        *quick, slow = self._followers
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="followers") as pool:
            beside = pool.submit(finish_quick, quick if whole else (), stop, self._notices)
            with suppressed(self._notices, slow):
                slow.sync(stop, progress, WAIT)
            beside.result()
        share(self._followers, None)
        stages = [taken for follower in self._followers for taken in follower.stages.told()]
        return Followed(
            count(self._followers, "embedded"),
            count(self._followers, "duplicates"),
            self._notices,
            stages=stages,
        )

    def _run(self) -> None:
        """Each index in turn; what it publishes costs the more the larger the corpus: then it rests."""
        mine = self._followers[:-1] if self._apart else self._followers
        ended, costs = dict.fromkeys(mine, 0.0), dict.fromkeys(mine, 0.0)
        while not self._over.wait(self._between):
            self._news.wait()
            self._news.clear()
            for follower in mine:
                began = time.monotonic()
                rests = 1 if self._slow_waits.is_set() else self._rests
                if began < ended[follower] + rests * costs[follower]:
                    self._news.set()  # it has not been looked at
                    continue
                with suppress(Cancelled), suppressed(self._notices, follower):  # the reading thread is told
                    follower.sync(self._stop, midway=True, until=self._over)
                ended[follower] = time.monotonic()
                costs[follower] = ended[follower] - began if self._apart else follower.published_s

    def _run_slow(self) -> None:
        """The slow index, in one round as long as there is no fault."""
        slow = self._followers[-1]
        while self._waited():
            with suppress(Cancelled), suppressed(self._notices, slow):
                slow.sync(self._stop, self._tell, midway=True, more=self._waited)

    def _tell(self, at: Progress) -> None:
        self._progress(at)

    def _waited(self) -> bool:
        """Wait until there is more for the slow index; false when all is read."""
        self._slow_waits.set()
        if not self._over.wait(self._between):
            self._slow_news.wait()
            self._slow_news.clear()
        self._slow_waits.clear()
        return not self._over.is_set()


def share(followers: Sequence[Follower], handed: changes.Handed | None) -> None:
    """From now on what one of these has looked up the others need not; None: each looks for itself."""
    for follower in followers:
        follower.handed = handed


def finish_quick(followers: Sequence[Follower], stop: Stop, notices: list[str]) -> None:
    """Catch up with everything in the indexes that take little."""
    for follower in followers:
        with suppressed(notices, follower):
            follower.sync(stop, wait=WAIT)


class Beside:
    """The same in a process of its own, which has an interpreter to itself.

    When all is read, the process that read has nothing to do: it takes over the quick indexes. `mended` is
    told what it has found damaged and rebuilt. `stream`: of what the indexes are.
    """

    def __init__(
        self,
        settings: Settings,
        mended: list[str],
        quick: Sequence[Follower] = (),
        stream: changes.Stream = "documents",
    ) -> None:
        self._mended, self._quick = mended, quick
        shared = json.dumps({name: getattr(settings, name) for name in PASSED_ON})
        self._process = children.start_python(
            __name__, str(settings.home.path), shared, stream,
            stdin=children.PIPE, stdout=children.PIPE, stderr=children.DEVNULL,
            start_new_session=True, pipesize=PIPE, defaults=ALONE,
        )  # fmt: skip
        self._progress: OnProgress = ignore
        self._done: Followed | None = None
        self._listening = threading.Thread(target=self._listen, name="followers", daemon=True)
        self._listening.start()

    def poke(self) -> None:
        """There is something new in the store."""
        self._say("more")

    def hand(self, arrived: Arrived) -> None:
        """There are new messages in the store: these."""
        written = arrived.written()
        self._say(str(len(written)), written)

    def end(self) -> None:
        """Let it end after the batch at hand."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()

    def finish(self, stop: Stop, progress: OnProgress) -> Followed | None:
        """Have it catch up with everything. None where it has died: it is to be done here."""
        self._progress = progress
        self._say("end")
        notices: list[str] = []
        finish_quick(self._quick, stop, notices)
        while self._listening.is_alive():
            self._listening.join(LOOKS)
            check(stop)
        self.end()
        if self._done is not None:
            self._done.notices += notices
            mine = [taken for follower in self._quick for taken in follower.stages.told()]
            self._done.stages = together([*self._done.stages, *mine])
        return self._done

    def _say(self, what: str, more: bytes = b"") -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(what.encode() + b"\n")
            self._process.stdin.write(more)
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                told: Mapping[str, Any] = json.loads(line)
                if "followed" in told:
                    self._mended += told["mended"]
                    stages = [StageTime(**stage) for stage in told["followed"].pop("stages")]
                    self._done = Followed(**told["followed"], stages=stages)
                else:
                    self._progress(Progress(**told))


def count(followers: Sequence[Follower], what: str) -> int:
    """What the followers of vectors have counted; the others count nothing."""
    return sum(getattr(follower, what, 0) for follower in followers)


class _Telling:
    """Progress as lines: one per stage and tenth of a second, and the last one of each stage."""

    def __init__(self) -> None:
        self._told: dict[str, float] = {}

    def __call__(self, at: Progress) -> None:
        now = time.monotonic()
        if at.done == at.total or now - self._told.get(at.stage, 0.0) >= TOLD_EVERY:
            self._told[at.stage] = now
            tell(asdict(at))


def tell(what: Mapping[str, Any]) -> None:
    """Write a line to whoever began this process; nobody may listen any more."""
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()


def main() -> None:
    """Follow a home: its path, settings and stream are the arguments."""
    collector.wait()
    gone = threading.Event()
    settings = load(Path(sys.argv[1]), json.loads(sys.argv[2]))
    parts = Services(settings, SystemClock(), ignore)
    arrivals = Arrivals()
    messages = sys.argv[3] == "messages"
    followers = [parts.messages_follower(arrivals)] if messages else parts.local_followers()
    following = InThread(followers, gone, at_once=messages, apart=not messages)
    collector.go_on(collector.BULK if messages else collector.YOUNG)
    threading.Thread(target=_prepare, args=(followers,), name="prepare").start()
    with open(sys.stdin.fileno(), "rb", PIPE, closefd=False) as given:
        for line in iter(given.readline, b""):
            if line == b"end\n":
                break
            if line.rstrip().isdigit():
                written = given.read(int(line))
                if len(written) < int(line):
                    continue  # who was writing it is gone
                arrivals.add(written)
            following.poke()
        else:
            gone.set()
    arrivals.close()
    threading.Thread(target=_heed, args=(gone,), daemon=True).start()
    with suppress(Cancelled):
        done = following.finish(gone, _Telling(), whole=False)
        tell({"followed": asdict(done), "mended": parts.store.mended})
    parts.store.close()


def _prepare(followers: Sequence[Follower]) -> None:
    """Have ready what the indexes need, while the first texts are still being cut."""
    for follower in followers:
        follower.prepare()


def _heed(gone: threading.Event) -> None:
    """Wait for the end of the input, past the buffer that the interpreter wants back when it ends."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    gone.set()


if __name__ == "__main__":
    main()
    os._exit(0)  # all is written: to give its memory back piece by piece takes it a fifth of a second

"""Indexing with the workers of a Ray cluster: they read, cut, embed and stage, the home takes that up.

Plain tasks, of which the home asks for a few more than there are workers, and whose outcomes it takes in the
order of the files: decision 87. One that dies with its worker is repeated by Ray. What is staged and was not
taken up, because this process was ended, is taken up by the next run that has workers.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ark_tui.domain.errors import ArkError, Busy, StoreError, UsageError
from ark_tui.domain.protocols import OnProgress, Stop, check
from ark_tui.domain.work import Problem, Progress
from ark_tui.embedding.waiting import stoppable
from ark_tui.engine import bulk
from ark_tui.engine.bulk import Order, Said, Staged
from ark_tui.index.follower import alone
from ark_tui.ingest.taking import Taken, Task

if TYPE_CHECKING:
    from ark_tui.engine.services import Services
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.ingest.pipeline import Root
    from ark_tui.ingest.reading import Reading

LOCAL, RAY = re.compile(r"local(?::([1-9]\d{0,2}))?"), re.compile(r"ray://(\[[^]]+\]|[^/:@]+):(\d{1,5})")
EXTRA = "pip install 'ark-tui[cluster]' brings it, here and at every worker."
ON = "Say local, local:N with a number of workers, or ray://HOST:10001."
LATER = "What was taken up is kept, and so is what is staged: the same command goes on."
FILES, BYTES = 256, 4 << 20  # of a batch, which is one task, one table and one transaction
REPEATED = 3  # times that a task is repeated whose worker has died
REACHED = 3.0  # seconds in which something must listen at an address
LOOKED = 60.0  # seconds in which every worker says whether it can do the work
LOOKS = 0.2  # seconds between two looks whether to stop
WAIT = 60.0  # seconds for another process that is writing the vectors
STORE = 128 << 20  # bytes of Ray's own store on this machine: only names of tables are in it
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # it would tell its makers how it is used
    "RAY_CLIENT_INITIAL_CONNECTION_TIMEOUT_S": "5",
    "RAY_CLIENT_MAX_CONNECTION_TIMEOUT_S": "5",  # of each of three attempts
    "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "15",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # what it warns of otherwise
}


class Following(Protocol):
    """Who takes up token ids that workers have made, so that they are not made again."""

    def give(self, tokens: Mapping[str, Any]) -> object:
        """They are of texts that will be in the store in a moment."""


def place(on: str) -> tuple[str, int]:
    """A host and port, or "" and how many workers this machine is to have; 0: one for each core.

    Raises `UsageError`, also where Ray is not installed. Imports nothing.
    """
    if match := LOCAL.fullmatch(on):
        found = "", int(match[1] or 0)
    elif match := RAY.fullmatch(on):
        found = match[1].strip("[]"), int(match[2])
    else:
        raise UsageError(f"{on} is no cluster.", ON)
    if find_spec("ray") is None:
        raise UsageError("Work on a cluster needs Ray, which is an extra of ark-tui.", EXTRA)
    return found


def _reach(on: str, host: str, port: int) -> None:
    """Raise `ArkError` where nothing listens."""
    try:
        socket.create_connection((host, port), REACHED).close()
    except OSError as error:
        raise ArkError(
            f"Nothing answers at {on}: {error.strerror or error}.",
            "Look at the address, and whether the head of a cluster runs there.",
        ) from error


@contextmanager
def opened(
    parts: Services, on: str, reading: Reading, following: Following, stop: Stop, progress: OnProgress
) -> Iterator[Cluster]:
    """Workers for one run, which are let go at its end. Raises `ArkError` where there are none."""
    host, number = place(on)
    if host:
        _reach(on, host, number)
    with alone(parts.store, "staged", 0.0) as mine, ExitStack() as stack:
        if not mine:
            raise Busy("Another process has workers index for this home.", "Try again when it is done.")
        cluster = Cluster(parts, on, reading, following, stop, progress, stack)
        yield cluster
        cluster.tidy()


class Cluster:
    """The workers, as `ingest/pipeline.py` asks them to read files: see `Elsewhere` there."""

    def __init__(
        self, parts: Services, on: str, reading: Reading, following: Following, stop: Stop,
        progress: OnProgress, stack: ExitStack,
    ) -> None:  # fmt: skip
        self.notices: list[str] = []
        self._parts, self._on, self._stack = parts, on, stack
        self._ray: Any = None  # connected when there is a file to read
        self._staging, self._reading, self._following = parts.staging(), reading, following
        self._stop, self._progress = stop, progress
        self._left = self._staging.names()  # by a run that was ended
        self._token = ""
        self._flying: deque[tuple[Any, Sequence[Task]]] = deque()  # tasks of Ray, in the order of the files
        model = parts.models.building() or parts.models.in_force()
        followers = parts.models.followers() if model else ()
        self._served: VectorsFollower | None = next(
            (one for one in followers if model and one.embedder.fingerprint == model.fingerprint), None
        )
        self._model = model

    def __call__(self, root: Root, tasks: Sequence[Task]) -> Iterator[Iterable[Taken]]:
        """What comes of files, in groups; a group is in the store when the next one is asked for."""
        if not tasks:
            return
        order = self._order(root)
        wanted = {order.key(task): task for task in map(_said, [root] * len(tasks), tasks)}
        total = len(wanted)
        for name in self._left:
            if group := self._resumed(name, wanted):
                yield self._group(group, total - len(wanted) - len(group), total)
        if wanted:
            self._connect()
            yield from self._done(replace(order, token=self._token), wanted, total)

    def end(self) -> None:
        """Cancel what was asked for and is no longer wanted."""
        with suppress(Exception):  # the cluster may be gone, and with it the tasks
            for ref, _ in self._flying:
                self._ray.cancel(ref, force=True)

    def tidy(self) -> None:
        """Remove what is staged: all of it is in the store."""
        if self._left or self._token:
            self._staging.clear()

    def _connect(self) -> None:
        if self._ray is None:
            host, number = place(self._on)
            self._ray = self._stack.enter_context(_connected(self._on, host, number, self._stop))
            self._stack.callback(self.end)
            self._work = self._ray.remote(bulk.work)
            self._token = self._staging.begin()

    def _order(self, root: Root) -> Order:
        settings = self._parts.settings
        return Order(
            self._staging, self._token, str(root.path), root.collection, self._reading,
            str(settings.home.path), dict(settings.values), self._model,
        )  # fmt: skip

    def _resumed(self, name: str, wanted: dict[str, Task]) -> list[Staged]:
        """What a run before has staged of files that are still as they were then."""
        rows: list[dict[str, Any]] = []
        with suppress(StoreError):  # it was cut off while it was written
            rows = self._staging.read(name)
        found = [self._staged(row, wanted[row["key"]]) for row in rows if row["key"] in wanted]
        lasting = [(row["key"], one) for row, one in zip(rows, found, strict=False) if one.lasting]
        for key, _ in lasting:
            del wanted[key]
        return [one for _, one in lasting]

    def _done(self, order: Order, wanted: Mapping[str, Task], total: int) -> Iterator[Iterable[Taken]]:
        """What workers make of files, batch by batch."""
        ahead, done = self._looked(order), total - len(wanted)
        asked = self._called(lambda: self._ray.put(order))
        waiting = _batches(wanted.values())
        while True:
            for some in islice(waiting, max(0, ahead - len(self._flying))):
                self._flying.append((self._send(asked, some), some))
            if not self._flying:
                return
            ref, batch = self._flying[0]
            self._progress(Progress("read", done, total, batch[0].entry.path))
            found = self._outcome(ref)
            self._flying.popleft()
            if found is None and len(batch) > 1:  # one file may have been too much: which one?
                halves = batch[: len(batch) // 2], batch[len(batch) // 2 :]
                self._flying.extendleft((self._send(asked, half), half) for half in reversed(halves))
                continue
            yield self._read(found, order, batch, done, total)
            done += len(batch)
            if found:
                self._staging.drop(found[0])

    def _read(
        self, found: tuple[str, str] | None, order: Order, batch: Sequence[Task], done: int, total: int
    ) -> Iterable[Taken]:
        if found is None:
            entry, scanned, *_ = batch[0]
            dead = Problem(entry.path, "each worker that read it has died", "failed")
            return [Taken(entry, scanned, "", 0, dead)]
        name, said = found
        self.notices += [said] if said and said not in self.notices else []
        tasks = {order.key(task): task for task in batch}
        staged = [self._staged(row, tasks[row["key"]]) for row in self._staging.read(name)]
        return self._group(staged, done, total)

    def _group(self, staged: Sequence[Staged], done: int, total: int) -> Iterator[Taken]:
        for i, one in enumerate(staged, done):
            check(self._stop)
            self._progress(Progress("read", i, total, one.taken.entry.path))
            self._following.give(one.tokens)
            if self._served and one.vectors.hashes:
                self._served.take_over(one.vectors, WAIT)
            yield one.taken

    def _staged(self, row: Mapping[str, Any], task: Task) -> Staged:
        return Staged.of(row, task, self._model.dims if self._model else 0)

    # -- Ray ---------------------------------------------------------------------------------------

    def _looked(self, order: Order) -> int:
        """How many batches are asked for ahead, once every worker has said that it can do the work."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as At

        nodes = [one for one in self._called(self._ray.nodes) if one["Alive"] and one["Resources"].get("CPU")]
        if not nodes:
            raise ArkError(
                f"The cluster {self._on} has no worker.", "Have a machine with a processor for it join."
            )
        refs = {
            self._work.options(
                num_cpus=0, max_retries=REPEATED, scheduling_strategy=At(one["NodeID"], soft=False)
            ).remote(order, []): one["NodeManagerHostname"]
            for one in nodes
        }
        _, late = self._called(lambda: self._ray.wait([*refs], num_returns=len(refs), timeout=LOOKED))
        for ref, name in refs.items():
            if ref in late:
                raise ArkError(f"The worker {name} does not answer within {LOOKED:g} s.", LATER)
            self._called(partial(self._ray.get, ref))
        return 2 * max(1, int(sum(one["Resources"]["CPU"] for one in nodes)))

    def _send(self, order: Any, batch: Sequence[Task]) -> Any:
        work = self._work.options(num_cpus=1, max_retries=REPEATED)
        return self._called(lambda: work.remote(order, batch))

    def _outcome(self, ref: Any) -> tuple[str, str] | None:
        """What a task has staged; None where every worker that tried has died. Raises `ArkError`."""
        from ray import exceptions

        while True:
            check(self._stop)
            if self._called(lambda: self._ray.wait([ref], timeout=LOOKS))[0]:
                break
        dead = (exceptions.WorkerCrashedError, exceptions.NodeDiedError, exceptions.OutOfMemoryError)
        try:
            found: tuple[str, str] = self._ray.get(ref)
        except dead:
            return None
        except Exception as error:
            raise _worded(self._on, error) from error
        return found

    def _called(self, call: Callable[[], Any]) -> Any:
        """A call to Ray, whose failures are sentences."""
        try:
            return call()
        except Exception as error:
            raise _worded(self._on, error) from error


def _said(root: Root, task: Task) -> Task:
    path = task.entry.path
    return task._replace(rules=Said(root.ignore.keeps(path), root.ignore.submodule(path)))


def _batches(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        if batch and (len(batch) == FILES or size + task.entry.size > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += task.entry.size
    if batch:
        yield batch


@contextmanager
def _connected(on: str, host: str, number: int, stop: Stop) -> Iterator[Any]:
    """The module ray, connected. Raises `ArkError` where it cannot be."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if host and ("RAY_AUTH_TOKEN" in os.environ or Path("~/.ray/auth_token").expanduser().exists()):
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # which its client does not see by itself
    import ray

    # What becomes of workers it would print, on our standard output, and nothing public keeps it from that.
    ray._private.worker.__dict__["print_to_stdstream"] = lambda *_, **__: None  # noqa: SLF001
    logging.getLogger("ray").setLevel(logging.CRITICAL)  # what is to be said is said here
    with ExitStack() as stack:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if host:
            given = {"address": on, **quiet}
        else:  # names of sockets may not be long
            temporary = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="ark-", dir="/tmp", ignore_cleanup_errors=True)
            )
            given = {
                "address": "local", "num_cpus": number or None, "include_dashboard": False,
                "object_store_memory": STORE, "_temp_dir": temporary, **quiet,
            }  # fmt: skip
        stack.callback(ray.shutdown)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if host:
                stoppable(on, lambda: _begun(ray, on, given), stop)
            else:  # in this very thread: with it what Ray begins would end
                _begun(ray, on, given)
        yield ray


def _begun(ray: Any, on: str, given: Mapping[str, Any]) -> bool:
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**given)
    except Exception as error:
        raise _worded(on, error) from error
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # which Ray has replaced
    return True


def _worded(on: str, error: Exception) -> ArkError:
    """What Ray reports, as a sentence."""
    cause = getattr(error, "cause", None) or error
    text = str(cause)
    if isinstance(cause, ArkError):
        return cause
    if isinstance(cause, ModuleNotFoundError) or "No module named 'ark_tui" in text:
        return ArkError("A worker has no ark-tui.", "Install the same version at every machine.")
    if "ersion mismatch" in text:
        versions = ", ".join(re.findall(r"(?:Ray|Python): [\w.]+", text))
        return ArkError(
            f"The cluster {on} has other versions than this process ({versions}).",
            "Install the same Python and the same Ray at every machine.",
        )
    if "connection timeout" in text or "Initialization failure" in text:
        return ArkError(
            f"{on} does not answer as a cluster of Ray.",
            "Look at its ray_client_server.err, and whether it asks for a token: RAY_AUTH_TOKEN, or "
            "~/.ray/auth_token as at the head.",
        )
    first = text.strip().splitlines()[-1:] or [type(cause).__name__]
    return ArkError(f"The cluster {on} has failed: {first[0][:200]}.", LATER)

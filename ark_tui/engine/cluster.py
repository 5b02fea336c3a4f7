"""Indexing with a Ray cluster: workers read, chunk and embed files; the home stores the results.

Results are processed in the order of the files (decision 87). An interrupted run keeps what it has stored.
Ray repeats tasks of workers that died. Slightly more tasks are submitted than there are workers.
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
from contextlib import ExitStack, chdir, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ark_tui.domain.documents import embedded_text, text_hash
from ark_tui.domain.errors import ArkError, Busy, UsageError
from ark_tui.domain.protocols import OnProgress, Stop, check
from ark_tui.domain.work import Problem, Progress
from ark_tui.embedding import choice
from ark_tui.index.vectors.table import Embeddings
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.taking import Taken, Task, take
from ark_tui.ingest.walk import CHANGED, Entry
from ark_tui.settings import load
from ark_tui.settings.tree import Tree
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.embedding.served import ServedModel
    from ark_tui.engine.services import Services
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.ingest.pipeline import Root

FILES, BYTES = 256, 4 << 20  # limits of a batch, which is one task and one transaction
WAIT = 60.0  # seconds to wait for another thread that writes the vectors
LOCAL, RAY = re.compile(r"local(?::([1-9]\d{0,2}))?"), re.compile(r"ray://(\[[^]]+\]|[^/:@]+):(\d{1,5})")
EXTRA = "pip install 'ark-tui[cluster]' brings it, here and at every worker."
ON = "Say local, local:N with a number of workers, or ray://HOST:10001."
AGAIN = "Finished work is kept. The same command continues."
REPEATED = 3  # retries of a task whose worker has died
REACHED = 3.0  # seconds to connect to an address
LOOKED = 60.0  # seconds for every worker to pass its check
LOOKS = 0.2  # seconds between two checks whether to stop
STORE = 256 << 20  # bytes of Ray's object store on this machine; the rest is spilled to its folder
PLACE, PREFIX = "/tmp", "ark-tui-ray-"  # noqa: S108  (in /tmp, as a socket's path must be short)
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no telemetry
    "RAY_CLIENT_INITIAL_CONNECTION_TIMEOUT_S": "5",
    "RAY_CLIENT_MAX_CONNECTION_TIMEOUT_S": "5",  # for each of three attempts
    "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "15",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # avoids a warning
}
_CONNECTED = threading.Lock()  # Ray supports one cluster per process


@dataclass(frozen=True, slots=True)
class Order:
    """The parameters of a worker: the folder, how to read files, and the embedding model."""

    root: str
    reading: Reading
    home: str  # contains the added models
    settings: Mapping[str, object]
    model: ServedModel | None  # in addition to the built-in one
    version: str = VERSION


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a batch: its files, the served model's vectors of their texts, and a remark."""

    files: Sequence[Taken]
    vectors: Embeddings | None = None
    remark: str = ""


def work(order: Order, tasks: Sequence[Task]) -> Done:
    """Read, chunk and embed files on a worker. Without tasks, only check version and folder.

    Raises `ArkError` with the host name of the worker.
    """
    with _named(), Tree(order.root) as files:
        if order.version != VERSION:
            raise ArkError(
                f"ark-tui is {VERSION} there, and {order.version} at the home.",
                "Install the same version at every machine.",
            )
        if not Path(order.root).is_dir():
            raise ArkError(f"There is no folder {order.root}.", "Have it at the same path at every machine.")
        taken = [_taken(files, task, order.reading) for task in tasks]
        return Done(taken, *_embedded(order, _texts(taken)))


@contextmanager
def _named() -> Iterator[None]:
    """Add the host name to each `ArkError` in this block."""
    try:
        yield
    except ArkError as error:
        raise type(error)(f"At the worker {socket.gethostname()}: {error.what}", error.hint) from None


def _taken(files: Tree, task: Task, reading: Reading) -> Taken:
    """Read a file if size and mtime match the home's scan; the inode may differ between machines."""
    try:
        here = Entry.of(files, task.entry.path)
    except OSError:
        here = None
    if here is None or (here.size, here.mtime_ns) != (task.entry.size, task.entry.mtime_ns):
        return Taken(task.entry, task.scanned, "", 0, Problem(task.entry.path, CHANGED, "failed"))
    return take(files, task._replace(entry=here), reading)._replace(entry=task.entry)


def _texts(taken: Iterable[Taken]) -> dict[str, str]:
    """The texts to embed of some files, by hash."""
    return {
        text_hash(about, text): embedded_text(about, text)
        for one in taken
        if isinstance(one.drafts, tuple)
        for draft in one.drafts
        for chunk in draft.chunks
        for about, text in [(draft.context(chunk), draft.body[chunk.start_char : chunk.end_char])]
    }


def _embedded(order: Order, texts: Mapping[str, str]) -> tuple[Embeddings | None, str]:
    """The served model's vectors of texts, or None and the reason; then the home embeds them."""
    if order.model is None or not texts:
        return None, ""
    try:
        embedder = choice.embedder(order.model, load(Path(order.home), order.settings))
        return Embeddings(tuple(texts), embedder.embed_documents(list(texts.values()))), ""
    except ArkError as error:
        return None, f"the worker {socket.gethostname()} left vectors to the home: {error.told}"


class Cluster:
    """Reads files on workers; implements `Elsewhere` of `ingest/pipeline.py`."""

    def __init__(
        self, parts: Services, workers: Workers, reading: Reading, stop: Stop, progress: OnProgress
    ) -> None:
        self.notices: list[str] = []
        self._parts, self._workers, self._reading = parts, workers, reading
        self._stop, self._progress = stop, progress
        model = parts.models.building() or parts.models.in_force()
        followers = parts.models.followers() if model else ()
        self._served: VectorsFollower | None = next(
            (one for one in followers if model and one.embedder.fingerprint == model.fingerprint), None
        )
        self._model = model

    def __call__(self, root: Root, tasks: Sequence[Task]) -> Iterator[Iterable[Taken]]:
        """Yield the results in groups. The caller stores a group before it requests the next."""
        if not tasks:
            return
        workers, done, total = self._workers, 0, len(tasks)
        settings = self._parts.settings
        home, values = str(settings.home.path), dict(settings.values)
        order = Order(str(root.path), self._reading, home, values, self._model)
        ahead = workers.begin(work, order, [])
        waiting, flying = _batches(tasks), deque[tuple[Any, Sequence[Task]]]()
        while True:
            for some in islice(waiting, max(0, ahead - len(flying))):
                flying.append((workers.send(work, order, some), some))
            if not flying:
                return
            ref, batch = flying.popleft()
            self._progress(Progress("read", done, total, batch[0].entry.path))
            found: Done | None = workers.outcome(ref)
            if found is None and len(batch) > 1:  # one file may have killed it: bisect
                halves = batch[: len(batch) // 2], batch[len(batch) // 2 :]
                flying.extendleft((workers.send(work, order, half), half) for half in reversed(halves))
                continue
            yield self._group(found or _dead(batch[0]), done, total)
            done += len(batch)

    def _group(self, found: Done, done: int, total: int) -> Iterator[Taken]:
        if found.remark and found.remark not in self.notices:
            self.notices.append(found.remark)
        if self._served and found.vectors:
            self._served.take_over(found.vectors, WAIT)
        for i, one in enumerate(found.files, done):
            check(self._stop)
            self._progress(Progress("read", i, total, one.entry.path))
            yield one


def _dead(task: Task) -> Done:
    problem = Problem(task.entry.path, "each worker that read it has died", "failed")
    return Done([Taken(task.entry, task.scanned, "", 0, problem)])


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


class Address(NamedTuple):
    """The address of workers. `host` is empty for this machine."""

    on: str
    host: str
    number: int  # the port; for this machine the number of workers, 0 for one per core

    @classmethod
    def of(cls, on: str) -> Address:
        """Parse an address, without importing Ray.

        Raises `UsageError` if it is invalid or Ray is not installed.
        """
        if match := LOCAL.fullmatch(on):
            found = cls(on, "", int(match[1] or 0))
        elif match := RAY.fullmatch(on):
            found = cls(on, match[1].strip("[]"), int(match[2]))
        else:
            raise UsageError(f"{on} is not a cluster.", ON)
        if find_spec("ray") is None:
            raise UsageError("Work on a cluster needs Ray, which is an extra of ark-tui.", EXTRA)
        return found


class Workers:
    """The workers at an address, for one run. Ray is started with the first task.

    Entering raises `ArkError` if nothing answers at the address.
    """

    def __init__(self, address: Address, stop: Stop) -> None:
        self._address, self._stop = address, stop
        self._stack = ExitStack()
        self._ray: Any = None
        self._flying: set[Any] = set()  # submitted tasks

    def __enter__(self) -> Self:
        at = self._address
        try:
            if at.host:
                socket.create_connection((at.host, at.number), REACHED).close()
        except OSError as error:
            raise ArkError(
                f"Nothing answers at {at.on}: {error.strerror or error}.",
                "Check the address, and that the head of a cluster runs there.",
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, work: Callable[..., object], *about: object) -> int:
        """Connect, and check every worker with an empty task. Raises `ArkError` if one fails.

        Return the number of tasks to submit ahead.
        """
        with self._explained():
            if self._ray is None:
                self._ray = self._stack.enter_context(_connected(self._address))
                self._stack.callback(self._cancel)
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as At

            nodes = [one for one in self._ray.nodes() if one["Alive"] and one["Resources"].get("CPU")]
            if not nodes:
                raise ArkError(
                    f"The cluster {self._address.on} has no worker.",
                    "Add a machine with a free processor.",
                )
            places = [At(one["NodeID"], soft=False) for one in nodes]
            refs = [self._asked(work, about, num_cpus=0, scheduling_strategy=place) for place in places]
            _, late = self._ray.wait(refs, num_returns=len(refs), timeout=LOOKED)
            for ref, node in zip(refs, nodes, strict=True):
                if ref in late:
                    name = node["NodeManagerHostname"]
                    raise ArkError(f"The worker {name} does not answer within {LOOKED:g} s.", AGAIN)
                self._ray.get(ref)
        return 2 * max(1, int(sum(one["Resources"]["CPU"] for one in nodes)))

    def send(self, work: Callable[..., object], *about: object) -> Any:
        """Submit a task; return the reference for `outcome`."""
        with self._explained():
            ref = self._asked(work, about, num_cpus=1)
        self._flying.add(ref)
        return ref

    def outcome(self, ref: Any) -> Any:
        """Wait for the result of a task; None if every worker that tried has died. Raises `ArkError`."""
        from ray import exceptions

        with self._explained():
            while not self._ray.wait([ref], timeout=LOOKS)[0]:
                check(self._stop)
            self._flying.discard(ref)
            try:
                return self._ray.get(ref)
            except (exceptions.WorkerCrashedError, exceptions.NodeDiedError, exceptions.OutOfMemoryError):
                return None

    def _asked(self, work: Callable[..., object], about: Sequence[object], **options: object) -> Any:
        return self._ray.remote(work).options(max_retries=REPEATED, **options).remote(*about)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert errors of Ray in this block into `ArkError`."""
        try:
            yield
        except ArkError:
            raise
        except Exception as error:
            raise _failure(self._address.on, error) from error

    def _cancel(self) -> None:
        """Cancel the unfinished tasks."""
        with suppress(Exception):  # the cluster may be gone
            for ref in self._flying:
                self._ray.cancel(ref, force=True)


@contextmanager
def _connected(address: Address) -> Iterator[Any]:
    """The connected module `ray`. Raises `ArkError` if it cannot connect."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if address.host and ("RAY_AUTH_TOKEN" in os.environ or Path("~/.ray/auth_token").expanduser().exists()):
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # Ray's client does not detect this itself
    with ExitStack() as stack:
        if not _CONNECTED.acquire(blocking=False):
            raise Busy("This process has workers at work already.", "Try again when they are done.")
        stack.callback(_CONNECTED.release)
        import ray

        # Ray prints worker output to our standard output; no public API disables that.
        ray._private.worker.__dict__["print_to_stdstream"] = lambda *_, **__: None  # noqa: SLF001
        logging.getLogger("ray").setLevel(logging.CRITICAL)  # errors are reported by `_failure`
        given: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if address.host:
            given |= {"address": address.on}
        else:
            given |= {
                "address": "local", "num_cpus": address.number or None, "include_dashboard": False,
                "object_store_memory": STORE,
                "_temp_dir": stack.enter_context(tempfile.TemporaryDirectory(prefix=PREFIX, dir=PLACE)),
            }  # fmt: skip
        stack.callback(ray.shutdown)
        _begin(ray, given)
        yield ray


def _begin(ray: Any, given: Mapping[str, Any]) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with chdir("/"), warnings.catch_warnings():  # Ray's workers import from the current folder first
            warnings.simplefilter("ignore")
            ray.init(**given)
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray replaced it


def _failure(on: str, error: Exception) -> ArkError:
    """Convert an error of Ray into an `ArkError` with a readable message."""
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
            "See its ray_client_server.err. Check the token: RAY_AUTH_TOKEN, or ~/.ray/auth_token there.",
        )
    first = text.strip().splitlines()[-1:] or [type(cause).__name__]
    return ArkError(f"The cluster {on} has failed: {first[0][:200]}.", AGAIN)

"""Workers of a Ray cluster: their address, and tasks for them. Ray repeats tasks of workers that died.

Slightly more tasks are submitted than there are workers (decision 87).
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Self

from ark_tui.domain.errors import ArkError, Busy, UsageError
from ark_tui.domain.protocols import Stop, check

LOCAL, RAY = re.compile(r"local(?::([1-9]\d{0,2}))?"), re.compile(r"ray://(\[[^]]+\]|[^/:@]+):(\d{1,5})")
EXTRA = "pip install 'ark-tui[cluster]' brings it, here and at every worker."
ON = "Say local, local:N with a number of workers, or ray://HOST:10001."
AGAIN = "What is finished is kept: the same command goes on."
DIED = "Give workers more memory, or do it without a cluster. " + AGAIN
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

    def reach(self) -> None:
        """Check that the address accepts connections. Raises `ArkError`."""
        if not self.host:
            return
        try:
            socket.create_connection((self.host, self.number), REACHED).close()
        except OSError as error:
            raise ArkError(
                f"Nothing answers at {self.on}: {error.strerror or error}.",
                "Check the address, and that the head of a cluster runs there.",
            ) from error


class Workers:
    """The workers at an address, for one run. Ray is started with the first task."""

    def __init__(self, address: Address, stop: Stop) -> None:
        self._address, self._stop = address, stop
        self._stack = ExitStack()
        self._ray: Any = None
        self._flying: set[Any] = set()  # submitted tasks

    def __enter__(self) -> Self:
        self._address.reach()
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

    def hold(self, value: object) -> Any:
        """Upload a value once for several tasks; pass them the returned reference."""
        with self._explained():
            return self._ray.put(value)

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
        except Exception as error:
            failure = _failure(self._address.on, error)
            if failure is error:
                raise
            raise failure from error

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
            "Look at its ray_client_server.err, and whether it asks for a token: RAY_AUTH_TOKEN, or "
            "~/.ray/auth_token as at the head.",
        )
    first = text.strip().splitlines()[-1:] or [type(cause).__name__]
    return ArkError(f"The cluster {on} has failed: {first[0][:200]}.", AGAIN)

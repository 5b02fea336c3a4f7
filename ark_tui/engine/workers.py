"""Workers of a Ray cluster: where they are, and the tasks that they do, whatever these are about.

Plain tasks, of which a few more are asked for than there are workers. One that dies with its worker is
repeated by Ray. Why it is done in this way: decision 87.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from ark_tui.domain.errors import ArkError, Busy, UsageError
from ark_tui.domain.protocols import Stop, check
from ark_tui.embedding.waiting import stoppable
from ark_tui.engine import temporary
from ark_tui.version import VERSION

R = TypeVar("R")

LOCAL, RAY = re.compile(r"local(?::([1-9]\d{0,2}))?"), re.compile(r"ray://(\[[^]]+\]|[^/:@]+):(\d{1,5})")
EXTRA = "pip install 'ark-tui[cluster]' brings it, here and at every worker."
ON = "Say local, local:N with a number of workers, or ray://HOST:10001."
AGAIN = "What is finished is kept: the same command goes on."
DIED = "Give workers more memory, or do it without a cluster. " + AGAIN
REPEATED = 3  # times that a task is repeated whose worker has died
REACHED = 3.0  # seconds in which something must listen at an address
LOOKED = 60.0  # seconds in which every worker says whether it can do the work
LOOKS = 0.2  # seconds between two looks whether to stop
STORE = 256 << 20  # bytes of Ray's own store on this machine; what is more it writes into its folder
PLACE, PREFIX = Path("/tmp"), "ark-tui-ray-"  # noqa: S108  (of that folder: a socket's name may not be long)
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # it would tell its makers how it is used
    "RAY_CLIENT_INITIAL_CONNECTION_TIMEOUT_S": "5",
    "RAY_CLIENT_MAX_CONNECTION_TIMEOUT_S": "5",  # of each of three attempts
    "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "15",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # what it warns of otherwise
}
_CONNECTED = threading.Lock()  # Ray knows one cluster at a time


class Address(NamedTuple):
    """Where workers are, as it was said. `host` is empty for those of this machine."""

    on: str
    host: str
    number: int  # its port; of this machine, how many workers: 0 is one for each core

    @classmethod
    def of(cls, on: str) -> Address:
        """Read what somebody has said. Imports nothing.

        Raises `UsageError`, also where Ray is not installed.
        """
        if match := LOCAL.fullmatch(on):
            found = cls(on, "", int(match[1] or 0))
        elif match := RAY.fullmatch(on):
            found = cls(on, match[1].strip("[]"), int(match[2]))
        else:
            raise UsageError(f"{on} is no cluster.", ON)
        if find_spec("ray") is None:
            raise UsageError("Work on a cluster needs Ray, which is an extra of ark-tui.", EXTRA)
        return found

    def reach(self) -> None:
        """Raise `ArkError` where nothing listens."""
        if not self.host:
            return
        try:
            socket.create_connection((self.host, self.number), REACHED).close()
        except OSError as error:
            raise ArkError(
                f"Nothing answers at {self.on}: {error.strerror or error}.",
                "Look at the address, and whether the head of a cluster runs there.",
            ) from error


class Workers:
    """Those at an address, for one run; Ray is begun when there is something for them to do."""

    def __init__(self, address: Address, stop: Stop) -> None:
        self._address, self._stop = address, stop
        self._stack = ExitStack()
        self._ray: Any = None
        self._tasks: dict[Callable[..., object], Any] = {}  # as Ray has them
        self._flying: set[Any] = set()  # those of them that are under way
        self._ahead = 0

    def __enter__(self) -> Self:
        self._address.reach()
        temporary.sweep(PLACE, PREFIX)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, look: Callable[..., object], *about: object) -> int:
        """Connect, and have every worker say with `look` that it can do the work.

        Returns how many tasks to ask for ahead. Raises `ArkError`.
        """
        if self._ray is None:
            self._ray = self._stack.enter_context(_connected(self._address, self._stop))
            self._stack.callback(self._end)
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as At

        nodes = [one for one in self._called(self._ray.nodes) if one["Alive"] and one["Resources"].get("CPU")]
        if not nodes:
            raise ArkError(
                f"The cluster {self._address.on} has no worker.",
                "Have a machine with a processor for it join.",
            )
        refs = {
            self._asked(look, about, num_cpus=0, scheduling_strategy=At(one["NodeID"], soft=False)): one[
                "NodeManagerHostname"
            ]
            for one in nodes
        }
        _, late = self._called(lambda: self._ray.wait([*refs], num_returns=len(refs), timeout=LOOKED))
        for ref, name in refs.items():
            if ref in late:
                raise ArkError(f"The worker {name} does not answer within {LOOKED:g} s.", AGAIN)
            self._called(partial(self._ray.get, ref))
        self._ahead = 2 * max(1, int(sum(one["Resources"]["CPU"] for one in nodes)))
        return self._ahead

    def hold(self, value: object) -> Any:
        """Hand something over once, for several tasks; they are given what is returned."""
        return self._called(lambda: self._ray.put(value))

    def send(self, work: Callable[..., object], *about: object) -> Any:
        """Ask for a task; returns what to ask for its outcome with."""
        ref = self._asked(work, about, num_cpus=1)
        self._flying.add(ref)
        return ref

    def outcome(self, ref: Any) -> Any:
        """What a task has returned; None where every worker that tried has died. Raises `ArkError`."""
        from ray import exceptions

        while True:
            check(self._stop)
            if self._called(lambda: self._ray.wait([ref], timeout=LOOKS))[0]:
                break
        self._flying.discard(ref)
        try:
            return self._ray.get(ref)
        except (exceptions.WorkerCrashedError, exceptions.NodeDiedError, exceptions.OutOfMemoryError):
            return None
        except Exception as error:
            raise _worded(self._address.on, error) from error

    def _asked(self, work: Callable[..., object], about: Sequence[object], **options: object) -> Any:
        task = self._tasks.setdefault(work, self._ray.remote(work))
        return self._called(lambda: task.options(max_retries=REPEATED, **options).remote(*about))

    def _called(self, call: Callable[[], Any]) -> Any:
        """A call to Ray, whose failures are sentences."""
        try:
            return call()
        except Exception as error:
            raise _worded(self._address.on, error) from error

    def _end(self) -> None:
        """Cancel what was asked for and is no longer wanted."""
        with suppress(Exception):  # the cluster may be gone, and with it the tasks
            for ref in self._flying:
                self._ray.cancel(ref, force=True)


@contextmanager
def at_worker(version: str) -> Iterator[None]:
    """Within this an `ArkError` has the name of this machine. `version`: that of the home."""
    try:
        _same(version)
        yield
    except ArkError as error:
        raise type(error)(f"At the worker {socket.gethostname()}: {error.what}", error.hint) from None


def _same(version: str) -> None:
    if version != VERSION:
        raise ArkError(
            f"ark-tui is {VERSION} there, and {version} at the home.",
            "Install the same version at every machine.",
        )


@contextmanager
def _connected(address: Address, stop: Stop) -> Iterator[Any]:
    """The module ray, connected. Raises `ArkError` where it cannot be."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if address.host and ("RAY_AUTH_TOKEN" in os.environ or Path("~/.ray/auth_token").expanduser().exists()):
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # which its client does not see by itself
    with ExitStack() as stack:
        if not _CONNECTED.acquire(blocking=False):
            raise Busy("This process has workers at work already.", "Try again when they are done.")
        stack.callback(_CONNECTED.release)
        import ray

        # What becomes of workers it would print, on our standard output; nothing public keeps it from that.
        ray._private.worker.__dict__["print_to_stdstream"] = lambda *_, **__: None  # noqa: SLF001
        logging.getLogger("ray").setLevel(logging.CRITICAL)  # what is to be said is said here
        given: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if address.host:
            given |= {"address": address.on}
        else:
            given |= {
                "address": "local", "num_cpus": address.number or None, "include_dashboard": False,
                "object_store_memory": STORE,
                "_temp_dir": str(stack.enter_context(temporary.own(PLACE, PREFIX))),
            }  # fmt: skip
        stack.callback(ray.shutdown)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if address.host:
                stoppable(address.on, lambda: _begun(ray, address.on, given), stop)
            else:  # in this very thread: with it what Ray begins would end
                _begun(ray, address.on, given)
        yield ray


def _begun(ray: Any, on: str, given: Mapping[str, Any]) -> bool:
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with chdir("/"):  # the current folder is the first that Ray's workers would import from
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
    return ArkError(f"The cluster {on} has failed: {first[0][:200]}.", AGAIN)

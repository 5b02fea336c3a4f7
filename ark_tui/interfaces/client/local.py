"""The home process of a home on this machine: its socket, its start and its end."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from ark_tui.domain.errors import ArkError, StoreError
from ark_tui.domain.protocols import NEVER, ignore
from ark_tui.interfaces.client.link import LONGEST_PATH, Broken, Link, Rejected, SocketAddress

MODULE = "ark_tui.interfaces.process"
SOCKET, LOCK, LOG = "home.sock", "process.lock", "process.log"
STARTING = 30.0  # seconds within which a started process must listen
ENDING = 30.0  # seconds within which a process must end; it finishes its writes first
STEP = 0.01  # seconds between two attempts to reach it
PRIVATE = 0o700
FILES = 4_096  # open files allowed in a process with an open home
SPARING = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "4",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
}
"""Memory settings of a home process: it returns what it has freed, 100 MB at 100,000 chunks."""

OURS = ("ARK_", "EMBEDDING_", "RALPH_", "OLLAMA_", "OPENAI_", "OPENROUTER_")
OWN_TO_A_CALL = (*OURS, "HF_")
PROXIES = frozenset(("NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"))
SETTING = frozenset(("VISUAL", "EDITOR", *PROXIES))


class NotStarted(ArkError):
    """No home process can be started; the home is opened in the calling process instead."""


def told(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of a caller that can affect an answer."""
    return {
        name: value
        for name, value in environ.items()
        if name.startswith(OWN_TO_A_CALL) or name.upper() in SETTING
    }


def place(given: Path | str | None, environ: Mapping[str, str], folder: Path) -> Path:
    """The folder of the home, resolved as the settings do it."""
    if given is None:
        given = environ.get("ARK_HOME", "").strip()
        if not given or given.startswith("${"):
            given = "~/.ark"
    return Path(os.path.normpath(folder / os.path.expanduser(str(given).strip())))  # noqa: PTH111


def address(home: Path) -> SocketAddress:
    """The socket of a home: in the home, or, if that path is too long, in a folder of the user.

    Its name in that folder is a hash of the home's device and inode, so that every path to the home gives the
    same socket. Raises `OSError` if the home does not exist.
    """
    file = home / SOCKET
    if len(os.fsencode(file)) <= LONGEST_PATH:
        return SocketAddress(file)
    import hashlib

    status = home.stat()
    name = hashlib.sha256(f"{status.st_dev} {status.st_ino}".encode()).hexdigest()[:16]
    return SocketAddress(_runtime() / f"{name}.sock")


def _runtime() -> Path:
    """A private folder for sockets. Raises `StoreError` if other users have access to it."""
    import tempfile

    path = Path("/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir(), f"ark-tui-{os.getuid()}")  # noqa: S108, PTH112
    path.mkdir(mode=PRIVATE, exist_ok=True)
    status = path.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077 or path.is_symlink():
        raise StoreError(
            f"The folder {path} is not yours alone.", "Remove it, or use a home with a shorter path."
        )
    return path


def start(home: Path) -> None:
    """Start the process of a home and wait until it, or a concurrently started one, listens.

    Raises `NotStarted`.
    """
    from ark_tui.domain import children
    from ark_tui.settings.home import Home

    try:
        Home(home).create()
        logs = home / "logs"
        logs.mkdir(mode=PRIVATE, exist_ok=True)
        with (logs / LOG).open("ab") as log:
            child = children.start_python(
                MODULE, str(home), stdin=children.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, cwd="/", defaults=SPARING,
            )  # fmt: skip
    except (OSError, StoreError) as error:
        why = error.what if isinstance(error, StoreError) else f"{error.strerror or error}."
        raise NotStarted(f"No home process can be started: {why}") from error
    until = time.monotonic() + STARTING
    while time.monotonic() < until:
        if reachable(home):
            child.returncode = 0  # the process outlives this one; suppress the warning of Popen
            return
        if child.poll():  # exit code 0: another process has the lock, and will listen soon
            break
        time.sleep(STEP)
    raise NotStarted(f"The home process did not start; {home / 'logs' / LOG} says why.")


def reachable(home: Path) -> bool:
    """Whether a process listens for this home."""
    try:
        address(home).connect().close()
    except (Broken, OSError):
        return False
    return True


def running(home: Path) -> bool:
    """Whether a process holds the lock of this home, also while it starts or ends."""
    try:
        lock = os.open(home / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def stop(home: Path) -> bool:
    """Stop the process of a home, of any version, also during its start. Returns whether there was one.

    Raises `ArkError` if it does not end in time.
    """
    there = running(home)
    wait_for_end(home, _ask_to_end)
    return there


def _ask_to_end(home: Path) -> None:
    with suppress(Broken, Rejected, OSError):  # it does not listen yet, or not any more
        link = Link(address(home))
        list(link.post("/stop", b"", NEVER))
        link.close()


def wait_for_end(home: Path, meanwhile: Callable[[Path], object] = ignore) -> None:
    """Wait until the process of a home has ended. Raises `ArkError` if it does not end in time."""
    until = time.monotonic() + ENDING
    while running(home):
        if time.monotonic() > until:
            raise ArkError(
                "The home process has not ended yet.", "It is still writing; look again in a minute."
            )
        meanwhile(home)
        time.sleep(STEP)


def more_files() -> None:
    """Raise the limit of open files to `FILES` if allowed: some systems start with 256."""
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with suppress(OSError, ValueError):  # the system has a lower limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))

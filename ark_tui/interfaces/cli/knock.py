"""The warm door, from outside: has a process that has the home open answer this command line.

A running workbench, server or `ark-tui warm` listens on a socket in the home (`door`). This module starts
before all else, so that it imports next to nothing; where there is no door, or none that answers at once and
to the end, the command is simply run here. Nothing is printed before the whole answer is there.

A request is its length (4 bytes), then fields with NUL between them: what a door of this very program begins
with, the home, the present folder, which streams are terminals, the number of arguments, the arguments, and
variables as NAME=VALUE. The answer: `+` at once, or `-`; then pieces of a kind (`o`, `e`: for stdout and
stderr; `x`: the exit code, last; `-`: to be run here), a length (4 bytes) and so many bytes.
"""

from __future__ import annotations

import _socket  # `socket` itself costs as much as all the rest
import os
import sys

from ark_tui.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PROGRAM = f"ark-tui {VERSION} {sys.prefix} {os.path.dirname(__file__)}"  # noqa: PTH120 - no pathlib here
"""Another version, or another installation, is not asked."""

PLACE = ("locks", "door")
LONGEST_PATH = 100  # bytes of the address of a socket, of which systems allow 104 or 108
AT_ONCE = 0.3  # seconds within which a door says that it has heard
IN_THE_END = 60.0  # seconds of silence after which it is given up
OFF = ("0", "no", "off", "false")
COMPLETION = "_ARK_TUI_COMPLETE"
"""The variable by which a shell asks for completions."""

TOLD = frozenset(
    (
        "HOME", "TZ", "LANG", "LANGUAGE", "NO_COLOR", "TERM", "VISUAL", "EDITOR", "HF_ENDPOINT",
        "NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    )
)  # fmt: skip
TOLD_BY_START = ("ARK_", "EMBEDDING_", "OLLAMA_", "OPENAI_", "OPENROUTER_", "RALPH_", "LC_")
"""The variables that an answer may depend on."""


def answered(arguments: Sequence[str], environ: Mapping[str, str]) -> int | None:
    """The exit code of a command line that a door has answered; None: it is to be run here."""
    if not arguments or refused(environ) or COMPLETION in environ:
        return None
    if "--help" in arguments or "--version" in arguments or environ.get("ARK_CONNECT"):
        return None
    if any(one.startswith("--connect") for one in arguments):
        return None
    found = asked("run", arguments, environ)
    return None if found is None else _shown(found)


def on_terminal() -> bool:
    """Whether there is a terminal on which one can be asked, and a workbench be opened."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def refused(environ: Mapping[str, str]) -> bool:
    """Whether no door is wanted."""
    return environ.get("ARK_WARM", "").strip().lower() in OFF


def asked(
    kind: str, arguments: Sequence[str], environ: Mapping[str, str], patience: float = AT_ONCE
) -> bytes | None:
    """What the door of the home says; None where there is none, or not for us.

    `kind`: `run` these arguments, `who` has it, or `stop`. `patience`: seconds within which it has to say
    that it has heard.
    """
    home = home_of(arguments, environ)
    whole = bytearray()
    try:
        door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            reach(door.connect, home)
            door.settimeout(patience)
            door.sendall(_request(kind, home, arguments, environ))
            if door.recv(1) != b"+":
                return None
            door.settimeout(IN_THE_END)
            while piece := door.recv(1 << 16):
                whole += piece
        finally:
            door.close()
    except (OSError, AttributeError, ValueError):  # nobody there; no such sockets; a NUL in a path
        return None
    return bytes(whole)


def _request(kind: str, home: str, arguments: Sequence[str], environ: Mapping[str, str]) -> bytes:
    terminals = "".join("01"[os.isatty(stream)] for stream in (0, 1, 2))
    told = [f"{name}={value}" for name, value in environ.items() if is_told(name)]
    fields = [PROGRAM, kind, home, os.getcwd(), terminals, str(len(arguments)), *arguments, *told]  # noqa: PTH109
    body = os.fsencode("\0".join(fields))
    return len(body).to_bytes(4, "big") + body


def is_told(name: str) -> bool:
    """Whether an answer may depend on that variable."""
    return name.upper() in TOLD or name.startswith(TOLD_BY_START)


def home_of(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """The folder of the home, as the settings find it."""
    given = None
    for place, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--home" and place + 1 < len(arguments):
            given = arguments[place + 1]
        elif argument.startswith("--home="):
            given = argument[7:]
    if given is None:
        given = environ.get("ARK_HOME", "").strip()
        if not given or given.startswith("${"):
            given = "~/.ark"
    return os.path.normpath(os.path.join(os.getcwd(), os.path.expanduser(given.strip())))  # noqa: PTH109, PTH111, PTH118


def reach(act: Callable[[str], object], home: str) -> None:
    """Connect or bind to the socket of a home: `act` is given its address.

    One that is longer than systems allow is reached by an open folder where the system has a name for that;
    elsewhere there is no door. Raises `OSError`.
    """
    path = os.path.join(home, *PLACE)  # noqa: PTH118
    if len(os.fsencode(path)) <= LONGEST_PATH:
        act(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)  # noqa: PTH120
    try:
        act(f"/proc/self/fd/{folder}/{PLACE[-1]}")
    finally:
        os.close(folder)


def _shown(answer: bytes) -> int | None:
    """Write out a whole answer; its exit code. None for one that was cut off, of which nothing is written."""
    pieces, at = [], 0
    while at + 5 <= len(answer):
        size = int.from_bytes(answer[at + 1 : at + 5], "big")
        pieces.append((answer[at : at + 1], memoryview(answer)[at + 5 : at + 5 + size]))
        at += 5 + size
    if at != len(answer) or not pieces or pieces[-1][0] != b"x":
        return None
    for kind, data in pieces[:-1]:
        if not _written(2 if kind == b"e" else 1, data) and kind == b"o":
            return 0
    return pieces[-1][1][0]


def _written(stream: int, data: memoryview) -> bool:
    """Whether anybody took it."""
    at = 0
    try:
        while at < len(data):
            at += os.write(stream, data[at:])
    except BrokenPipeError:
        return False
    return True

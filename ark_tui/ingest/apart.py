"""Non-text files are parsed in a separate process, so that a hang or crash does not affect this one.

The process starts with the first such file and exits when idle. It receives bytes and returns texts as JSON,
never as pickled objects. Each file is limited to `SECONDS` of CPU time and `BYTES` of memory.
"""

from __future__ import annotations

import atexit
import json
import resource
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any, BinaryIO

from ark_tui.domain import children
from ark_tui.domain.children import readable
from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers import texts
from ark_tui.ingest.readers.content import Content

SECONDS = 10.0  # CPU time for one file
IDLE = 60.0  # seconds without a file until the process exits
PATIENCE = 6  # wall-clock limit as a multiple of SECONDS, for a busy machine
BYTES = 470 << 20  # RLIMIT_DATA: with library code, less than 500 MB


def read(suffix: str, data: bytes) -> list[Content]:
    """Extract the texts of a file. Raises `Unreadable` with the reason if there are none."""
    return _PROCESS.read(suffix, data)


class _Process:
    """Handle of the process in its parent. Thread-safe: one file at a time."""

    def __init__(self) -> None:
        self._child: children.Popen[bytes] | None = None
        self._turn = threading.Lock()
        self._used = 0.0  # time of the last response

    def read(self, suffix: str, data: bytes) -> list[Content]:
        with self._turn:
            if self._child is not None and time.monotonic() - self._used > IDLE / 2:
                self._ended()
            child = self._child = self._child or self._started()
            try:
                return self._asked(child, suffix, data)
            except Unreadable:
                raise
            except (OSError, EOFError) as error:
                with suppress(children.TimeoutExpired):  # its own exit code gives the reason
                    child.wait(1)
                raise Unreadable(_reason(self._ended(), error)) from error
            except BaseException:
                self._ended()  # its pending response would be read by the next request
                raise
            finally:
                self._used = time.monotonic()

    def end(self) -> None:
        """Kill the process, if any."""
        with self._turn:
            if self._child is not None:
                self._ended()

    def _ended(self) -> int:
        """Kill the process if it still runs; return its exit code."""
        child, self._child = self._child, None
        assert child
        with child:  # closes its pipes
            child.kill()
        return child.returncode

    def _started(self) -> children.Popen[bytes]:
        return children.start_python(
            __name__, stdin=children.PIPE, stdout=children.PIPE, stderr=children.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    def _asked(self, child: children.Popen[bytes], suffix: str, data: bytes) -> list[Content]:
        assert child.stdin
        assert child.stdout
        child.stdin.write(f"{suffix} {len(data)}\n".encode() + data)
        child.stdin.flush()
        until = time.monotonic() + SECONDS * PATIENCE
        if not readable([child.stdout], until - time.monotonic()):
            raise TimeoutError
        answer = child.stdout.readline()
        if not answer.endswith(b"\n"):
            raise EOFError
        found = json.loads(answer)
        if "reason" in found:
            raise Unreadable(found["reason"])
        return [Content.of(one) for one in found["texts"]]


_PROCESS = _Process()
atexit.register(_PROCESS.end)


def _reason(ended: int, error: Exception) -> str:
    """The reason to show for a file whose process died."""
    if isinstance(error, TimeoutError) or ended == -signal.SIGPROF:
        return f"takes more than {SECONDS:.0f} s to read"
    return f"damaged, or too much: its reader died ({signal.Signals(-ended).name if ended < 0 else ended})"


# -- reader process ----------------------------------------------------------------------------


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Process files until the input ends or stays idle."""
    while readable([asked], IDLE) and (line := asked.readline()):
        suffix, _, size = line.decode().rpartition(" ")
        data = asked.read(int(size))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal kills the process
        answer = json.dumps(_answer(suffix, data)).encode()
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(answer + b"\n")
        answers.flush()


def _answer(suffix: str, data: bytes) -> dict[str, Any]:
    try:
        return {"texts": [asdict(one) for one in texts(suffix, data)]}
    except Unreadable as reason:
        return {"reason": str(reason)}
    except MemoryError:
        return {"reason": f"takes more than {BYTES >> 20} MB to read"}
    except Exception as error:  # noqa: BLE001 - any library, any bytes
        said = " ".join(str(error).split())[:100]
        return {"reason": f"damaged: {type(error).__name__}{f', {said}' if said else ''}"}


def main() -> None:
    """Set the resource limits, then serve."""
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # keeps library output off the pipe
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()

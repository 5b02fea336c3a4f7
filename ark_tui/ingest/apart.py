"""Files that are no text are read in a process of their own: one that hangs or bursts takes nothing with it.

It is started for the first such file, ends by itself, gets bytes and answers with texts, as JSON and never as
objects. What it may take is limited: `SECONDS` of processor time and `BYTES` of memory for a file.
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

SECONDS = 10.0  # of processor time for one file
IDLE = 60.0  # seconds without a file, after which it ends
PATIENCE = 6  # times as long it may take where others use the processor
BYTES = 470 << 20  # of data: with the code of its libraries less than 500 MB


def read(suffix: str, data: bytes) -> list[Content]:
    """The texts in a file. Raises `Unreadable` with the reason where there are none."""
    return _PROCESS.read(suffix, data)


class _Process:
    """The process, as its parent sees it. Thread-safe: it reads one file at a time."""

    def __init__(self) -> None:
        self._child: children.Popen[bytes] | None = None
        self._turn = threading.Lock()
        self._used = 0.0  # when it last answered

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
                with suppress(children.TimeoutExpired):  # how it ends by itself is the reason
                    child.wait(1)
                raise Unreadable(_reason(self._ended(), error)) from error
            except BaseException:
                self._ended()  # whose answer nobody waits for any more
                raise
            finally:
                self._used = time.monotonic()

    def end(self) -> None:
        """End it, if there is one."""
        with self._turn:
            if self._child is not None:
                self._ended()

    def _ended(self) -> int:
        """How it ended, by itself or now."""
        child, self._child = self._child, None
        assert child
        with child:  # whose pipes are closed
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
    """Why a file has no text whose process is no more."""
    if isinstance(error, TimeoutError) or ended == -signal.SIGPROF:
        return f"takes more than {SECONDS:.0f} s to read"
    return f"damaged, or too much: its reader died ({signal.Signals(-ended).name if ended < 0 else ended})"


# -- the process itself ----------------------------------------------------------------------------


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Answer until nobody asks any more."""
    while readable([asked], IDLE) and (line := asked.readline()):
        suffix, _, size = line.decode().rpartition(" ")
        data = asked.read(int(size))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # whose signal ends the process
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
    except Exception as error:  # noqa: BLE001 - of whatever library, about whatever bytes
        said = " ".join(str(error).split())[:100]
        return {"reason": f"damaged: {type(error).__name__}{f', {said}' if said else ''}"}


def main() -> None:
    """Serve within the limits."""
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # to which no library may write
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()

"""Non-text files are parsed in a separate process, so that a hang or crash does not affect this one.

The process starts with the first such file and exits when idle. It receives bytes and returns texts as JSON,
never as pickled objects. Each file is limited to `SECONDS` of CPU time and `BYTES` of memory.
"""

from __future__ import annotations

import atexit
import json
import signal
import threading
from dataclasses import asdict
from typing import Any

from ark_tui.domain import children
from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers import texts
from ark_tui.ingest.readers.content import Content

SECONDS = 10.0  # CPU time for one file
PATIENCE = 6  # wall-clock limit as a multiple of SECONDS, for a busy machine
BYTES = 470 << 20  # RLIMIT_DATA: with library code, less than 500 MB


def read(suffix: str, data: bytes) -> list[Content]:
    """Extract the texts of a file. Raises `Unreadable` with the reason if there are none."""
    return _PROCESS.read(suffix, data)


class _Process(children.Child):
    """Handle of the process in its parent. Thread-safe: one file at a time."""

    def __init__(self) -> None:
        super().__init__(__name__)
        self._turn = threading.RLock()

    def read(self, suffix: str, data: bytes) -> list[Content]:
        with self._turn:
            try:
                found = json.loads(self.exchange(f"{suffix}\n".encode() + data, SECONDS * PATIENCE))
            except (OSError, EOFError) as error:
                raise Unreadable(_reason(self.end(patience=1), error)) from error
            except BaseException:
                self.end()  # its pending answer would be read by the next request
                raise
        if "reason" in found:
            raise Unreadable(found["reason"])
        return [Content.of(one) for one in found["texts"]]

    def end(self, patience: float = 0.0) -> int:
        with self._turn:
            return super().end(patience)


_PROCESS = _Process()
atexit.register(_PROCESS.end)


def _reason(ended: int, error: Exception) -> str:
    """The reason to show for a file whose process died."""
    if isinstance(error, TimeoutError) or ended == -signal.SIGPROF:
        return f"takes more than {SECONDS:.0f} s to read"
    return f"damaged, or too much: its reader died ({signal.Signals(-ended).name if ended < 0 else ended})"


# -- reader process ----------------------------------------------------------------------------


def _reply(message: bytes) -> bytes:
    suffix, _, data = message.partition(b"\n")
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal kills the process
    answer = json.dumps(_answer(suffix.decode(), data)).encode()
    signal.setitimer(signal.ITIMER_PROF, 0)
    return answer


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
    """Answer with the texts of files."""
    children.serve(BYTES, _reply)


if __name__ == "__main__":
    main()

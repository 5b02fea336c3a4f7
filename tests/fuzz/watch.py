"""A process that takes inputs, and somebody who sees it crash, hang, fail or grow."""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0  # seconds after which an input is given up: it hangs
MODELS = {"OLLAMA_HOST": "127.0.0.1:9", "ARK_EMBEDDING": "static"}  # none is asked
STARTING = 120.0  # seconds until it takes the first one
STEEP = 512 << 20  # bytes by which one input may make the process larger


class Answer(NamedTuple):
    """What became of an input: `fault` is "" where all is well. `seconds`: of the processor."""

    fault: str = ""
    seconds: float = 0.0


class Watched:
    """`python -m tests.fuzz.child TARGET` in a folder of its own; begun anew after it died."""

    def __init__(self, target: str, folder: Path) -> None:
        self._target, self._folder = target, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._runs = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def give(self, data: bytes) -> Answer:
        """Have one input tried."""
        process = self._process or self._begin()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(struct.pack(">I", len(data)) + data)
            process.stdin.flush()
        except BrokenPipeError:
            return self._died()
        if not select.select([process.stdout], [], [], PATIENCE)[0]:
            self._end()
            return Answer(f"no answer within {PATIENCE:.0f} s", PATIENCE)
        line = process.stdout.readline()
        if not line:
            return self._died()
        said = json.loads(line)
        if not said["fault"] and said["grown"] > STEEP:
            return Answer(f"{said['grown'] >> 20} MB more memory", said["seconds"])
        return Answer(said["fault"], said["seconds"])

    def _begin(self) -> subprocess.Popen[bytes]:
        self._runs += 1
        folder = self._folder / str(self._runs)
        folder.mkdir(parents=True)
        named = {name: value for name, value in os.environ.items() if not name.startswith(("ARK_", "RALPH_"))}
        with (folder / "stderr").open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.child", self._target],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
                start_new_session=True,  # servers that it begins end with it
                env=named
                | {"PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false", "HOME": str(folder), **MODELS},
            )
        assert self._process.stdout is not None
        assert select.select([self._process.stdout], [], [], STARTING)[0], "it does not begin"
        self._process.stdout.readline()
        return self._process

    def _died(self) -> Answer:
        code = self._process.wait() if self._process else 0
        errors = (self._folder / str(self._runs) / "stderr").read_text("utf-8", "replace")
        self._end()
        return Answer(f"the process died with {code}: {errors[-2000:]}")

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()

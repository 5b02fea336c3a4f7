"""A process that takes inputs, and somebody who sees it crash, hang, fail or grow."""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from tests.fuzz.homes import HERE
from tests.home.conftest import processes

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
    """`python -m tests.fuzz.child` in a folder of its own; begun anew after it died."""

    def __init__(self, folder: Path, patience: float = PATIENCE) -> None:
        self._folder, self._patience = folder, patience
        self._process: subprocess.Popen[bytes] | None = None
        self._runs = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.renew()

    def give(self, target: str, data: bytes) -> Answer:
        """Have one input tried by a target."""
        process = self._process or self._begin()
        assert process.stdin is not None
        name = target.encode()
        try:
            process.stdin.write(struct.pack(">II", len(name), len(data)) + name + data)
            process.stdin.flush()
        except BrokenPipeError:
            return self._died()
        if self._line(STARTING) is None:
            return self._died()
        line = self._line(self._patience)
        if line is None:
            return self._died()
        said = json.loads(line)
        if not said["fault"] and said["grown"] > STEEP:
            self.renew()  # the size of a process never shrinks
            return Answer(f"{said['grown'] >> 20} MB more memory", said["seconds"])
        return Answer(said["fault"], said["seconds"])

    def _line(self, patience: float) -> bytes | None:
        """The next line; None where there is none in time, or none any more."""
        assert self._process is not None
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], patience)[0]:
            return None
        return self._process.stdout.readline() or None

    def _begin(self) -> subprocess.Popen[bytes]:
        self._runs += 1
        folder = self._folder / str(self._runs)
        folder.mkdir(parents=True)
        named = {name: value for name, value in os.environ.items() if not name.startswith(("ARK_", "RALPH_"))}
        with (folder / "stderr").open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
                start_new_session=True,  # servers that it begins end with it; see also `renew`
                env=named | {"PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false", **MODELS},
                bufsize=0,
            )
        return self._process

    def _died(self) -> Answer:
        """What ended the process, or that it has to be ended."""
        assert self._process is not None
        try:
            code = self._process.wait(1 if self._process.poll() is None else 0)
        except subprocess.TimeoutExpired:
            self.renew()
            return Answer(f"no answer within {self._patience:.1f} s", self._patience)
        errors = (self._folder / str(self._runs) / "stderr").read_text("utf-8", "replace")
        self.renew()
        return Answer(f"the process died with {code}: {errors[-2000:]}")

    def renew(self) -> None:
        """End the process, with all that it has begun; the next input gets another, in a new folder."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _end_home(self._folder / str(self._runs) / HERE)
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()


def _end_home(home: Path) -> None:
    """End the home process, which has a session of its own, with the workers in it; also one just begun."""
    while found := processes(home):
        for number in map(int, found):
            with suppress(ProcessLookupError):
                os.killpg(number, signal.SIGKILL)
        time.sleep(0.01)

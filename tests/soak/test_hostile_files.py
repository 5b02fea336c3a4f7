"""What hostile files take: each ends as a row within 10 s of the processor and 500 MB.

With FILES_TABLE=PATH it writes the table that stands in docs/files.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.ingest.apart import SECONDS
from tests.files.hostile import HOSTILE, vast

pytestmark = pytest.mark.soak

LIMIT = 500 << 20  # bytes in all: what it may take as data, and the code of its libraries
MEASURED = """
import json, sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from ark_tui.ingest import apart
from ark_tui.ingest.reading import Reading, load
from ark_tui.ingest.walk import Entry
from ark_tui.settings.tree import Tree
path = Path(sys.argv[1])
before = getrusage(RUSAGE_SELF)
with Tree(path.parent) as tree:
    entry = Entry.of(tree, path.name)
    data = load(tree, entry)
    found = Reading().read(entry, data) if isinstance(data, bytes) else data
apart._PROCESS.end()
own, other = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]  # `ru_maxrss` is also the parent's
used = own.ru_utime + own.ru_stime - before.ru_utime - before.ru_stime + other.ru_utime + other.ru_stime
print(json.dumps([found.reason, used, max(int(peak), other.ru_maxrss)]))
"""


@pytest.mark.parametrize("name", [*HOSTILE, "vast.odt"])
def test_it_ends_as_a_row_within_its_limits(name: str, tmp_path: Path) -> None:
    if name in HOSTILE:
        (tmp_path / name).write_bytes(HOSTILE[name]())
    else:
        vast(tmp_path)
    program = [sys.executable, "-c", MEASURED, str(tmp_path / name)]
    ended = subprocess.run(program, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    reason, seconds, kilobytes = json.loads(ended.stdout)
    if table := os.environ.get("FILES_TABLE"):
        with Path(table).open("a") as file:
            file.write(f"| `{name}` | {reason} | {seconds:.1f} | {kilobytes >> 10} |\n")
    assert reason
    assert seconds < SECONDS + 1  # what the interpreter takes to start and to end
    assert kilobytes << 10 < LIMIT

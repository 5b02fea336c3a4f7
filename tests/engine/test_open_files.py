"""A program open all day holds few files open; threads that import at once find packages whole."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.ingest import apart
from ark_tui.settings import load
from tests.engine.conftest import Place
from tests.files.makers import pdf
from tests.support import many_open

DESCRIPTORS = Path("/proc/self/fd")
pytestmark = pytest.mark.skipif(
    not DESCRIPTORS.is_dir(), reason="what a process has open is not told in /proc here"
)


@contextmanager
def uncollected() -> Iterator[None]:
    """Nothing that is unreachable in a cycle is found meanwhile."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def held(below: Path) -> list[Path]:
    """The files below a folder that this process has open."""
    found = [one.readlink() for one in DESCRIPTORS.iterdir() if one.is_symlink()]
    return [one for one in found if one.is_relative_to(below)]


def test_a_closed_home_has_no_file_open(place: Place) -> None:
    place.write("otters.md", "Otters sleep in rafts.")
    place.index()
    place.engine.close()
    home = place.engine.settings.home.path

    with uncollected():
        with Engine(load(home, environ={})) as engine:
            assert engine.search(Request("otters")).hits
        assert held(home) == []


def test_the_vectors_of_an_older_state_are_let_go_of(place: Place) -> None:
    with uncollected():
        place.write("otters.md", "Otters sleep in rafts.")
        place.index()
        assert place.engine.search(Request("otters")).hits
        view = place.engine.vectors.refresh()
        assert view is not None
        older = [weakref.ref(view)]
        del view
        place.write("beavers.md", "Beavers build dams.")
        place.index()
        assert place.engine.search(Request("beavers")).hits
        assert [part() for part in older] == [None]


def test_files_are_read_by_a_process_of_their_own_however_many_are_open() -> None:
    process = apart._Process()
    with many_open():
        assert process.read(".pdf", pdf())
        process.end()


def test_a_command_may_have_more_files_open_than_some_systems_begin_with() -> None:
    told = (
        "import resource; from ark_tui.interfaces.client.local import more_files; more_files(); "
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for now in (256, min(5_000, most)):
        limit = f"ulimit -S -n {now} && exec {sys.executable} -c '{told}'"
        assert int(subprocess.check_output(["sh", "-c", limit])) == min(max(4_096, now), most)


TOLD = """
import sys
from ark_tui.engine import services
services.open_all()
print(*sys.modules)
"""


def test_every_package_is_there_and_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", TOLD], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"ark_tui.index.words", "ark_tui.index.vectors", "ark_tui.retrieval.signals"} <= loaded
    assert not loaded & {"numpy", "duckdb", "lancedb", "tantivy", "scipy", "networkx", "pyarrow"}


def test_a_server_has_every_package_open_before_its_threads_begin(tmp_path: Path) -> None:
    told = f"""
import asyncio, sys
from pathlib import Path
from ark_tui.engine import Engine, services
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.http import serving
from ark_tui.settings import load
serving._until = lambda *_: asyncio.sleep(0)
with Engine(load(Path({str(tmp_path)!r}), environ={{}})) as engine:
    serving.serve(state_for(engine), '127.0.0.1', 0, ready=print)
    assert all("ark_tui." + room in sys.modules for room in services.MODULES)
"""
    subprocess.run([sys.executable, "-c", told], check=True, timeout=60)

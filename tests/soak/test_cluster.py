"""Indexing by workers of a real Ray: they are ended, whoever has them is, and the cluster goes away."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from tests.cluster import there
from tests.ollama_server import OllamaServer
from tests.soak import audit, figures

pytest.importorskip("ray", reason="Ray is not installed: the extra `cluster`")
pytestmark = pytest.mark.soak

FILES = 1500
PATIENCE = 240.0  # seconds

Held: TypeAlias = dict[str, list[tuple[object, ...]]]


class Process(NamedTuple):
    pid: int
    parent: int
    name: str


def below(pid: int) -> list[Process]:
    """The processes that one has begun, and those that they have."""
    told = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    every = [
        Process(int(a), int(b), name) for a, b, name in (line.split(None, 2) for line in told.splitlines())
    ]
    found, known = [], {pid}
    for _ in range(6):
        found = [one for one in every if one.parent in known]
        known |= {one.pid for one in found}
    return found


def begun(home: Path, folder: Path, on: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        audit.command(home, "index", str(folder), "--on", on),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=audit.surroundings(),
    )  # fmt: skip


def until(process: subprocess.Popen[str], condition: Callable[[], object]) -> None:
    """Wait for a condition while a process runs."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "pages"
    audit.write_pages(folder, FILES, seed=21)
    for path in folder.rglob("*.md"):
        os.utime(path, (1_750_000_000,) * 2)
    return folder


@pytest.fixture(scope="module")
def here(pages: Path) -> Held:
    """What a home holds that no worker has read for."""
    home = pages.parent / "here"
    assert there.run(home, pages).returncode == 0
    return there.held(home)


def test_two_workers_are_ended_by_kill_9_and_the_table_is_the_same(
    pages: Path, here: Held, tmp_path: Path
) -> None:
    passed = figures.begin("Indexing by 4 workers of Ray, two of them ended by `kill -9`")
    process = begun(tmp_path / "home", pages, "local:4")
    killed: set[int] = set()

    def end_one() -> bool:
        for one in below(process.pid):
            if one.name.startswith("ray::work") and one.pid not in killed and len(killed) < 2:
                os.kill(one.pid, signal.SIGKILL)
                killed.add(one.pid)
        return len(killed) == 2

    until(process, end_one)
    out, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0, err
    assert f"{FILES:,} added" in out
    assert there.held(tmp_path / "home") == here
    assert audit.assert_whole(tmp_path / "home", pages)
    passed(f"the same {FILES:,} documents and {len(here['chunks']):,} chunks, bit for bit in ids and texts")


DEADLY = """
import os, sys, types
from ark_tui.ingest import formats
module = types.ModuleType(f"{formats.__name__}.boom")
module.read = lambda file: os.kill(os.getpid(), 9)
sys.modules[module.__name__] = module
formats.FORMATS[".boom"] = "boom.read"
"""
"""Every process that starts with this gets a format whose reader kills it."""


def test_a_file_that_no_worker_survives_holds_nothing_up(tmp_path: Path) -> None:
    folder, patched = tmp_path / "notes", tmp_path / "patched"
    audit.write_pages(folder, 5, seed=23)
    (folder / "f1" / "one.boom").write_text("It ends whoever reads it.", "utf-8")
    patched.mkdir()
    (patched / "sitecustomize.py").write_text(DEADLY, "utf-8")

    done = subprocess.run(
        audit.command(tmp_path / "home", "index", str(folder), "--on", "local:2"),
        capture_output=True, text=True, check=False, timeout=PATIENCE,
        env={**audit.surroundings(), "PYTHONPATH": str(patched)},
    )  # fmt: skip

    assert "5 added" in done.stdout, done.stderr
    assert "1 failed" in done.stdout
    assert "each worker that read it has died" in done.stdout
    assert "raylet" not in done.stdout + done.stderr


def interrupt(process: subprocess.Popen[str]) -> None:
    """Ctrl-C: it ends as it should, and all that it has begun with it."""
    processes = below(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "bug" not in err
    assert not [one for one in processes if Path(f"/proc/{one.pid}").exists()]


def test_ctrl_c_ends_the_work_and_the_next_run_goes_on(pages: Path, here: Held, tmp_path: Path) -> None:
    home = tmp_path / "home"
    process = begun(home, pages, "local:2")
    until(process, lambda: any(one.name.startswith("ray::work") for one in below(process.pid)))
    interrupt(process)
    assert there.run(home, pages, "--on", "local:2").returncode == 0
    assert there.held(home) == here


class Head(NamedTuple):
    process: subprocess.Popen[bytes]
    on: str


@contextmanager
def head(folder: Path) -> Iterator[Head]:
    """A cluster of this machine alone, as `ray start` makes it."""
    folder.mkdir()
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        ports = one.getsockname()[1], two.getsockname()[1]
    process = subprocess.Popen(
        [
            Path(sys.executable).parent / "ray", "start", "--head", "--block", f"--port={ports[0]}",
            f"--ray-client-server-port={ports[1]}", "--num-cpus=2", "--include-dashboard=false",
            "--disable-usage-stats", f"--temp-dir={folder}",
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**audit.surroundings(), "RAY_AUTH_MODE": "token", "GRPC_ENABLE_FORK_SUPPORT": "0"},
    )  # fmt: skip
    try:
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", ports[1]), 1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.2)
        yield Head(process, f"ray://127.0.0.1:{ports[1]}")
    finally:
        process.terminate()
        process.wait()


def test_a_cluster_by_its_address_and_when_it_goes_away(
    pages: Path,
    here: Held,
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> None:
    passed = figures.begin("Indexing by a cluster of Ray at `ray://`, which goes away in between")
    home = tmp_path / "home"
    with head(tmp_path_factory.getbasetemp() / "r1") as cluster:
        process = begun(home, pages, cluster.on)
        until(process, lambda: any(one.name.startswith("ray::work") for one in below(cluster.process.pid)))
        for one in below(cluster.process.pid):
            with suppress(ProcessLookupError):
                os.kill(one.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, err
    assert "error: " in err
    assert "bug" not in err
    before = len(audit.stored(home))

    with head(tmp_path_factory.getbasetemp() / "r2") as cluster:
        done = there.run(home, pages, "--on", cluster.on)
    assert done.returncode == 0, done.stderr
    assert there.held(home) == here
    passed(f"{before:,} of {FILES:,} documents there, a sentence, exit 1; then the same table")


def test_workers_ask_the_model_and_the_home_takes_its_vectors_over(pages: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with OllamaServer("nomic-embed-text") as server:
        (home / "config.toml").write_text('embedding = "ollama:nomic-embed-text"\n', "utf-8")
        done = subprocess.run(
            audit.command(home, "index", str(pages), "--on", "local:2"),
            capture_output=True, text=True, check=False,
            env={**audit.surroundings(), "OLLAMA_HOST": server.host},
        )  # fmt: skip
        texts = [text for request in server.asked("/api/embed") for text in request["input"]]
    assert done.returncode == 0, done.stderr
    assert "searches use ollama:nomic-embed-text" in done.stdout + done.stderr
    distinct = len({row[-1] for row in there.held(home)["chunks"]})
    assert (
        distinct <= len(texts) <= distinct + 10
    )  # a word by which the model is described, and no text twice

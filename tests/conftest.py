"""What all tests share: no test sees the developer's settings or home."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ark_tui.embedding import ollama
from ark_tui.engine import Engine
from ark_tui.settings import Home, load
from ark_tui.store import Store
from tests import NOBODY
from tests.support import SteadyClock

SAMPLE = Path(__file__).parents[1] / "assets" / "sample"
FOREIGN = (
    "ARK_", "RALPH_", "OLLAMA_", "OPENROUTER_", "OPENAI_", "EMBEDDING_", "VISUAL", "EDITOR", "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
)  # fmt: skip
os.umask(0o077)  # as `ark-tui` itself has it
os.environ["ARK_DIRECT"] = "1"  # the home process has tests of its own: tests/home/
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # in the background; what tests start would have it so
    signal.signal(signal.SIGINT, signal.default_int_handler)
sys.dont_write_bytecode = False  # or each worker, and each process that a test starts, compiles all anew
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "soak: a long trial; `make soak` runs them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The long trials run only when they are asked for: `pytest -m soak`."""
    if "soak" in str(config.getoption("markexpr")):
        return
    long = [item for item in items if item.get_closest_marker("soak")]
    items[:] = [item for item in items if item not in long]
    config.hook.pytest_deselected(items=long)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home that everything uses unless it is told otherwise; it does not exist yet."""
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is where Ollama is expected, here and in the processes that a test starts."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARK_DIRECT", "1")  # the home process has tests of its own: tests/home
    monkeypatch.setenv("OLLAMA_HOST", NOBODY)
    monkeypatch.setattr(ollama, "HOST", NOBODY)


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose store holds nothing yet: to be copied, never to be used itself."""
    path = tmp_path_factory.mktemp("empty") / "home"
    store = Store(Home(path), SteadyClock())
    with store.read():
        pass
    store.close()
    return path


@pytest.fixture
def clock() -> SteadyClock:
    return SteadyClock()


@pytest.fixture
def engine(empty: Path, home: Path, clock: SteadyClock) -> Iterator[Engine]:
    """An engine over a home that holds nothing yet."""
    shutil.copytree(empty, home)
    with Engine(load(home, environ={}), clock) as engine:
        yield engine


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home over the sample notes: to be copied, never to be used itself."""
    home = tmp_path_factory.mktemp("sampled") / "home"
    with Engine(load(home, environ={}), SteadyClock()) as engine:
        report = engine.index([SAMPLE])
    assert report.failed == 0
    assert report.added >= 100
    return home


@pytest.fixture(scope="module")
def sample_home(sampled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of it for the tests of a module."""
    return shutil.copytree(sampled, tmp_path_factory.mktemp("sample") / "home")


@pytest.fixture(scope="module")
def sample(sample_home: Path) -> Iterator[Engine]:
    """The sample notes under an engine; only for tests that change nothing."""
    with Engine(load(sample_home, environ={}), SteadyClock()) as engine:
        yield engine

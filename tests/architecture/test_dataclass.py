"""Our `dataclass` makes the classes that the standard library's makes, and compiles nothing at import."""

from __future__ import annotations

import builtins
import copy
import dataclasses
import pickle
import re
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

import ark_tui
from ark_tui.domain.dataclass import dataclass

OPTIONS: tuple[dict[str, bool], ...] = (
    {},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "kw_only": True},
)


def classes(decorate: Callable[..., Any], options: dict[str, bool]) -> tuple[Any, Any]:
    """A class with each kind of field, and one that inherits from it."""

    class Base:
        """What it says."""

        first: int
        second: str = "two"
        many: list[int] = field(default_factory=list)
        unseen: float = field(default=0.5, repr=False, compare=False)
        named: int = field(default=7, kw_only=True)
        inner: tuple[int, ...] = field(default=(1,), init=False)

    base = decorate(**options)(Base)

    class Derived(base):  # type: ignore[misc,valid-type]
        third: int = 3

        def __post_init__(self) -> None:
            if self.third < 0:
                raise ValueError("no less than nothing")

        @property
        def doubled(self) -> int:
            return self.third * 2

    return base, decorate(**options)(Derived)


def told(act: Callable[[], object]) -> object:
    """What an act returns, or the error that it raises."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - whichever it is, both must raise it
        return type(error), str(error)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_instances_are_made_compared_hashed_shown_and_frozen_alike(options: dict[str, bool]) -> None:
    acts: list[Callable[[Any], object]] = [
        lambda cls: repr(cls(first=1)),
        lambda cls: repr(cls(first=1, second="b", many=[1], named=2, unseen=1.0)),
        lambda cls: repr(cls(1, "b")),
        lambda cls: cls(),
        lambda cls: cls(first=1, unknown=2),
        lambda cls: cls(first=1, inner=(2,)),
        lambda cls: cls(first=1) == cls(first=1, unseen=9.0),
        lambda cls: cls(first=1) == cls(first=2),
        lambda cls: cls(first=1) == 1,
        lambda cls: hash(cls(first=1, many=())) == hash(cls(first=1, many=(), unseen=2.0)),
        lambda cls: hash(cls(first=1)),
        lambda cls: setattr(cls(first=1), "first", 2),
        lambda cls: delattr(cls(first=1), "first"),
        lambda cls: cls(first=1).many is cls(first=1).many,
        lambda cls: repr(dataclasses.replace(cls(first=1), second="c")),
        lambda cls: dataclasses.asdict(cls(first=1)),
        lambda cls: repr(copy.deepcopy(cls(first=1, many=[[1]]))),
        lambda cls: cls.__match_args__,
        lambda cls: cls.__doc__ == "What it says." or len(cls.__mro__),
        lambda cls: hasattr(cls(first=1), "__dict__"),
        lambda cls: [(one.name, one.type, one.kw_only) for one in dataclasses.fields(cls)],
    ]
    ours, theirs = classes(dataclass, options), classes(dataclasses.dataclass, options)
    for number, act in enumerate(acts):
        for mine, known in zip(ours, theirs, strict=True):
            assert told(lambda: act(mine)) == told(lambda: act(known)), (number, mine)  # noqa: B023


def test_what_follows_the_initialiser_and_properties_are_those_of_the_class() -> None:
    _, derived = classes(dataclass, {"frozen": True, "slots": True})
    assert derived(1, third=4).doubled == 8
    with pytest.raises(ValueError, match="no less than nothing"):
        derived(1, third=-1)


@dataclass(frozen=True, slots=True)
class Kept:
    """One that can be found again by its name."""

    name: str
    places: tuple[int, ...] = ()


def test_a_frozen_instance_is_pickled_whole() -> None:
    kept = Kept("a", (1, 2))
    assert pickle.loads(pickle.dumps(kept)) == kept
    with pytest.raises(FrozenInstanceError):
        kept.name = "b"  # type: ignore[misc]


def test_methods_that_a_class_has_are_not_replaced() -> None:
    @dataclass(frozen=True, slots=True)
    class Named:
        """Compared without regard to case."""

        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and self.name.lower() == other.name.lower()

        def __hash__(self) -> int:
            return hash(self.name.lower())

        def __repr__(self) -> str:
            return f"<{self.name}>"

    assert Named("A") == Named("a")
    assert len({Named("A"), Named("a")}) == 1
    assert repr(Named("A")) == "<A>"


def test_nothing_is_compiled_before_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    execute = builtins.exec

    def counted(source: Any, *args: Any) -> None:
        compiled.append(str(source))
        execute(source, *args)

    monkeypatch.setattr(builtins, "exec", counted)
    _, derived = classes(dataclass, {"frozen": True, "slots": True})
    assert not compiled
    assert derived(1) == derived(1)
    assert len(compiled) == 2


def test_the_first_instances_may_be_made_in_several_threads() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    failed: list[BaseException] = []

    def make(cls: Any, together: Barrier) -> None:
        together.wait()
        try:
            assert cls(1) == cls(1)
        except BaseException as error:  # noqa: BLE001 - told by the thread that waits
            failed.append(error)

    try:
        for _ in range(50):
            _, cls = classes(dataclass, {"frozen": True, "slots": True, "eq": True})
            together = Barrier(4)
            threads = [Thread(target=make, args=(cls, together)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failed


def test_all_classes_of_ours_are_made_by_it() -> None:
    root = Path(ark_tui.__file__).parent
    own = root / "domain" / "dataclass.py"
    standard = re.compile(r"from dataclasses import (.*, )?dataclass\b|@dataclasses\.dataclass")
    theirs = [path for path in root.rglob("*.py") if path != own and standard.search(path.read_text("utf-8"))]
    assert not theirs

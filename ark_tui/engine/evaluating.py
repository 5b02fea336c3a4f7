"""Evaluation of rankings on judged sets, with the standard indexing and search.

Each set has its own home; the user's home is neither written nor searched. Chunking, embedding and ranking
use the user's settings, but decay and deduplication are off and the clock is fixed. A served model is only
used if the settings name one. The default profile is that of a search.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ark_tui import ingest
from ark_tui.curation import judging
from ark_tui.domain.curation import Judgment
from ark_tui.domain.documents import Document, content_hash
from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.evaluation import Evaluation, Plan
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.query import Filters, Request
from ark_tui.domain.work import IndexReport, Progress
from ark_tui.embedding import choice
from ark_tui.engine.engine import Engine
from ark_tui.evaluation import metrics, results, sets, systems
from ark_tui.evaluation.results import Run
from ark_tui.evaluation.sets import JudgedSet, Topic
from ark_tui.evaluation.systems import System, Systems
from ark_tui.settings import Settings, ranking
from ark_tui.settings.caller import FixedClock
from ark_tui.settings.home import Home

TODAY = datetime(2026, 1, 1, tzinfo=UTC)
FILES_DEPTH = 100  # documents per query where files are judged; the metrics use 10
LARGEST = 1 << 40  # size limit in bytes for a corpus.jsonl, in effect none


def evaluate(settings: Settings, plan: Plan, stop: Stop = NEVER, progress: OnProgress = ignore) -> Evaluation:
    """Run an evaluation plan. Invalid sets and unknown profiles are reported before any work starts."""
    if not (plan.folders or plan.mine):
        raise UsageError("There is no set to measure on.", sets.LAYOUT)
    plan = replace(plan, profile=plan.profile or _profile(settings, plan))
    systems.chosen(plan, settings.profiles, model=False)
    settings = _adjusted(settings, plan)
    judged = _distinct([sets.read(folder, plan.corpus) for folder in plan.folders])
    work = [_own(settings, plan, stop, progress)] if plan.mine else []
    work += [_measure(settings, plan, one, stop, progress) for one in judged]
    return results.evaluation(
        work[0].systems,
        [one.measured for one in work],
        [f"{one.measured.judged.name}: {notice}" for one in work for notice in one.notices],
    )


def _profile(settings: Settings, plan: Plan) -> str:
    """The default profile: that of the user's corpus if it is evaluated, else by the configured model."""
    if not plan.mine:
        return settings.ranked_by(served=_model(settings) != choice.STATIC)
    with Engine(settings) as engine:
        return engine.profile_in_use()


def _adjusted(settings: Settings, plan: Plan) -> Settings:
    """The settings with the plan's adjustments applied to the evaluated profile."""
    if not plan.adjust:
        return settings
    if plan.profile not in settings.profiles:
        raise UsageError(
            f"{plan.profile} is a baseline and cannot be changed.",
            Hint.give(profile="default", say="Change a profile: {}"),
        )
    profile = ranking.changed(settings.profiles[plan.profile], plan.adjust)
    return replace(settings, profiles={**settings.profiles, plan.profile: profile})


@dataclass(frozen=True, slots=True)
class _Work:
    """The results of one set."""

    systems: Systems
    measured: results.Measured
    notices: tuple[str, ...]


def _measure(settings: Settings, plan: Plan, judged: JudgedSet, stop: Stop, progress: OnProgress) -> _Work:
    with _place(settings, plan, judged) as place:
        own = _settings(settings, place / "home", judged)
        _lend(settings.home, own.home)
        with Engine(own) as engine:
            report = engine.index(
                [_corpus(judged, place)], collection="corpus", stop=stop, progress=_renamed(judged, progress)
            )
            model = engine.status().embedding.provider not in {choice.STATIC, ""}
        chosen = systems.chosen(plan, settings.profiles, model=model)
        searching = replace(own, profiles={name: one.profile for name, one in chosen.all().items()})
        with Engine(searching) as engine:
            asking = _Asking(engine, judged, stop, progress)
            found = asking.all(tuple(chosen.all().values()))
    notices = (*judged.notices, *_reported(report), *asking.notices)
    return _Work(chosen, results.measured(judged, found), notices)


def _own(settings: Settings, plan: Plan, stop: Stop, progress: OnProgress) -> _Work:
    """Evaluate the user's judgments on the user's corpus, which is only searched."""
    with Engine(settings) as engine:
        state = engine.status()
        topics, notices = _topics(engine.curation.judgments())
    if not topics:
        raise UsageError(
            "No document has been judged as an answer yet.",
            Hint.run("eval judge", "spectral gap", "@1", "+", say="Example: {}"),
        )
    judged = JudgedSet("mine", settings.home.path, lines=False, documents=state.documents, topics=topics)
    model = state.embedding.provider not in {choice.STATIC, ""}
    chosen = systems.chosen(plan, settings.profiles, model=model)
    searching = replace(settings, profiles={name: one.profile for name, one in chosen.all().items()})
    with Engine(searching) as engine:
        asking = _AskingOwn(engine, judged, stop, progress)
        found = asking.all(tuple(chosen.all().values()))
    return _Work(chosen, results.measured(judged, found), (*notices, *asking.notices))


def _topics(known: Sequence[Judgment]) -> tuple[tuple[Topic, ...], tuple[str, ...]]:
    """The queries with an answer, and a notice about those without."""
    answered = judging.answered(known)
    topics = tuple(Topic(judging.query_id(query), query, grades) for query, grades in answered.items())
    left = len({one.query for one in known}) - len(answered)
    return topics, (f"{left} judged without an answer left out",) if left else ()


class _Asking:
    """Runs the topics of one set on several systems."""

    literal = True  # queries of a set do not use the query language

    def __init__(self, engine: Engine, judged: JudgedSet, stop: Stop, progress: OnProgress) -> None:
        self._engine = engine
        self._judged = judged
        self._stop = stop
        self._progress = progress
        self._off: dict[str, str] = {}

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices about signals that could not run."""
        return tuple(f"{signal} was off: {reason}" for signal, reason in self._off.items())

    def all(self, several: Sequence[System]) -> dict[str, Run]:
        topics = self._judged.topics
        total = len(several) * len(topics)
        found: dict[str, Run] = {}
        for number, system in enumerate(several):
            run = {}
            for place, topic in enumerate(topics, start=number * len(topics)):
                check(self._stop)
                self._progress(Progress(self._judged.name, place, total, system.name))
                run[topic.id] = self._ask(system, topic)
            found[system.name] = run
        self._progress(Progress(self._judged.name, total, total))
        return found

    def _ask(self, system: System, topic: Topic) -> list[str]:
        result = self._engine.search(
            Request(
                topic.text,
                mode=system.mode,
                # more for files, as a judged file may contain several documents
                limit=metrics.DEPTH if self._judged.lines else FILES_DEPTH,
                profile=system.name,
                filters=Filters(collections=(topic.collection,) if topic.collection else ()),
                literal=self.literal,
                below=True,  # only the ranking is measured, not the confidence
                unlogged=True,
            ),
            self._stop,
        )
        self._off |= {lamp.signal: lamp.reason for lamp in result.lamps if lamp.state == "off"}
        return list(dict.fromkeys(self._id(hit.document) for hit in result.hits))

    def _id(self, document: Document) -> str:
        return document.item if self._judged.lines else document.path


class _AskingOwn(_Asking):
    """The same for the user's queries: with query language and document ids."""

    literal = False

    def _id(self, document: Document) -> str:
        return document.id


def _settings(settings: Settings, home: Path, judged: JudgedSet) -> Settings:
    private = replace(
        settings,
        home=Home(home),
        roots=(),
        decay=False,
        expand=False,  # chat models are not reproducible
        dedup="off",  # duplicates in a judged set are separate answers
        embedding=_model(settings),
        clock=FixedClock(TODAY),
        warnings=(),
    )
    return replace(private, max_bytes=LARGEST, ignore=()) if judged.lines else private


def _model(settings: Settings) -> str:
    """The model for a set; with `auto` an added model or the static one, without servers."""
    if settings.embedding != choice.AUTO:
        return settings.embedding
    added = choice.added(settings)
    return f"{added.provider}:{added.model}" if added else choice.STATIC


def _lend(own: Home, passing: Home) -> None:
    """Symlink the user's models into the set's home, as they are large."""
    if own.models.is_dir() and not passing.models.exists():
        passing.create()
        passing.models.unlink(missing_ok=True)  # a link to a folder that is gone
        passing.models.symlink_to(own.models.resolve(), target_is_directory=True)


@contextmanager
def _place(settings: Settings, plan: Plan, judged: JudgedSet) -> Iterator[Path]:
    """A folder for the set's home and its copy of the corpus, temporary or persistent."""
    if plan.keep_home is None:
        with tempfile.TemporaryDirectory(prefix="ark-tui-eval-") as passing:
            yield Path(passing)
        return
    kept = plan.keep_home.expanduser().resolve()
    folder = kept / f"{judged.name}-{_key(settings, kept, judged)}"
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def _key(settings: Settings, kept: Path, judged: JudgedSet) -> str:
    """A hash of all inputs of an indexed set: content, path, settings and code of indexing."""
    chosen = (settings.max_tokens, settings.strategy, _model(settings))
    code = sorted(Path(ingest.__file__).parent.rglob("*.py"))
    content = judged.corpus.read_bytes() if judged.lines else str(judged.corpus.resolve()).encode()
    parts = [content, str(kept).encode(), repr(chosen).encode(), *(path.read_bytes() for path in code)]
    return content_hash("".join(map(content_hash, parts)).encode())[:12]


def _corpus(judged: JudgedSet, place: Path) -> Path:
    """The folder to index. For a `corpus.jsonl`, a copy of that file alone with a fixed mtime."""
    if not judged.lines:
        return judged.corpus
    folder = place / "corpus"
    copy = folder / sets.CORPUS
    if not copy.exists():
        folder.mkdir(exist_ok=True)
        fresh = place / "corpus.new"
        shutil.copyfile(judged.corpus, fresh)
        os.utime(fresh, (TODAY.timestamp(), TODAY.timestamp()))
        fresh.replace(copy)
    return folder


def _renamed(judged: JudgedSet, progress: OnProgress) -> OnProgress:
    """Prefix the stages of indexing with the name of the set."""
    return lambda at: progress(replace(at, stage=f"{judged.name}: {at.stage}"))


def _reported(report: IndexReport) -> Iterator[str]:
    yield from (f"{problem.path}: {problem.reason}" for problem in report.problems)
    yield from report.notices


def _distinct(judged: Sequence[JudgedSet]) -> list[JudgedSet]:
    """Make the names of sets unique: the second `med` becomes `med-2`."""
    seen: dict[str, int] = {}
    found = []
    for one in judged:
        seen[one.name] = count = seen.get(one.name, 0) + 1
        found.append(one if count == 1 else replace(one, name=f"{one.name}-{count}"))
    return found

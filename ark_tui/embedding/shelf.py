"""The models that a person has added to a home, each in a folder of its own in `models/`.

What a model is, how its files say it is used, and the SHA-256 of each of them are in `model.json`, with a
checksum. A model is put together in a folder beside, tried, and moved into its place.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.failures import explained
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import families
from ark_tui.embedding.retry import NoModel, Wrong
from ark_tui.settings.home import PRIVATE, checked, read_checked, remove, write_file

Use = Literal["vectors", "pairs"]
Pooling = Literal["mean", "cls"]

ABOUT = "model.json"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
BESIDE = ".adding-"  # begins the name of the folder of a model that is being put together
VERSION = 1  # of the way from a text to its vector: another one gives other vectors

TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
TOKENIZING = "tokenizer_config.json"
SENTENCES = "sentence_bert_config.json"  # of the library sentence-transformers, as the three after it
PROMPTS = "config_sentence_transformers.json"
MODULES = "modules.json"
POOLING = "1_Pooling/config.json"
COMPANIONS = (TOKENIZER, CONFIG, TOKENIZING, "special_tokens_map.json", SENTENCES, PROMPTS, MODULES, POOLING)
"""The files that are kept beside a graph, where they are there."""

GRAPHS = ("model_int8", "model_quantized", "model_qint8", "model_optimized", "model")
"""Names of graphs, without `.onnx`, the one first that is taken of several: int8 is the quickest."""

EXTERNAL = ("_data", ".data")  # what follows a graph's name where its weights lie in a file of their own
LONGEST = 1024  # tokens of one text, whatever a model could take: attention grows with their square
USUAL = 512  # tokens, where a model says nothing
FOLDER = "Name a folder with an ONNX model and its tokenizer.json."


@dataclass(frozen=True, slots=True)
class File:
    """A file of a model as it was when it was added."""

    name: str  # below the model's folder
    sha256: str
    size: int
    changed: int  # its time stamp: one that fits need not be read through

    @classmethod
    def of(cls, folder: Path, name: str) -> File:
        """A file as it is now."""
        path = folder / name
        stat = path.stat()
        return cls(name, _sha256(path), stat.st_size, stat.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Added:
    """A model of this home. `use`: it makes vectors of texts, or scores pairs of a query and a text.

    `dims`: of its vectors. `most_tokens`: of one text, with the special ones. `padding`: the id of the token
    that fills up. `source`: the folder or the place in the hub that it came from.
    """

    name: str
    use: Use
    graph: str
    dims: int
    pooling: Pooling
    most_tokens: int
    padding: int
    document_prefix: str
    query_prefix: str
    source: str
    files: tuple[File, ...]
    version: int = VERSION

    @classmethod
    def of(cls, folder: Path, name: str, use: Use, dims: int, graph: str, source: str) -> Added:
        """A model whose files are in a folder. Raises `UsageError` for one that pools in another way."""
        config = _object(folder / CONFIG)
        known = (name, str(config.get("_name_or_path", "")))
        prefixes = _prompts(folder) or next(filter(None, map(families.prefixes, known)), families.NONE)
        return cls(
            name, use, graph, dims, _pooling(folder, known),
            _most_tokens(folder, config, () if use == "pairs" else known), _padding(folder, config),
            prefixes.document, prefixes.query, source,
            tuple(File.of(folder, one) for one in wanted(listed(folder), str(folder))),
        )  # fmt: skip

    @property
    def digest(self) -> str:
        """Names the weights and all that decides what comes out of them."""
        parts = [f"{one.name} {one.sha256}" for one in sorted(self.files, key=lambda one: one.name)]
        parts += [self.use, self.graph, self.pooling, str(self.most_tokens), str(self.padding)]
        return sha256("\n".join([*parts, str(self.version)]).encode()).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.size for file in self.files)

    def dumped(self) -> bytes:
        """As JSON, with a checksum."""
        return checked(json.dumps(asdict(self), sort_keys=True).encode())

    @classmethod
    @lru_cache(maxsize=8)  # each query reads that of its model
    def loaded(cls, data: bytes) -> Added | None:
        """What `dumped` wrote; None for anything else."""
        try:
            told = read_json(data)
            return cls(**{**told, "files": tuple(File(**one) for one in told["files"])})
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


@dataclass(frozen=True, slots=True)
class Shelf:
    """The models in one folder. Nothing is made before something is added."""

    folder: Path

    def names(self) -> list[str]:
        """Those that are there, the one that was added last first."""
        found = [one for one in self.folder.glob("*") if NAME.fullmatch(one.name) and one.is_dir()]
        found.sort(key=lambda one: (-_stamp(one / ABOUT), one.name))
        return [one.name for one in found]

    def all(self) -> Iterator[Added]:
        """Those whose description can be read, the one that was added last first."""
        for name in self.names():
            with suppress(NoModel, Wrong):
                yield self.get(name)

    def get(self, name: str) -> Added:
        """A model by its name. Raises `NoModel`, or `Wrong` where its description is damaged."""
        again = Hint.run("models add", name, say="`{}` adds it.")
        if not NAME.fullmatch(name) or not (self.folder / name).is_dir():
            raise NoModel(f"There is no local model {name}.", again)
        found = Added.loaded(read_checked(self.folder / name / ABOUT) or b"")
        if found is None:
            raise Wrong(f"The description of the local model {name} is damaged.", "Add it again: " + again)
        return found

    def verify(self, model: Added, *, thorough: bool = False) -> None:
        """Check that the files are those that were added; `thorough`: read every byte of them.

        Raises `Wrong`. Without `thorough`, a file is read where its size or time stamp is another one.
        """
        again = Hint.run("models add", model.name, say="Add it again, with its source: `{}`.")
        folder = self.folder / model.name
        for file in model.files:
            path = folder / file.name
            try:
                stat = path.stat()
                same = (stat.st_size, stat.st_mtime_ns) == (file.size, file.changed)
                fits = (same and not thorough) or (stat.st_size == file.size and _sha256(path) == file.sha256)
            except OSError as error:
                why = error.strerror or str(error)
                raise Wrong(
                    f"{file.name} of the local model {model.name} is missing ({why}).", again
                ) from error
            if not fits:
                raise Wrong(f"{file.name} of the local model {model.name} has changed.", again)

    @contextmanager
    def adding(self, name: str) -> Iterator[Path]:
        """A folder for what is to become a model; it is gone afterwards, unless it was `put`."""
        with explained(self.folder):
            self.folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            made = self.folder / f"{BESIDE}{name}"
            remove(made)  # left by a process that was killed
            made.mkdir(mode=PRIVATE)
            try:
                yield made
            finally:
                shutil.rmtree(made, ignore_errors=True)

    def put(self, made: Path, model: Added) -> Added:
        """Move a folder that was made by `adding` into its place, and return the model that is there then.

        Raises `UsageError` where another model has the name. One that is damaged gives way.
        """
        write_file(made / ABOUT, model.dumped())
        place = self.folder / model.name
        if place.exists():
            try:
                there = self.get(model.name)
                self.verify(there, thorough=True)
            except (NoModel, Wrong):
                remove(place)
            else:
                if there.digest == model.digest:
                    return there
                raise UsageError(
                    f"Another model is called {model.name} here.",
                    Hint.run("models remove", model.name, say="Give this one another name, or first: {}"),
                )
        made.rename(place)
        return model

    def remove(self, name: str) -> None:
        """Take a model away. Raises `NoModel`."""
        if not NAME.fullmatch(name) or not (self.folder / name).is_dir():
            raise NoModel(
                f"There is no local model {name}.",
                Hint.run("models list", say="`{}` lists those that there are."),
            )
        with explained(self.folder):
            remove(self.folder / name)


# -- what a folder with an ONNX transformer holds -----------------------------------------------------------


def listed(folder: Path) -> list[str]:
    """The files of a folder that may belong to a model. Raises `UsageError` where there is no folder."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder.", FOLDER)
    inside = (folder, folder / "onnx", folder / "1_Pooling")
    return [
        one.relative_to(folder).as_posix() for place in inside for one in place.glob("*") if one.is_file()
    ]


def wanted(files: Iterable[str], where: str) -> tuple[str, ...]:
    """What of a folder's files makes up its model, the graph first. Raises `UsageError`."""
    there = set(files)
    chosen = graph(there, where)
    if TOKENIZER not in there:
        raise UsageError(f"{where} has no {TOKENIZER}.", "A model needs its tokenizer beside it.")
    external = [f"{chosen}{end}" for end in EXTERNAL]
    return (chosen, *(one for one in (*external, *COMPANIONS) if one in there))


def graph(files: Iterable[str], where: str) -> str:
    """Which of these files is the graph to run, at the top or in `onnx/`. Raises `UsageError`."""
    found = sorted(
        file for file in files if file.endswith(".onnx") and file.removeprefix("onnx/").count("/") == 0
    )
    by_name = {PurePosixPath(one).stem: one for one in reversed(found)}
    if best := next((by_name[name] for name in GRAPHS if name in by_name), ""):
        return best
    if len(found) > 1:
        raise UsageError(
            f"{where} has several graphs: {', '.join(found)}.", "Leave one, or call one model.onnx."
        )
    if not found:
        raise UsageError(f"{where} has no .onnx file.", FOLDER)
    return found[0]


def _object(path: Path) -> Mapping[str, Any]:
    """What a JSON file holds; nothing where it is missing, broken, or no object."""
    try:
        found = read_json(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _pooling(folder: Path, known: Iterable[str]) -> Pooling:
    """As its own file says, else as its family does."""
    said = _object(folder / POOLING)
    modes = {re.sub("^pooling_mode_|_tokens?$", "", key) for key, on in said.items() if on is True} & _MODES
    if mode := said.get("pooling_mode"):
        modes = {str(mode)}
    if modes == {"cls"} or (not modes and any(map(families.by_first_token, known))):
        return "cls"
    if modes <= {"mean"}:
        return "mean"
    raise UsageError(
        f"The model pools its tokens by {' and '.join(sorted(modes))}.", "Take one that does by mean or cls."
    )


_MODES = {"cls", "mean", "max", "mean_sqrt_len", "weightedmean", "last", "lasttoken"}


def _most_tokens(folder: Path, config: Mapping[str, Any], known: Iterable[str]) -> int:
    """How many tokens a text may have: as trained, where that is known, and no more than the graph takes."""
    trained = [_object(folder / SENTENCES).get("max_seq_length"), *map(families.trained_on, known)]
    limits = [_object(folder / TOKENIZING).get("model_max_length"), config.get("max_position_embeddings")]
    least = [int(one) for one in (*trained, *limits) if isinstance(one, int | float) and 0 < one < 1e6]
    return min([*least, LONGEST]) if least else USUAL


def _padding(folder: Path, config: Mapping[str, Any]) -> int:
    """The id of the token that fills up: some models tell places in a text by it."""
    said = _object(folder / TOKENIZER).get("padding")
    for one in (said.get("pad_id") if isinstance(said, dict) else None, config.get("pad_token_id")):
        if isinstance(one, int):
            return one
    return 0


def _prompts(folder: Path) -> families.Prefixes | None:
    said = _object(folder / PROMPTS).get("prompts")
    if not isinstance(said, dict):
        return None
    document = next((said[key] for key in ("document", "passage") if isinstance(said.get(key), str)), "")
    query = said.get("query", "")
    return families.Prefixes(document, query) if isinstance(query, str) and (document or query) else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0

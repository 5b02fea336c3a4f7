"""The local models of a home, each in its own folder in `models/`.

`model.json` has a model's properties, taken from its files, and their SHA-256 hashes, with a checksum. A
model is assembled and tested in a temporary folder, then moved into place.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.failures import explained
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import families
from ark_tui.embedding.retry import NoModel, Wrong
from ark_tui.settings.home import PRIVATE, read_checked, remove, write_checked

Use = Literal["vectors", "pairs"]
Pooling = Literal["mean", "cls"]

ABOUT = "model.json"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
BESIDE = ".adding-"  # name prefix of the temporary folder of a model being added
VERSION = 1  # of the computation of vectors, part of the digest

TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
TOKENIZING = "tokenizer_config.json"
SENTENCES = "sentence_bert_config.json"  # files of the library sentence-transformers, as the next three
PROMPTS = "config_sentence_transformers.json"
MODULES = "modules.json"
POOLING = "1_Pooling/config.json"
COMPANIONS = (TOKENIZER, CONFIG, TOKENIZING, "special_tokens_map.json", SENTENCES, PROMPTS, MODULES, POOLING)
"""Files kept together with a graph, if present."""

GRAPHS = ("model_int8", "model_quantized", "model_qint8", "model_optimized", "model")
"""Names of graphs without `.onnx`, in order of preference: int8 is the fastest."""

EXTERNAL = ("_data", ".data")  # name endings of files with a graph's external weights
LONGEST = 1024  # upper limit of tokens per text: attention is quadratic
USUAL = 512  # tokens per text, if a model gives no limit
FOLDER = "Name a folder with an ONNX model and its tokenizer.json."


@dataclass(frozen=True, slots=True)
class File:
    """A file of a model at the time it was added."""

    name: str  # path relative to the model's folder
    sha256: str
    size: int
    changed: int  # mtime in ns: if unchanged, the file is not hashed again

    @classmethod
    def of(cls, folder: Path, name: str) -> File:
        """The current state of a file."""
        path = folder / name
        stat = path.stat()
        return cls(name, _sha256(path), stat.st_size, stat.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Added:
    """A local model. `use`: it embeds texts (`vectors`) or scores pairs of query and text (`pairs`).

    `dims`: of its vectors. `most_tokens`: of one text, including special tokens. `padding`: id of the padding
    token. `source`: the original folder or hub repository.
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
        """Describe the model in a folder. Raises `UsageError` for an unsupported pooling."""
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
        """Hash of the weights and of everything else that determines the output."""
        parts = [f"{one.name} {one.sha256}" for one in sorted(self.files, key=lambda one: one.name)]
        parts += [self.use, self.graph, self.pooling, str(self.most_tokens), str(self.padding)]
        return sha256("\n".join([*parts, str(self.version)]).encode()).hexdigest()

    @property
    def size(self) -> int:
        """Total size of its files in bytes."""
        return sum(file.size for file in self.files)

    @classmethod
    def loaded(cls, told: Any) -> Added | None:
        """From the JSON of a model; None if it is invalid."""
        try:
            return cls(**{**told, "files": tuple(File(**one) for one in told["files"])})
        except (TypeError, KeyError):
            return None


@dataclass(frozen=True, slots=True)
class Shelf:
    """The models in one folder, which is created with the first model."""

    folder: Path

    def names(self) -> list[str]:
        """The names of the models, most recently added first."""
        found = [one for one in self.folder.glob("*") if NAME.fullmatch(one.name) and one.is_dir()]
        found.sort(key=lambda one: (-_stamp(one / ABOUT), one.name))
        return [one.name for one in found]

    def all(self) -> Iterator[Added]:
        """The models with a valid description, most recently added first."""
        for name in self.names():
            with suppress(NoModel, Wrong):
                yield self.get(name)

    def get(self, name: str) -> Added:
        """A model by its name. Raises `NoModel`, or `Wrong` if its description is damaged."""
        again = Hint.run("models add", name, say="`{}` adds it.")
        if not NAME.fullmatch(name) or not (self.folder / name).is_dir():
            raise NoModel(f"There is no local model {name}.", again)
        found = Added.loaded(read_checked(self.folder / name / ABOUT))
        if found is None:
            raise Wrong(f"The description of the local model {name} is damaged.", "Add it again: " + again)
        return found

    def verify(self, model: Added, *, thorough: bool = False) -> None:
        """Raise `Wrong` if the files have changed since the model was added.

        With `thorough`, all files are hashed, otherwise only those with a different mtime.
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
        """A temporary folder for a new model; removed at the end, unless passed to `put`."""
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
        """Move a folder from `adding` into place; return the model that is there then.

        Raises `UsageError` if another model has the name. A damaged one is replaced.
        """
        write_checked(made / ABOUT, asdict(model))
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
        """Delete a model. Raises `NoModel`."""
        if not NAME.fullmatch(name) or not (self.folder / name).is_dir():
            raise NoModel(
                f"There is no local model {name}.",
                Hint.run("models list", say="`{}` lists those that there are."),
            )
        with explained(self.folder):
            remove(self.folder / name)


# -- folders with an ONNX transformer ----------------------------------------------------------------


def listed(folder: Path) -> list[str]:
    """The files of a folder that may belong to a model. Raises `UsageError` if it is not a folder."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder.", FOLDER)
    inside = (folder, folder / "onnx", folder / "1_Pooling")
    return [
        one.relative_to(folder).as_posix() for place in inside for one in place.glob("*") if one.is_file()
    ]


def wanted(files: Iterable[str], where: str) -> tuple[str, ...]:
    """The files of a model among those of its folder, the graph first. Raises `UsageError`."""
    there = set(files)
    chosen = graph(there, where)
    if TOKENIZER not in there:
        raise UsageError(f"{where} has no {TOKENIZER}.", "A model needs its tokenizer beside it.")
    external = [f"{chosen}{end}" for end in EXTERNAL]
    return (chosen, *(one for one in (*external, *COMPANIONS) if one in there))


def graph(files: Iterable[str], where: str) -> str:
    """Choose the graph among these files, at the top or in `onnx/`. Raises `UsageError`."""
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
    """The object in a JSON file; empty if it is missing, invalid or not an object."""
    try:
        found = read_json(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _pooling(folder: Path, known: Iterable[str]) -> Pooling:
    """The pooling stated in the model's file, else that of its family. Raises `UsageError`."""
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
    """Maximum tokens per text: the minimum of the training length, the model's limits and `LONGEST`."""
    trained = [_object(folder / SENTENCES).get("max_seq_length"), *map(families.trained_on, known)]
    limits = [_object(folder / TOKENIZING).get("model_max_length"), config.get("max_position_embeddings")]
    least = [int(one) for one in (*trained, *limits) if isinstance(one, int | float) and 0 < one < 1e6]
    return min([*least, LONGEST]) if least else USUAL


def _padding(folder: Path, config: Mapping[str, Any]) -> int:
    """The id of the padding token; some models derive token positions from it."""
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

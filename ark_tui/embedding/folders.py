"""What a folder with an ONNX transformer holds: the graph to run, and what its files say of its use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ark_tui.domain.errors import UsageError
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import families

Pooling = Literal["mean", "cls"]

TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
TOKENIZING = "tokenizer_config.json"
SENTENCES = "sentence_bert_config.json"  # of the library sentence-transformers, as the three after it
PROMPTS = "config_sentence_transformers.json"
MODULES = "modules.json"
POOLING = "1_Pooling/config.json"
BESIDE = (TOKENIZER, CONFIG, TOKENIZING, "special_tokens_map.json", SENTENCES, PROMPTS, MODULES, POOLING)
"""The files that are kept beside a graph, where they are there."""

GRAPHS = ("model_int8", "model_quantized", "model_qint8", "model_optimized", "model")
"""Names of graphs, without `.onnx`, the one first that is taken of several: int8 is the quickest."""

EXTERNAL = ("_data", ".data")  # what follows a graph's name where its weights lie in a file of their own
LONGEST = 1024  # tokens of one text, whatever a model could take: attention grows with their square
USUAL = 512  # tokens, where a model says nothing


@dataclass(frozen=True, slots=True)
class Facts:
    """What a model's files say of its use. `most_tokens`: of one text, with the special ones."""

    pooling: Pooling
    most_tokens: int
    padding: int
    document_prefix: str
    query_prefix: str


def graph(files: Iterable[str], where: str) -> str:
    """Which of these files is the graph to run, at the top or in `onnx/`. Raises `UsageError`."""
    found = [file for file in files if file.endswith(".onnx") and file.removeprefix("onnx/").count("/") == 0]
    for name in GRAPHS:
        for one in sorted(found):
            if PurePosixPath(one).stem == name:
                return one
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{where} has several graphs: {', '.join(sorted(found))}.", "Leave one, or call one model.onnx."
        )
    raise UsageError(
        f"{where} has no .onnx file.", "Name a folder with an ONNX model and its tokenizer.json."
    )


def wanted(files: Iterable[str], where: str) -> tuple[str, ...]:
    """What of a folder's files makes up its model, the graph first. Raises `UsageError`."""
    there = set(files)
    chosen = graph(there, where)
    if TOKENIZER not in there:
        raise UsageError(f"{where} has no {TOKENIZER}.", "A model needs its tokenizer beside it.")
    external = [f"{chosen}{end}" for end in EXTERNAL]
    return (chosen, *(one for one in (*external, *BESIDE) if one in there))


def listed(folder: Path) -> list[str]:
    """The files of a folder that may belong to a model. Raises `UsageError` where there is no folder."""
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is no folder.", "Name a folder with an ONNX model and its tokenizer.json."
        )
    inside = (folder, folder / "onnx", folder / "1_Pooling")
    return [
        one.relative_to(folder).as_posix() for place in inside for one in place.glob("*") if one.is_file()
    ]


def facts(folder: Path, name: str, *, pairs: bool) -> Facts:
    """How a model is used; `pairs`: it scores pairs of texts. Raises `UsageError` for one that cannot be."""
    config = _object(folder / CONFIG)
    known = (name, str(config.get("_name_or_path", "")))
    prefixes = _prompts(folder) or next(filter(None, map(families.prefixes, known)), families.NONE)
    return Facts(
        _pooling(folder, known),
        _most_tokens(folder, config, () if pairs else known),
        _padding(folder, config),
        prefixes.document,
        prefixes.query,
    )


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
    modes = {key.removeprefix("pooling_mode_") for key, on in said.items() if on is True}
    modes = {one.removesuffix("_tokens").removesuffix("_token") for one in modes} & _MODES
    if mode := said.get("pooling_mode"):
        modes = {str(mode)}
    if not modes:
        return "cls" if any(map(families.by_first_token, known)) else "mean"
    if modes == {"cls"}:
        return "cls"
    if modes == {"mean"}:
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

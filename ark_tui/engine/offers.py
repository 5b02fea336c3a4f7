"""What a server says of its models, as the list of models shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.embedding.ollama import same, serving

if TYPE_CHECKING:
    from ark_tui.domain.models import ModelInfo
    from ark_tui.embedding.ollama import Installed, Loaded
    from ark_tui.embedding.served import ServedModel


def gone(model: ServedModel, there: Sequence[Installed] | None) -> str:
    """Why Ollama gives the vectors of a model no more; empty where it does, or where it does not say."""
    if model.provider != "ollama" or there is None or serving(there, model):
        return ""
    newer = any(same(one.name, model.model) for one in there)
    return "Ollama has another version of it" if newer else "Ollama has it no more"


def described(row: ModelInfo, found: Installed | None, taken: str) -> ModelInfo:
    """A row with what the server says of the model, and what it would be `taken` for."""
    if found is None:
        return replace(row, taken=taken)
    return replace(
        row,
        dims=row.dims or found.dims,
        purpose=found.is_for.purpose,
        size=found.size,
        context=found.context,
        host=found.where,
        taken=taken,
    )


def placed(row: ModelInfo, loaded: Loaded) -> ModelInfo:
    """A row with what the model runs on."""
    share = round(100 * loaded.on_gpu)
    return replace(row, runs="processor" if not share else "GPU" if share >= 100 else f"{share} % on the GPU")

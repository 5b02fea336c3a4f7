"""`ark-tui models`: which embedding model the corpus uses, which there are, switching and fetching."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, stoppable
from ark_tui.faces.reports import wire

if TYPE_CHECKING:
    from ark_tui.domain.models import ModelInfo, Models

STATES = {"in use": "good", "being built": "strong", "kept": "", "at hand": "faint"}
STATE = 13  # cells
NAME = 34


@click.command("models", epilog="Example: ark-tui models --use ollama:nomic-embed-text")
@click.option(
    "--use",
    metavar="NAME",
    default="",
    help="Search with this model. Its vectors are built beside those in use, which go on answering until "
    "it is complete; stopped, the same command goes on.",
)
@click.option("--pull", metavar="NAME", default="", help="Have Ollama fetch this model first.")
@face
@pass_session
def command(session: Session, use: str, pull: str, as_json: bool) -> None:
    """List the embedding models, or switch to another.

    NAME is `static`, `ollama:MODEL`, `openai:MODEL`, `openrouter:MODEL` or the address of an endpoint; a
    plain name is a model of Ollama. Vectors of a model that was used before are kept, so that going back
    embeds only what is new since.
    """
    with session.engine() as engine:
        if pull or use:
            with stoppable(engine) as stop, session.say.progress() as progress:
                if pull:
                    engine.pull_model(pull, stop, progress)
                if use:
                    engine.use_model(use, stop, progress)
        models = engine.models()
    out = Output()
    if as_json:
        out.document(wire.models(models))
    else:
        _describe(out, models)
    _say(session, models)


def _describe(out: Output, models: Models) -> None:
    for model in models.models:
        out.line(Ink(f"{model.state:<{STATE}}", STATES[model.state]), f"{model.name:<{NAME}} ", _facts(model))
    server = models.server_problem or "answers"
    out.line(Ink(f"{'ollama':<{STATE}}", "faint"), f"{models.server}: {server}")


def _facts(model: ModelInfo) -> Ink:
    facts = [
        f"{model.dims} dimensions" if model.dims else "",
        f"{model.bytes / 1e6:,.1f} MB" if model.bytes else "",
        f"{counted(model.waiting, 'chunk')} to go" if model.waiting else "",
        model.problem,
    ]
    return Ink(", ".join(fact for fact in facts if fact), "faint")


def _say(session: Session, models: Models) -> None:
    for model in models.models:
        if model.state == "being built":
            session.say.notice(
                f"{model.name} is not complete; `ark-tui index`, or --use again, goes on with it."
            )
    if models.setting == "static":
        session.say.notice("The setting `embedding` is static: no server is asked for anything.")
    if models.better:
        session.say.notice(f"Better than the static model: ark-tui models --use {models.better}")

"""`ark-tui status`: what is in the home, and how far the indexes are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.rendering.library import described
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire

if TYPE_CHECKING:
    from ark_tui.domain.work import FollowerState, Status

LABEL = 12  # cells


@click.command("status", epilog="Example: ark-tui status --files")
@click.option(
    "--files", is_flag=True, help="List the files that are not plainly indexed, each with the reason."
)
@face
@pass_session
def command(session: Session, files: bool, as_json: bool) -> None:
    """Say what is stored, waiting and left out."""
    with session.engine() as engine:
        state = engine.status(rows=files or as_json)
    out = Output()
    if as_json:
        out.document(wire.status(state))
        return
    _describe(out, state)
    if files:
        _files(out, state)


def _describe(out: Output, state: Status) -> None:
    _row(out, "documents", f"{state.documents:,} in {counted(state.chunks, 'chunk')}")
    for one in state.collections:
        _row(out, "", described(one))
    _row(out, "files", ", ".join(f"{count:,} {name}" for name, count in state.coverage.items()))
    for follower in state.followers:
        _row(out, follower.name, _follower(follower))
    model = state.embedding
    _row(out, "model", model.problem or f"{model.provider} {model.model}, {model.dims} dimensions")
    _row(out, "store", f"{state.store_path}, schema {state.schema}, {_size(state.bytes)} with its indexes")


def _row(out: Output, label: str, text: str) -> None:
    out.line(Ink(f"{label:<{LABEL}}", "faint"), text)


def _follower(state: FollowerState) -> str:
    if state.problem:
        return state.problem
    if state.behind:
        return f"{counted(state.behind, 'change')} behind the store; the next `ark-tui index` catches up"
    recall = "" if state.recall_at_10 is None else f", recall@10 {state.recall_at_10:.3f}"
    return f"agrees with the store{recall}"


def _files(out: Output, state: Status) -> None:
    for row in state.rows:
        out.line(
            Ink(f"{row.state:<{LABEL}}", "bad" if row.state == "failed" else "faint"),
            f"{row.collection}: {row.path}",
        )
        if row.reason:
            out.line(" " * LABEL, row.reason)


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"

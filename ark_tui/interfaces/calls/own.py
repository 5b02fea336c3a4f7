"""Calls of the command line besides operations: reports and evaluation on own judgments."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ark_tui.domain.evaluation import Evaluation
    from ark_tui.interfaces.reports.export import Format
    from ark_tui.operations.call import Call


def export(
    call: Call, names: Sequence[str], form: Format, query: str, profile: str, judged: Sequence[Path]
) -> dict[str, str]:
    """Write a report: file contents in Base64 by name; the name is empty for a single file."""
    from ark_tui.interfaces.reports import export as exports
    from ark_tui.interfaces.reports import sections

    asked = sections.Asked(query, profile, tuple(judged), call.stop, call.progress)
    report = sections.report(call.engine, names, asked)
    return {name: b64encode(content).decode() for name, content in exports.files(report, form).items()}


def evaluate(call: Call, plan: Mapping[str, Any]) -> Evaluation:
    """Evaluate the ranking; `plan`: the fields of a `Plan`."""
    from ark_tui.domain.evaluation import Plan
    from ark_tui.engine.evaluating import evaluate as measured

    return measured(call.engine.settings, Plan(**plan), call.stop, call.progress)


OWN: Mapping[str, Callable[..., Any]] = {"reports.export": export, "reports.evaluate": evaluate}
"""The calls by name."""

"""Session logs of coding agents: JSON lines, in one or several files per session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ark_tui.memory.chats.source import Chat, Source, chat, each

TITLES = ("summary", "ai-title", "custom-title")  # kinds of Claude Code lines with a title
CONTEXT = ("<environment_context>", "<user_instructions>", "# AGENTS.md")  # how Codex's context begins
CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")


def claude_code(source: Source) -> Iterator[Chat]:
    """Sessions of Claude Code; subagents have separate conversations."""
    return each(((name, name) for name in source.matching("*.jsonl")), partial(_of_claude_code, source))


def _of_claude_code(source: Source, name: str) -> Iterator[Chat]:
    lines = [line for line in source.lines(name) if line]
    spoken = [line for line in lines if line.get("sessionId") and isinstance(line.get("message"), dict)]
    title = next((line[kind] for kind in ("summary", "aiTitle", "customTitle") for line in lines
                  if line.get("type") in TITLES and line.get(kind)), "")  # fmt: skip
    talks: dict[str, list[dict[str, Any]]] = {}
    for line in spoken:
        aside = f"-{line.get('agentId') or 'aside'}" if line.get("isSidechain") else ""
        talks.setdefault(f"claude-code-{line['sessionId']}{aside}", []).append(line)
    for id_, said in talks.items():
        yield chat(id_, title or _place(said[0]), said, _claude_code)


def _claude_code(line: dict[str, Any]) -> Mapping[str, Any] | None:
    if line.get("isMeta"):
        return None
    message = line["message"]
    about = {"model": message.get("model"), "branch": line.get("gitBranch"), "folder": line.get("cwd")}
    return {
        "id": line["uuid"],
        "role": message["role"],
        "content": message["content"],
        "timestamp": line.get("timestamp"),
        "metadata": {name: value for name, value in about.items() if value} or None,
    }


def codex(source: Source) -> Iterator[Chat]:
    """Sessions of Codex. Lines have no ids, so their numbers are used; lines are only ever appended.

    Logs from before September 2025 have no times either: their messages have the time of the session.
    """
    return each(((name, name) for name in source.matching("*.jsonl")), partial(_of_codex, source))


def _of_codex(source: Source, name: str) -> Iterator[Chat]:
    lines = [line or {} for line in source.lines(name)]
    first = lines[0] if lines else {}
    about = first.get("payload") if first.get("type") == "session_meta" else first
    if not isinstance(about, dict) or not about.get("id") or "timestamp" not in first:
        return
    items = [
        (number, line.get("timestamp") or first["timestamp"], line.get("payload", line))
        for number, line in enumerate(lines)
        if line.get("type") == "response_item" or ("payload" not in line and "type" in line)
    ]
    yield chat(f"codex-{about['id']}", _place(about) or PurePosixPath(name).stem, items, _codex)


def _codex(entry: tuple[int, Any, dict[str, Any]]) -> Mapping[str, Any] | None:
    number, when, item = entry
    kind, common = item.get("type"), {"id": str(number), "timestamp": when}
    if kind == "message":
        blocks = item["content"]
        told = str(blocks[0].get("text") or "") if blocks else ""
        role = "developer" if item["role"] == "user" and told.startswith(CONTEXT) else item["role"]
        return {**common, "role": role, "content": told if len(blocks) == 1 and told else blocks}
    if kind in CALLS:
        given = item.get("arguments") or item.get("input") or item.get("action") or ""
        called = {
            "type": "tool_use",
            "id": item.get("call_id"),
            "name": item.get("name") or kind,
            "input": given,
        }
        return {**common, "role": "assistant", "content": [called]}
    if kind in ("function_call_output", "custom_tool_call_output"):
        output = item.get("output")
        said = output.get("content") if isinstance(output, dict) else output
        return {**common, "role": "tool", "tool_call_id": item.get("call_id"), "content": said}
    return None


def _place(about: Mapping[str, Any]) -> str:
    """The name of a session's working directory."""
    return PurePosixPath(str(about.get("cwd") or "")).name

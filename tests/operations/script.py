"""Every operation once, and what it refuses, in an order in which each finds what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ELSEWHERE: dict[str, str] = {
    "config": "its numbers look like ids that are drawn: tests/cli/test_commands.py",
    "publish": "each interface would publish to a place of its own: tests/engine/test_publishing.py",
}
"""Operations that are not in the script, each with the reason, and where it is tried."""


@dataclass(frozen=True)
class Step:
    """An operation with its parameters; one that is a function is made from what was kept of earlier answers.

    `refused`: it is an error. `keep`: the name under which its answer is kept. `apart`: keys that may differ.
    """

    name: str
    given: Mapping[str, Any]
    refused: bool = False
    keep: str = ""
    apart: tuple[str, ...] = ()

    def asked(self, known: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """The parameters, now that earlier answers are known; `{folder}` in a text is that of the trial."""
        return {name: self._value(value, known, folder) for name, value in self.given.items()}

    def _value(self, value: Any, known: Mapping[str, Any], folder: Path) -> Any:
        if isinstance(value, Callable):  # type: ignore[arg-type]
            return value(known)
        if isinstance(value, str | Path):
            return type(value)(str(value).replace("{folder}", str(folder)))
        return value


def step(
    name: str, /, *, refused: bool = False, keep: str = "", apart: tuple[str, ...] = (), **given: Any
) -> Step:
    return Step(name, given, refused, keep, apart)


TASKS = (
    step("tasks add", text="call Ann", due="2026-02-03", tags=("home", "phone")),
    step("tasks add", text="- water the -plants"),
    step("tasks add", text="x", due="banana", refused=True),
    step("tasks edit", id=2, text="water the plants", due="2026-03-04", add_tags=("garden",), before=1),
    step("tasks edit", id=2, drop_tags=("garden",)),
    step("tasks list", tag="home"),
    step("tasks done", id=1),
    step("tasks list", all=True, limit=1),
    step("tasks reopen", id=1),
    step("tasks edit", id=1, state="done"),
    step("tasks delete", id=2),
    step("tasks done", id=2, refused=True),
    step("tasks list"),
)

FIND = (
    step("search", query="mixing -banana", limit=3, keep="search", apart=("retrieval_id",)),
    step(
        "search", query="spectral gap", mode="keyword", profile="ark", collection="notes", tags=("theory",),
        superseded=True, below=True, expand=False, without=("matrix",), graph=True, mmr=0.7,
        adjust=("weight.bm25=0.3", "k=60"),
    ),
    step("search", query="tea", type="note", tier="doc", hops=0),
    step("search", query="spectral gap", explain=True),
    step("search", query="zzzz"),
    step("search", query=" ", refused=True),
    step("search", query="gap", profile="nope", refused=True),
    step("search", query="gap", adjust=("nope=1",), refused=True),
    step("similar", ref="gap.md", limit=1, collections=("notes",)),
    step("similar", ref="nowhere.md", refused=True),
    step("show", ref="gap.md", query="mixing", apart=("file",)),
    step("show", ref="gap.md", start_line=4, lines=1, apart=("file",)),
    step("show", ref="gap.md:4:1", apart=("file",)),
    step("show", ref="nowhere.md", refused=True),
    step("explain", id="gap.md", query="spectral gap"),
    step("explain", id="rye.md", query="spectral gap", limit=1, apart=("missing",)),
    step("explain", id="tea.md", query="tea tag:theory", apart=("missing",)),
    step("explain", id="never.md", query="tea", refused=True),
    step("explain", id="tea.md", query="tea tier:gold", refused=True),
    step("explain", id="gap.md", against="rye.md", query="spectral gap", apart=("missing",)),
    step("searches", limit=2, keep="searches"),
    step("traverse", ref="tea.md", type="untyped", depth=2, direction="both", tier="doc"),
    step("traverse", ref="nowhere.md", refused=True),
    step("paths", source="tea.md", target="gap.md", depth=3),
    step("common", a="tea.md", b="gap.md"),
    step("subgraph", root="tea.md", depth=2),
    step("communities", resolution=1.5, limit=5),
    step("community", id=1),
    step("community", id=9, refused=True),
    step("central", community=1, limit=1),
    step("bridges", limit=5),
    step("recall", query="spectral gap", role="planner", limit=2, tags=("theory",), types=("note",)),
    step("recall", query="spectral gap", role="nobody", refused=True),
    step("expert", domain="theory", issue_number=12, limit=2, recency_window_days=90, path_prefix="gap"),
    step("think", query="what bounds the mixing time", role="reviewer", limit=2),
    step("judge", query="spectral  gap", ref="gap.md", grade="++"),
    step("judge", query="spectral gap", ref="rye.md", grade="-"),
    step("judge", query="tea", ref="tea.md", grade="+"),
    step("judge", query="tea", ref="tea.md", grade="0"),
    step("judge", query="tea", ref="nowhere.md", grade="+", refused=True),
    step("judgments", query="spectral gap", limit=1),
    step("judgments"),
    step("analyze", what=("communities",), limit=3, resolution=1.5),
    step("analyze"),
)  # fmt: skip

HOME = (
    step("health"),
    step("where"),
    step("where", name="store"),
    step("where", name="moon", refused=True),
    step("config import", file=Path("{folder}/nowhere.json"), refused=True),
    step("config set", name="theme", value="nord", apart=("config",)),
    step("config set", name="blink", value="perhaps", refused=True),
    step("config unset", name="theme", apart=("config",)),
    step("config unset", name="moon", refused=True),
    step("token add", name="laptop", grant="write", agents=("ann",), projects=("zoo",), apart=("token",)),
    step("token add", name="laptop", refused=True),
    step("token list"),
    step("token revoke", name="laptop"),
    step("token revoke", name="laptop", refused=True),
    step("jobs list", apart=("jobs",)),  # each process knows its own
    *(step(f"jobs {verb}", id="nothing", refused=True) for verb in ("show", "cancel", "pause", "resume")),
    step("doctor", apart=("detail",)),  # programs are not told places
    step("backup", apart=("backup",)),
    step("restore", backup=Path("{folder}/nowhere.zip"), refused=True),
)

CURATION = (
    step("tag", tags=("draft", "to read"), refs=("gap.md",)),
    step("tag", tags=(" ",), refs=("gap.md",), refused=True),
    step("tag", tags=("draft",), refs=("nowhere.md",), refused=True),
    step("untag", tags=("draft",), refs=("gap.md",)),
    step("tags rename", tag="to read", to="reading"),
    step("tags rename", tag="nobody", to="reading", refused=True),
    step("tier", tier="reflection", refs=("tea.md", "rye.md")),
    step("pin", refs=("gap.md", "tea.md")),
    step("unpin", refs=("tea.md",)),
    step("link", ref="tea.md", target="rye.md", relation="builds_on"),
    step("unlink", ref="tea.md", target="rye.md"),
    step("unlink", ref="tea.md", target="rye.md", relation="builds_on", refused=True),
    step("supersede", refs=("tea.md",), successor="rye.md"),
    step("undo"),
    step("redo"),
    step("undo"),
    step("redo"),
    step("redo"),
    step("undo"),
    Step("merge", {"keep": "gap.md", "others": ("tea.md",)}),
    step("undo"),
    step("note", text="Buy rye flour.", title="Flour", tags=("kitchen",), keep="note"),
    step("note", replace=lambda known: known["note"]["documents"][0]["id"], text="Buy much."),
    step("note", text=" ", refused=True),
    step("note", replace="gap.md", refused=True),
    step("trash", refs=("rye.md",)),
    step("documents list", trashed=True),
    step("untrash", refs=("rye.md",)),
    step("untrash", refs=("rye.md",), refused=True),
    step("documents list", tags=("theory",), tier="doc", collection="notes", order="date"),
    step("documents list", words="flour"),
    step("documents list", limit=1, offset=1),
    step("documents list", pinned=True),
    step("queue list", kinds=("untagged",), keep="queue"),
    step("queue show", item=lambda known: known["queue"]["items"][0]["id"]),
    step("queue show", item="u000000", refused=True),
    step("queue decide", item=lambda known: known["queue"]["items"][0]["id"], key="t", text="seen"),
    step("queue decide", item=lambda known: known["queue"]["items"][0]["id"], key="t", refused=True),
    step("queue list", limit=1),
    step("saved add", name="@week", query="spectral tag:theory", limit=5, mode="keyword"),
    step("saved add", name="1", query="spectral", refused=True),
    step("saved add", name="week", query="spectral", profile="nobody", refused=True),
    step("saved diff"),
    step("saved diff", name="@week", seen=True),
    step("saved diff", name="nobody", refused=True),
    step("saved rename", name="week", to="@month"),
    step("saved diff", name="month"),
    step("saved list"),
    step("saved delete", name="month"),
    step("saved delete", name="month", refused=True),
    step("edits", limit=3, offset=1),
    step("export-curation", keep="export"),
    step("import-curation", content=lambda known: known["export"]["content"]),
    step("import-curation", content="nonsense", refused=True),
    step("fields"),
    step("tags list"),
    step("fields", key="tags"),
    step("collections list", apart=("root",)),
    step("collections rename", name="notes", to="work"),
    step("collections rename", name="work", to="notes"),
    step("collections rename", name="nowhere", to="work", refused=True),
    step("collections remove", name="notes", apart=("back",)),
    step("collections remove", name="default", yes=True, refused=True),
)

CORPUS = (
    step("ingest", text="Owls fly without a sound.", title="Owls", tags=("birds",), source="a book"),
    step("ingest", text=" ", refused=True),
    step("ingest", text="Bees dance.", collection="notes", refused=True),
    step("ingest-file", path=Path("{folder}/nowhere.md"), refused=True, apart=("error", "hint")),
    step("index", collections=("notes",)),
    step("index", collections=("nowhere",), refused=True),
    step("index", collections=("notes",), dry_run=True),
    step("status", apart=("path", "root", "files")),
    step("status", files=True, apart=("path", "root")),
    step("coverage", states=("indexed",), limit=2, apart=("counts",)),
    step("models list"),
    step("models", use="static"),
    step("models", use="auto", refused=True),
    step("models", pull="static", refused=True),
    step("models add", name="nonsense", refused=True),
    step("conversations close", id="default"),
    step("conversations close", id="nobody", refused=True),
    step("consolidate", tokens=100, minutes=0.1),
    step("review list", kinds=("fact",), states=("pending", "later"), limit=5, offset=0),
    step("review accuracy"),
    *(step(f"review {verb}", id="3fa9c1d2", refused=True) for verb in ("accept", "reject", "later")),
    step("review edit", id="3fa9c1d2", text="x", refused=True),
    step("review edit", id="3fa9c1d2", refused=True),
    step("review merge", id="3fa9c1d2", item="3fa9c1d2", refused=True),
    step("review undo", refused=True),
    step("import", path=Path("{folder}/nowhere.json"), refused=True),
    step("models add", from_=Path("{folder}/nowhere"), refused=True, apart=("error", "hint")),
    step("models remove", name="nonsense", refused=True),
    step("ingest-url", url="ftp://example.org/", refused=True),
)

BESIDE = (
    step("scratch set", key="plan", value="ask Ann first"),
    step("scratch set", key="plan", value="- ask Ben"),
    step("scratch set", key="spare", value="x"),
    step("scratch set", key=" ", value="x", refused=True),
    step("scratch get", key="plan"),
    step("scratch get", key="plan", history=True),
    step("scratch get", key="nowhere", refused=True),
    step("scratch restore", key="plan"),
    step("scratch restore", key="plan", version=2),
    step("scratch restore", key="plan", version=9, refused=True),
    step("scratch delete", key="spare"),
    step("scratch delete", key="spare", refused=True),
    step("scratch list", limit=1),
    step("conversations create", id="otters"),
    step("conversations create", id="otters", refused=True),
    step("history add", role="user", content="where do otters sleep?", conversation_id="otters", keep="said"),
    step("history add", role="assistant", content="In rafts.", conversation_id="otters"),
    step("history add", role="user", content="-5 degrees"),
    step("history add", role="user", content="x", conversation_id="nowhere", refused=True),
    step("history list", conversation_id="otters", limit=1),
    step("history list", oldest=True, limit=1, offset=1),
    step("history list", query_id="nowhere"),
    step("history search", query="rafts"),
    step("history search", query="otters", conversation_id="otters", limit=5),
    step("conversations list"),
    step("conversations delete", id="otters", refused=True),
    step("scopes"),
    step("promote", ref=lambda known: known["said"]["id"], layer="3", reason="worth keeping"),
    step("conversations delete", id="otters", yes=True),
)

KNOWN = (
    step("facts add", text="The build takes four minutes", source="run 218", tags=("ci",), keep="fact"),
    step("facts add", text=" ", refused=True),
    step("facts list", limit=1),
    step("retire", id=lambda known: known["fact"]["id"], reason="it was split"),
    step("facts list", retired=True, agent="default"),
    step("revive", id=lambda known: known["fact"]["id"], reason="it is again"),
    step("revive", id="gap.md", refused=True),
    step("patterns add", problem="the tests hang on CI", solution="set a timeout", keep="pattern"),
    step("patterns list"),
    step("directives add", kind="MUST", text="run the tests", scope="src", priority=5, keep="rule"),
    step("directives list"),
    step("retire", id=lambda known: known["rule"]["id"]),
    step("correct", id=lambda known: known["fact"]["id"], text="The build takes a minute", keep="corrected"),
    step("correct", id=lambda known: known["fact"]["id"], text="x", refused=True),
    step("correct", id=lambda known: known["corrected"]["replacement"], refused=True),
    step(
        "correct",
        id=lambda known: known["pattern"]["id"],
        text="give each a timeout",
        problem="tests hang",
        reason="it is said better",
        keep="better",
    ),
    step(
        "correct",
        id=lambda known: known["better"]["replacement"],
        by=lambda known: known["corrected"]["replacement"],
        reason="it is no pattern",
    ),
    step("correct", id="gap.md", text="x", refused=True),
    step("retire", id=lambda known: known["corrected"]["replacement"], reason="nobody builds it"),
    step("retire", id="gap.md", refused=True),
    step("revive", id=lambda known: known["fact"]["id"]),
    step("revive", id=lambda known: known["corrected"]["replacement"], refused=True),
    step("forget", refs=lambda known: (known["fact"]["id"],)),
    step(
        "forget",
        refs=lambda known: (known["fact"]["id"],),
        sources=True,
        yes=True,
        apart=("vectors",),  # a text that was not yet embedded has none
    ),
    step("forget", refs=lambda known: (known["fact"]["id"],), refused=True),
    step("forget", refs=("gap.md",), yes=True, refused=True),
    step("patterns add", problem="the tests hang on CI", solution="set a timeout", keep="pattern"),
    step(
        "context",
        query="the tests hang",
        budget=800,
        scopes=("src",),
        passages=1,
        keep="context",
        apart=("query", "budget", "items", "left_out", "masked", "lamps", "text", "tokens", "label"),
    ),
    step(
        "outcome apply",
        retrieval_id=lambda known: known["context"]["retrieval_id"],
        pattern=lambda known: known["pattern"]["id"],
    ),
    step("outcome report", retrieval_id=lambda known: known["context"]["retrieval_id"], outcome="success"),
    step("outcome report", retrieval_id="zzzz", outcome="success", refused=True),
    step(
        "outcome record",
        event_type="validation",
        issue_number=42,
        verdict="pass",
        estimate="M",
        component_area="src/auth",
        payload={"pull_request": 7},
    ),
    step("outcome query", issue_number=42, since="yesterday", limit=5),
    step("outcome query", aggregate=True),
    step("outcome query", since="whenever", refused=True),
    step("retire", id=lambda known: known["pattern"]["id"]),
    step("remember", text="CI has no GPU", source="run 218", tags=("ci",), github_issue=42, keep="kept"),
    step("remember", text="x", source=" ", refused=True),
    step("memories", layers=("semantic",), tiers=("raw",), retired=True),
    step("memories", layers=("tenth",), refused=True),
    step("promote", ref=lambda known: known["kept"]["id"], tier="reflection", reason="it holds"),
    step("promote", ref=lambda known: known["kept"]["id"]),
    step("promote", ref=lambda known: known["kept"]["id"], tier="doc", refused=True),
    step("memory-stats", since="2026-01-01"),
    step("memory-stats", since="never", refused=True),
    step("purge", retired=True),
    step("purge", retired=True, yes=True, apart=("vectors",)),
)

STEPS = (*TASKS, *FIND, *HOME, *CURATION, *BESIDE, *KNOWN, *CORPUS)

"""The tools `remember`, `correct`, `outcome`, `history`, `tasks`, `scratch`; actions are operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ark_tui.domain.errors import UsageError
from ark_tui.domain.knowledge import RULE_KINDS
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp.shapes import Name, Number, Words
from ark_tui.interfaces.mcp.tool import (
    ADD,
    DROP,
    NUMBER,
    SAME,
    STEPS,
    TEXT,
    TEXTS,
    WHOLE,
    YES,
    Family,
    Tool,
    asked,
    many,
    plain,
    record,
)
from ark_tui.operations import history, knowledge, memories, outcome, scratch, tasks
from ark_tui.operations.encoding import Json
from ark_tui.operations.operation import operation_of

FAMILY = Family()

Text = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True)
class Action:
    """An operation that a tool can call, with its required and optional parameters.

    `named`: parameter names that differ in the operation; `fixed`: constant arguments. `listed`: the key
    under which a single item is returned, where other actions return several.
    """

    function: Callable[..., Any]
    needs: str = ""
    takes: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    listed: str = ""

    def ask(self, engine: Engine, name: str, given: Json) -> Json:
        """Call the operation. Raises `UsageError` for a missing or unknown parameter."""
        needs, takes = self.needs.split(), self.takes.split()
        missing = [one for one in needs if one not in given]
        wrong = [one for one in given if one not in (*needs, *takes)]
        if missing or wrong:
            what = f"{name} needs {missing[0]}." if missing else f"{name} takes no {wrong[0]}."
            raise UsageError(what, f"Parameters of {name}: {', '.join((*needs, *takes)) or 'none'}.")
        arguments = {
            self.named.get(one, one): _plural(one, value, self.named) for one, value in given.items()
        }
        found = asked(engine, self.function, **arguments, **self.fixed)
        return {self.listed: [found]} if self.listed and self.listed not in found else found


def _plural(name: str, value: Any, named: Mapping[str, str]) -> Any:
    return (value,) if named.get(name) == "refs" else tuple(value) if isinstance(value, list) else value


def offer(
    name: str, about: str, hints: Json, actions: Mapping[str, Action], parameters: Json, result: Json,
    by: str = "action",
) -> None:  # fmt: skip
    """Register a tool with several actions, selected by the parameter `by`."""

    def function(engine: Engine, **given: Any) -> Json:
        action = given.pop(by)
        wanted = {one: value for one, value in given.items() if value is not None}
        return actions[action].ask(engine, f"{name} with {by}={action}", wanted)

    kinds: Any = Literal[tuple(actions)]
    places = [inspect.Parameter(by, inspect.Parameter.KEYWORD_ONLY, annotation=kinds)] + [
        inspect.Parameter(
            one,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kind | None, Field(description=note)],
        )
        for one, (kind, note) in parameters.items()
    ]
    FAMILY.add(Tool(name, about, hints, places, function, plain, checked=True, result=result))
    for action, one in actions.items():
        if operation := operation_of(one.function):
            STEPS.setdefault(operation.name, f"{name}({by}={action}")


offer(
    "remember",
    "Keep a fact, a pattern (a problem and its solution) or a rule of the user. "
    "Use it when you learn what later tasks need; never for secrets or guesses.",
    SAME,
    {
        "fact": Action(knowledge.add_fact, "text", "source tags"),
        "pattern": Action(knowledge.add_pattern, "text solution", "tags", {"text": "problem"}),
        **{
            kind: Action(knowledge.add_directive, "text", "scope tags", fixed={"kind": kind})
            for kind in RULE_KINDS
        },
    },
    {
        "text": (Text, "The fact, the problem, or the rule."),
        "solution": (Text, "pattern: what solves it."),
        "source": (Name, "fact: where it comes from."),
        "scope": (Name, "Rule: where it applies, e.g. src/ci."),
        "tags": (list[Name], "Its tags."),
    },
    record(id=TEXT),
    by="kind",
)

offer(
    "correct",
    "Replace a memory that is wrong, retire (or restore) one that no longer holds, or forget one for good. "
    "Use it when a result contradicts what you or the user know.",
    DROP,
    {
        "replace": Action(memories.correct, "id text", "reason"),
        "retire": Action(memories.retire, "id", "reason"),
        "restore": Action(memories.revive, "id", "reason"),
        "forget": Action(memories.forget, "id", named={"id": "refs"}, fixed={"yes": True}),
    },
    {
        "id": (Words, "Of the memory."),
        "text": (Text, "replace: what is true."),
        "reason": (Words, "Why."),
    },
    record(status=TEXT, id=TEXT, replacement=TEXT, forgotten=YES, remains=TEXTS),
)

AREA = {"area": "component_area"}
EVENT = record(id=TEXT, eventType=TEXT, verdict=TEXT, componentArea=TEXT, timestamp=TEXT)

offer(
    "outcome",
    "Report whether a context helped, record how work ended, or query such records. "
    "Use report when a task ends: it improves later contexts.",
    ADD,
    {
        "report": Action(outcome.report, "retrieval_id outcome"),
        "record": Action(outcome.record, "event_type", "verdict area", AREA, listed="events"),
        "query": Action(outcome.query, "", "event_type verdict area since", AREA),
    },
    {
        "retrieval_id": (Name, "report: of the context."),
        "outcome": (Literal["success", "failure"], "report: did it help?"),
        "event_type": (Name, "What was done, e.g. review."),
        "verdict": (Name, "How it ended, e.g. pass."),
        "area": (Name, "What it was about, e.g. src/auth."),
        "since": (Name, "query: e.g. last week."),
    },
    record(patterns=many(record(id=TEXT, title=TEXT, confidence=NUMBER)), events=many(EVENT)),
)

offer(
    "history",
    "Add a message of a conversation, list the latest ones, or search what was said. "
    "Use it to recall earlier conversations with the user.",
    ADD,
    {
        "add": Action(history.add, "role content", "conversation_id", listed="messages"),
        "list": Action(history.list_, "", "conversation_id offset", fixed={"limit": 20}),
        "search": Action(history.search, "query", "conversation_id offset", fixed={"limit": 20}),
    },
    {
        "role": (Literal["user", "assistant", "system", "tool"], "add: who said it."),
        "content": (Text, "add: what was said."),
        "query": (Words, "search: words of it."),
        "conversation_id": (Name, "Only this conversation."),
        "offset": (Number, "Continue from `more`."),
    },
    record("messages", messages=many(record(role=TEXT, content=TEXT, timestamp=TEXT)),
           more=WHOLE),
)  # fmt: skip

offer(
    "tasks",
    "Add a task to the to-do list, list the open ones, or mark one as done. "
    "Use it for work that outlasts this conversation.",
    ADD,
    {
        "add": Action(tasks.add, "text", "due", listed="tasks"),
        "list": Action(tasks.list_, "", "offset", fixed={"limit": 50}),
        "done": Action(tasks.done, "id", listed="tasks"),
    },
    {
        "text": (Text, "add: what is to be done."),
        "due": (Name, "add: a date, or friday."),
        "id": (Number, "done: the task."),
        "offset": (Number, "list: continue from `more`."),
    },
    record("tasks", tasks=many(record(id=TEXT, text=TEXT, state=TEXT, due=TEXT)), more=WHOLE),
)

offer(
    "scratch",
    "Set, get, list or delete short notes of your own, by key. "
    "Use it for plans and interim results of this session.",
    SAME,
    {
        "set": Action(scratch.set_, "key value", listed="entries"),
        "get": Action(scratch.get, "key", listed="entries"),
        "list": Action(scratch.list_, fixed={"limit": 100}),
        "delete": Action(scratch.delete, "key", listed="entries"),
    },
    {
        "key": (Name, "A name for the note."),
        "value": (Text, "set: the note."),
    },
    record(entries=many(record(key=TEXT, value=TEXT))),
)

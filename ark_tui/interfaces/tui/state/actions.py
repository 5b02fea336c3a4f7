"""The table of all actions, from which bindings, footer, palette, help and README are generated.

To add one: a line in `ACTIONS`, and a method `action_<name>` on the widget of its scope.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from textual.binding import Binding, BindingType
from textual.keys import Keys, _character_to_key, key_to_character

from ark_tui.domain.errors import Hint, Step

Scope = Literal[
    "app", "everywhere", "query", "search", "hits", "curation", "results", "reader",
    "move", "views", "library", "collections", "documents", "left_out", "trash",
    "notebook", "history", "ask", "analysis", "note", "queue", "merge",
    "lab", "dialog", "review",
]  # fmt: skip
"""Scope of an action: the part of the screen that must have or contain the focus."""

Scopes = tuple[Scope, ...]
"""Scopes that a part of the screen implements, in its class variable `SCOPES`."""

Bindings = list[BindingType]
"""Bindings of a part of the screen, in its class variable `BINDINGS`."""

SCOPE_TITLES: dict[Scope, str] = {
    "query": "Query line", "results": "Results", "reader": "Reader",
    "views": "Views", "collections": "Collections",
    "documents": "Documents", "left_out": "Skipped", "trash": "Trash", "hits": "Document",
    "curation": "Curation", "search": "Search", "library": "Library", "notebook": "Notebook",
    "history": "History", "ask": "Ask", "analysis": "Analysis",
    "move": "Lists and reader", "everywhere": "Everywhere", "app": "Program",
    "note": "New note", "queue": "Curation queue", "merge": "Merge",
    "lab": "Ranking lab", "dialog": "Dialogs", "review": "Review",
}  # fmt: skip

CHAINS: tuple[tuple[Scope, ...], ...] = (
    ("query", "search", "everywhere", "app"),
    ("results", "move", "hits", "curation", "search", "everywhere", "app"),
    ("collections", "move", "views", "library", "curation", "everywhere", "app"),
    ("documents", "move", "views", "library", "curation", "everywhere", "app"),
    ("left_out", "move", "views", "library", "curation", "everywhere", "app"),
    ("trash", "move", "views", "library", "curation", "everywhere", "app"),
    ("reader", "move", "hits", "curation", "search", "everywhere", "app"),
    ("reader", "move", "hits", "curation", "dialog", "app"),
    ("reader", "move", "views", "library", "curation", "everywhere", "app"),
    ("move", "notebook", "everywhere", "app"),
    ("move", "history", "views", "everywhere", "app"),
    ("move", "analysis", "everywhere", "app"),
    ("move", "review", "everywhere", "app"),
    ("note", "dialog", "app"),
    ("move", "ask", "dialog", "app"),
    ("queue", "dialog", "app"),
    ("move", "merge", "dialog", "app"),
    ("move", "lab", "dialog", "app"),
)
"""Scopes that are active at the same time, from the focus outwards."""


class PaneEntry(NamedTuple):
    """A pane: the action that opens it and the scopes it contains."""

    about: str
    scopes: Scopes


PANES: dict[str, PaneEntry] = {
    "search": PaneEntry("Go to the search.", ("query", "search", "hits", "curation", "results", "reader")),
    "library": PaneEntry(
        "Go to the library: collections, documents, skipped files, trash.",
        ("library", "collections", "documents", "left_out", "trash"),
    ),
    "notebook": PaneEntry("Go to the notebook: scratch notes and tasks.", ("notebook",)),
    "history": PaneEntry("Go to the history: conversations and searches.", ("history",)),
    "analysis": PaneEntry("Go to the analysis: map, clusters, gaps, novelty.", ("analysis",)),
    "review": PaneEntry("Go to the review of proposed memories.", ("review",)),
}
"""The panes in order, which determines their keys. To add one: a line here and the class `<Name>Pane` in a
module of its name, with its rules in `DEFAULT_CSS` or in a stylesheet beside it."""

PANE_OF: dict[Scope, str] = {scope: pane for pane, entry in PANES.items() for scope in entry.scopes}
"""The pane that contains a scope."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the user. `keys` are separated by commas; the first one is shown."""

    name: str
    keys: str
    label: str
    help: str
    scope: Scope
    footer: bool = False
    priority: bool = False  # also while a text field has the focus

    @property
    def id(self) -> str:
        """The id in the `keymap` of config.toml."""
        return f"{self.scope}.{self.name.replace('_', '-')}"

    @property
    def all_keys(self) -> tuple[str, ...]:
        return tuple(key.strip() for key in self.keys.split(",") if key.strip())


ACTIONS: tuple[Action, ...] = (
    Action("run", "enter", "search", "Search for these words and go to the results.", "query", True),
    Action("leave", "down", "results", "Go to the results.", "query", True),
    Action("open", "enter", "read", "Read the document.", "results", True),
    Action("below", "F,f7", "low confidence", "Show or hide low-confidence results.", "search"),
    Action("suggestion", "ctrl+t", "use suggestion", "Replace the unknown word by the suggested one.",
           "search"),
    Action("terms", "ctrl+g", "added terms",
           "Leave out a term that the search added, or a date or exclusion that it read.", "search"),
    Action("expand", "ctrl+l", "expand", "Search again with terms from the chat model.", "search"),
    Action("superseded", "s", "superseded", "Show or hide documents that others supersede.", "search"),
    Action("ask", "A,f12", "ask", "Ask a question and get an answer with its sources.", "search", True),
    Action("saved", "at,ctrl+n", "saved searches", "Run a saved search, or see what changed.", "search",
           True),
    Action("edit_saved", "R", "edit saved search", "Rename or delete a saved search.", "search"),
    Action("save", "W", "save search", "Save this search under a name.", "search"),
    Action("lab", "L", "ranking lab", "Change the weights of the ranking and watch the results.", "search"),
    Action("why_not", "X,alt+x", "why not", "Find out why a document is not in the results.", "search", True),
    Action("mark", "space", "mark", "Mark or unmark it. Keys act on all marked documents.", "curation", True),
    Action("tag", "t", "tag", "Add or remove tags.", "curation", True),
    Action("trash", "x", "move to trash", "Move it to the trash. Its file is not touched.", "curation", True),
    Action("undo", "u", "undo", "Undo the last edit.", "curation", True),
    Action("pin", "p", "pin", "Pin or unpin it.", "curation", True),
    Action("link", "l", "link", "Link it to another document, or say that both contradict each other.",
           "curation", True),
    Action("merge", "m", "merge", "Merge it with the marked documents or with its duplicates.", "curation",
           True),
    Action("note", "a", "new note", "Write a note.", "curation", True),
    Action("queue", "Q", "queue", "Review duplicates, contradictions and stale files one by one.", "curation",
           True),
    Action("tier", "r", "tier", "Set its tier: how much you trust it.", "curation"),
    Action("rename_tag", "number_sign", "rename tag", "Rename a tag in all documents.", "curation"),
    Action("supersede", "S", "supersede", "Say which document replaces it.", "curation"),
    Action("redo", "ctrl+r", "redo", "Redo the last undone edit.", "curation"),
    Action("correct", "E", "correct memory", "Replace the text of a memory.", "curation"),
    Action("forget", "Z", "forget memory", "Delete memories for good, after a confirmation.", "curation"),
    Action("next_match", "n", "next match", "Go to the next match in the document.", "hits"),
    Action("previous_match", "N", "previous match", "Go to the previous match in the document.", "hits"),
    Action("turn", "w", "score details", "Switch between the document and the score details.", "hits", True),
    Action("density", "v", "lines", "Show three lines, two or one for each result.", "hits"),
    Action("copy", "y", "copy", "Copy the matching passage.", "hits", True),
    Action("cite", "Y", "copy + source", "Copy the passage with its source.", "hits"),
    Action("copy_path", "ctrl+y", "copy path", "Copy the path of the document.", "hits"),
    Action("edit", "e", "edit", "Open the file in your editor, at the line.", "hits"),
    Action("better", "plus", "relevant", "Mark it as relevant to the query; twice: as the best answer.",
           "hits"),
    Action("worse", "minus", "not relevant", "Mark it as not relevant to the query.", "hits"),
    Action("form", "M", "rendered/raw", "Switch between rendered and raw Markdown.", "reader"),
    Action("links", "f,enter", "links", "List the links of the document and follow one.", "reader", True),
    Action("contents", "c", "contents", "List the headings, or the functions of a program.", "reader", True),
    Action("about", "i", "details", "Show backlinks, similar documents, tags and dates.", "reader", True),
    Action("backward", "left_square_bracket,backspace", "back", "Go back to where you followed the link.",
           "reader"),
    Action("forward", "right_square_bracket", "forward", "Go forward again.", "reader"),
    Action("next_view", "right,v", "next view", "Show the next view of the pane.", "views"),
    Action("previous_view", "left,V", "previous view", "Show the previous view.", "views"),
    Action("again", "R", "index again", "Index the selected collection or file again.", "library", True),
    Action("edit", "e", "edit", "Open the file in your editor.", "library"),
    Action("copy_path", "y", "copy path", "Copy the path.", "library"),
    Action("open", "enter", "documents", "List the documents of the collection.", "collections", True),
    Action("narrow", "i", "search in it", "Search in this collection only.", "collections", True),
    Action("rename", "c", "rename", "Rename the collection.", "collections", True),
    Action("remove", "D", "remove", "Remove the collection. Its files are not touched.", "collections", True),
    Action("open", "enter", "read", "Read the document.", "documents", True),
    Action("filter", "f", "filter", "Filter the documents by words.", "documents", True),
    Action("order", "O", "sort", "Sort by title, date or path.", "documents", True),
    Action("open", "enter", "try again", "Index the file again.", "left_out", True),
    Action("open", "enter", "read", "Read the document in the trash.", "trash", True),
    Action("restore", "b", "restore", "Restore the document, or all marked ones.", "trash", True),
    Action("purge", "D", "empty trash", "Delete everything in the trash for good.", "trash", True),
    Action("add", "a", "add", "Add a task or a scratch note.", "notebook", True),
    Action("edit", "e,enter", "edit", "Edit the selected task or note.", "notebook", True),
    Action("done", "space", "done", "Mark the task as done or open.", "notebook", True),
    Action("delete", "x", "delete", "Delete the selected task or note.", "notebook", True),
    Action("undo", "u", "undo", "Undo the last change in the notebook.", "notebook", True),
    Action("done_ones", "v", "done tasks", "Show or hide done tasks.", "notebook"),
    Action("open", "enter", "open", "Read the conversation, or compare the search with today.", "history",
           True),
    Action("again", "R", "run again", "Run the selected search again.", "history"),
    Action("copy", "y", "copy", "Copy the id of the search or conversation, or the message.", "history",
           True),
    Action("find", "f", "find", "Find messages or searches.", "history", True),
    Action("delete", "x", "delete", "Delete the conversation, after a confirmation.", "history"),
    Action("open", "enter", "read", "Read the selected source.", "ask", True),
    Action("copy", "y", "copy", "Copy the answer with its sources.", "ask", True),
    Action("open", "enter", "open", "Read the document, or compute the measure again.", "analysis", True),
    Action("closer", "plus", "zoom in", "Zoom into the map and list the documents in view.", "analysis"),
    Action("farther", "minus", "zoom out", "Zoom out of the map.", "analysis"),
    Action("everything", "A", "compute all", "Compute all measures in the background.", "analysis"),
    Action("cancel", "x", "cancel", "Stop computing. Finished measures are kept.", "analysis", True),
    Action("accept", "a,enter", "accept", "Accept the candidate: it becomes a memory.", "review", True),
    Action("edit", "e", "edit", "Edit the text, then accept it.", "review", True),
    Action("merge", "m", "merge", "Merge it with an existing memory.", "review"),
    Action("reject", "x", "reject", "Reject the candidate. It is not proposed again.", "review", True),
    Action("later", "s", "later", "Move it to the end of the list.", "review", True),
    Action("undo", "u", "undo", "Undo the last decision.", "review", True),
    Action("row_down", "j,down", "down", "Go one row down.", "move"),
    Action("row_up", "k,up", "up", "Go one row up.", "move"),
    Action("first", "g,home", "top", "Go to the first row.", "move"),
    Action("last", "G,end", "bottom", "Go to the last row.", "move"),
    Action("half_down", "ctrl+d", "half page down", "Go half a page down.", "move"),
    Action("half_up", "ctrl+u", "half page up", "Go half a page up.", "move"),
    Action("page_down", "pagedown", "page down", "Go one page down.", "move"),
    Action("page_up", "pageup", "page up", "Go one page up.", "move"),
    Action("query", "/,ctrl+f", "query", "Go to the query line.", "everywhere", True),
    *(
        Action(pane, f"{number},alt+{number}", pane.capitalize(), entry.about, "everywhere")
        for number, (pane, entry) in enumerate(PANES.items(), 1)
    ),
    Action("index", "f2", "index a folder", "Choose a folder and index its documents.", "everywhere"),
    Action("sample", "f3", "sample notes", "Index the sample notes that come with ark-tui.", "everywhere"),
    Action("messages", "f4", "messages", "Show the messages so far.", "everywhere"),
    Action("reload", "f5", "reload", "Check all folders for changes and show what is new.", "everywhere"),
    Action("repair", "f10", "repair", "Check the home and repair its indexes.", "everywhere"),
    Action("settings", "0,alt+0", "settings", "See and change the settings.", "everywhere"),
    Action("theme", "f6", "theme", "Choose a color theme.", "everywhere"),
    Action("export", "ctrl+e", "export report", "Write a report as Markdown, HTML, JSON or Parquet.",
           "everywhere"),
    Action("stop", "f8", "stop", "Stop the selected job. Finished work is kept.", "everywhere"),
    Action("pause", "f9", "pause", "Pause or resume the selected job.", "everywhere"),
    Action("maximise", "z", "maximize", "Maximize this part, or restore it.", "everywhere"),
    Action("back", "escape", "back", "Go one step back.", "everywhere"),
    Action("focus_next", "tab", "next part", "Go to the next part of the screen.", "everywhere", True),
    Action("focus_previous", "shift+tab", "previous part", "Go to the previous part.", "everywhere"),
    Action("help", "f1,question_mark", "help", "Show the keys that work here.", "app", True),
    Action("command_palette", "ctrl+p", "palette", "Find any action by name.", "app", True, priority=True),
    Action("copy_selection", "ctrl+c", "copy selection", "Copy the text selected with the mouse.", "app"),
    Action("quit", "ctrl+q", "quit", "Quit ark-tui.", "app", priority=True),
    Action("next", "right", "next", "Go to the next item without deciding.", "queue", True),
    Action("previous", "left", "previous", "Go to the previous item.", "queue"),
    Action("undo", "u", "undo", "Undo the last decision.", "queue", True),
    Action("redo", "ctrl+r", "redo", "Redo the last undone decision.", "queue"),
    Action("down", "j,down", "down", "Scroll both texts one line down.", "queue"),
    Action("up", "k,up", "up", "Scroll both texts one line up.", "queue"),
    Action("page_down", "pagedown,ctrl+d,space", "page down", "Scroll both texts down.", "queue"),
    Action("page_up", "pageup,ctrl+u", "page up", "Scroll both texts up.", "queue"),
    Action("open", "enter", "merge", "Merge: keep the selected document, move the others to the trash.",
           "merge", True),
    Action("other", "right,tab", "other text", "Show the next document that would go.", "merge", True),
    Action("less", "left,h", "less", "Move the slider one step down.", "lab", True),
    Action("more", "right,l", "more", "Move the slider one step up.", "lab", True),
    Action("much_less", "shift+left,H", "much less", "Move the slider five steps down.", "lab"),
    Action("much_more", "shift+right,L", "much more", "Move the slider five steps up.", "lab"),
    Action("reset", "0", "reset", "Reset the slider.", "lab", True),
    Action("undo", "u", "undo", "Undo the last move.", "lab", True),
    Action("save", "W", "save", "Save the weights as a profile.", "lab", True),
    Action("save", "f9,ctrl+s", "save", "Save the note.", "note", True),
    Action("where", "ctrl+t", "store or inbox", "Save it in the store, or as a file in the inbox.", "note",
           True),
    Action("close", "escape,q", "close", "Close this window.", "dialog", True),
)  # fmt: skip

SYNONYMS: dict[str, str] = {
    "app.help": "shortcut shortcuts keys keyboard hotkeys bindings commands manual documentation",
    "app.quit": "exit close leave",
    "collections.narrow": "filter folder",
    "collections.remove": "delete folder unindex",
    "collections.rename": "name folder",
    "curation.forget": "delete erase",
    "curation.correct": "edit change fix",
    "curation.link": "connect relate relation reference",
    "curation.merge": "duplicates dedupe combine",
    "curation.note": "capture add create write jot",
    "curation.pin": "favorite star bookmark",
    "curation.queue": "duplicates cleanup maintenance contradictions",
    "curation.redo": "again",
    "curation.tag": "label category keyword",
    "curation.tier": "trust quality",
    "curation.trash": "delete remove discard",
    "curation.undo": "revert",
    "documents.order": "order date",
    "everywhere.analysis": "map graph statistics clusters charts",
    "everywhere.export": "print save share html markdown pdf",
    "everywhere.history": "conversations chats log recent past",
    "everywhere.index": "add import open directory path notes",
    "everywhere.library": "collections documents files sources browse trash",
    "everywhere.maximise": "zoom fullscreen enlarge",
    "everywhere.messages": "log errors notifications",
    "everywhere.notebook": "tasks todo scratchpad",
    "everywhere.query": "search find",
    "everywhere.reload": "refresh update sync rescan index again",
    "everywhere.repair": "doctor check fix health rebuild",
    "everywhere.review": "memory memories facts candidates",
    "everywhere.sample": "demo example tutorial",
    "everywhere.settings": "options preferences configuration config model models ollama embedding profile",
    "everywhere.stop": "cancel abort kill",
    "everywhere.theme": "dark light color colors colour appearance",
    "hits.better": "like good upvote judge rate",
    "hits.cite": "cite quote citation reference",
    "hits.copy": "clipboard yank",
    "hits.edit": "open editor vim file change",
    "hits.turn": "explain why score",
    "hits.worse": "dislike bad hide downvote judge",
    "notebook.add": "task todo new create",
    "reader.about": "backlinks similar related info properties metadata",
    "reader.contents": "outline headings toc sections",
    "results.open": "open",
    "search.ask": "question answer chat ai",
    "search.lab": "weights tune ranking sliders",
    "search.save": "store remember bookmark",
    "search.saved": "bookmarks queries",
    "search.why_not": "missing",
    "trash.purge": "delete erase",
    "trash.restore": "recover undelete",
}
"""Synonyms of actions for the search in the palette."""


def of(scope: Scope) -> Iterator[Action]:
    """The actions of a scope, in the order of the table."""
    return (action for action in ACTIONS if action.scope == scope)


def scopes_of(node: object) -> Scopes:
    """The scopes that a part of the screen implements."""
    scopes: Scopes = getattr(node, "SCOPES", ())
    return scopes


def bindings(*scopes: Scope, only: Container[str] | None = None, but: Container[str] = ()) -> Bindings:
    """The Textual bindings of some scopes, for all actions or for some."""
    found = (action for scope in scopes for action in of(scope) if action.name not in but)
    return [_binding(action) for action in found if only is None or action.name in only]


NO_KEY = "no_key"
"""A key that does not exist. Every action is bound to it, too: Textual removes keys that a focused text field
consumes before it applies the keymap, and would drop an action whose only default key is a letter."""

SIGNS = {_character_to_key(sign): sign for sign in " /\\@-+_"}
"""Characters by their Textual key names, where these differ from the Unicode names."""

MODIFIERS = {"ctrl", "alt", "shift", "super", "hyper", "meta"}


@cache
def normal(key: str) -> str:
    """The long name of a key, as in Textual: `slash` for `/`."""
    return _character_to_key(key) if len(key) == 1 else key


@cache
def character(key: str) -> str:
    """The character that a key inserts into a text field; empty if none."""
    written = SIGNS.get(normal(key)) or key_to_character(normal(key))
    return written if written and written.isprintable() else ""


def is_key(key: str) -> bool:
    """Whether a key exists: `y`, `slash`, `f12`, `ctrl+shift+up`."""
    *modifiers, last = key.split("+")
    named = {Key.value for Key in Keys} | {f"f{number}" for number in range(1, 25)}
    return set(modifiers) <= MODIFIERS and (last in named or character(last) != "")


NAMED_KEYS = {
    "enter": "⏎", "escape": "esc", "question_mark": "?", "slash": "/", "down": "↓", "up": "↑",
    "left": "←", "right": "→", "pagedown": "pgdn", "pageup": "pgup", "space": "space", "plus": "+",
    "minus": "-", "upper_n": "N", "full_stop": ".", "comma": ",", "left_square_bracket": "[",
    "right_square_bracket": "]",
}  # fmt: skip


def display(key: str) -> str:
    """The display form of a key: `^p`, `F1`, `⏎`."""
    if key in NAMED_KEYS:
        return NAMED_KEYS[key]
    *modifiers, last = key.split("+")
    if last.startswith("upper_"):
        last = last.removeprefix("upper_").upper()
    last = character(last) or last
    if len(last) > 1 and last[0] == "f" and last[1:].isdigit():
        last = last.upper()
    return "".join("^" if modifier == "ctrl" else f"{modifier}+" for modifier in modifiers) + last


def displayed(action: Action, separator: str = " ") -> str:
    """The display form of all keys of an action."""
    return separator.join(display(key) for key in action.all_keys) or "no key"


def key_list(actions: Iterable[Action] = ACTIONS) -> str:
    """The keys as a Markdown page."""
    actions = tuple(actions)
    rows = ["# Keys of the workbench", "", "Written by `make manual`; the keys as they are shipped.", ""]
    rows += ["| where | key | what it does | name in `keymap` |", "|---|---|---|---|"]
    for scope, title in SCOPE_TITLES.items():
        for action in (one for one in actions if one.scope == scope):
            keys = ", ".join(f"`{display(key)}`" for key in action.all_keys)
            rows.append(f"| {title} | {keys} | {action.help} | `{action.id}` |")
    return "\n".join(rows) + "\n"


NAMED = {one.id: one for one in ACTIONS}

DONE_BY = {
    "config": "everywhere.settings",
    "doc list": "everywhere.library",
    "doctor": "everywhere.repair",
    "index": "everywhere.index",
    "eval judge": "hits.better",
    "models": "everywhere.settings",
    "models list": "everywhere.settings",
    "doc note": "curation.note",
    "doc purge": "trash.purge",
    "doc queue": "curation.queue",
    "saved add": "search.save",
    "saved delete": "search.edit-saved",
    "history searches": "everywhere.history",
    "status": "everywhere.library",
    "doc tag": "curation.tag",
    "doc trash": "curation.trash",
    "doc restore": "trash.restore",
}
"""By command: the workbench action that does the same or leads to it."""


def worded(text: str, key: Callable[[str], str]) -> str:
    """A sentence with the commands of its hint as keys. Commands without a key stay as in a terminal."""

    def step(one: Step) -> str:
        action = DONE_BY.get(one.name)
        return f"{key(action)} ({NAMED[action].label})" if action else one.typed

    return text.worded(step) if isinstance(text, Hint) else text


def _binding(action: Action) -> Binding:
    return Binding(
        f"{action.keys},{NO_KEY}",
        action.name,
        action.label,
        show=action.footer,
        priority=action.priority,
        id=action.id,
    )

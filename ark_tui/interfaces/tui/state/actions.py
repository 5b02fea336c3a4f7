"""Every action of the workbench, once: bindings, footer, palette, help and README come from here.

To add one: a line in `ACTIONS`, and a method `action_<name>` on the widget of its scope.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from textual.binding import Binding, BindingType
from textual.keys import Keys, _character_to_key, key_to_character

from ark_tui.domain import plugins

Scope = Literal[
    "app", "everywhere", "query", "terms", "search", "hits", "curation", "results", "reader",
    "why", "facts", "move", "library", "collections", "listed", "documents", "left_out", "trash",
    "notebook", "history", "ask", "saved", "analysis", "settings", "note", "queue", "merge", "remedies",
    "lab", "dialog", "review", "filter",
]  # fmt: skip
"""Where an action works: the part of the screen that has to be focused, or to hold what is focused."""

Scopes = tuple[Scope, ...]
"""What a part of the screen carries out; it says so in its class variable `SCOPES`."""

Bindings = list[BindingType]
"""The keys of a part of the screen, in its class variable `BINDINGS`."""

SCOPE_TITLES: dict[Scope, str] = {
    "query": "Query line", "terms": "Further terms", "results": "Results", "reader": "Reader",
    "why": "Why here",
    "facts": "About a document", "collections": "Collections", "listed": "Lists of documents",
    "documents": "All documents", "left_out": "Left out", "trash": "Trash", "hits": "Hits",
    "curation": "Curation", "search": "Search", "library": "Library", "notebook": "Notebook",
    "history": "History", "ask": "Ask", "saved": "Saved searches", "analysis": "Analysis",
    "settings": "Settings", "move": "Lists and readers", "everywhere": "Everywhere", "app": "Program",
    "note": "Writing a note", "queue": "Curation queue", "merge": "Merging", "remedies": "Why not",
    "lab": "Ranking lab", "dialog": "Dialogs", "review": "Review", "filter": "Filter of documents",
}  # fmt: skip

CHAINS: tuple[tuple[Scope, ...], ...] = (
    ("query", "search", "everywhere", "app"),
    ("terms", "search", "everywhere", "app"),
    ("results", "move", "hits", "curation", "search", "everywhere", "app"),
    ("why", "move", "hits", "curation", "search", "everywhere", "app"),
    ("collections", "move", "library", "curation", "everywhere", "app"),
    ("listed", "documents", "move", "library", "curation", "everywhere", "app"),
    ("filter", "library", "curation", "everywhere", "app"),
    ("left_out", "move", "library", "curation", "everywhere", "app"),
    ("trash", "move", "library", "curation", "everywhere", "app"),
    ("reader", "move", "hits", "curation", "search", "everywhere", "app"),
    ("reader", "move", "hits", "curation", "dialog", "app"),
    ("reader", "move", "library", "curation", "everywhere", "app"),
    ("move", "notebook", "everywhere", "app"),
    ("move", "history", "everywhere", "app"),
    ("move", "analysis", "everywhere", "app"),
    ("move", "settings", "everywhere", "app"),
    ("move", "review", "everywhere", "app"),
    ("facts", "move", "dialog", "app"),
    ("note", "dialog", "app"),
    ("move", "ask", "dialog", "app"),
    ("move", "saved", "dialog", "app"),
    ("queue", "dialog", "app"),
    ("move", "merge", "dialog", "app"),
    ("move", "lab", "dialog", "app"),
    ("move", "remedies", "dialog", "app"),
)
"""Scopes that are alive at the same time, from the focus outwards."""


class PaneEntry(NamedTuple):
    """A pane: where one comes by its key, and the scopes that are in it."""

    about: str
    scopes: Scopes


PANES: dict[str, PaneEntry] = {
    "search": PaneEntry(
        "To the search pane.", ("query", "terms", "search", "hits", "curation", "results", "reader", "why")
    ),
    "library": PaneEntry(
        "To the library: what there is, and what wants looking after.",
        ("library", "collections", "listed", "documents", "filter", "left_out", "trash"),
    ),
    "notebook": PaneEntry("To the notebook: scratchpad and tasks.", ("notebook",)),
    "history": PaneEntry("To the history: conversations and searches.", ("history",)),
    "analysis": PaneEntry("To the analysis: the shape of the corpus.", ("analysis",)),
    "settings": PaneEntry("To the settings: what is set, from where, and why.", ("settings",)),
    "review": PaneEntry("To the review: what a model proposes to know.", ("review",)),
}
"""The panes in their order, which their keys follow. To add one: a line here and the class `<Name>Pane` in a
module of its name, with its rules in `DEFAULT_CSS` or in a stylesheet beside it. Those of plugins stand
last, as far as there are digits."""

PLUGGED = {
    name: plugin
    for name, plugin in list(plugins.of("panes").items())[: 9 - len(PANES)]
    if name.isidentifier() and name not in PANES
}
PANES |= {name: PaneEntry(f"To the pane {name} of {one.package}.", ()) for name, one in PLUGGED.items()}

PANE_OF: dict[Scope, str] = {scope: pane for pane, entry in PANES.items() for scope in entry.scopes}
"""The pane that a scope is in."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do. `keys` are separated by commas; the first one is shown."""

    name: str
    keys: str
    label: str
    help: str
    scope: Scope
    footer: bool = False
    priority: bool = False  # also before a focused text field

    @property
    def id(self) -> str:
        """The name under which `keymap` in config.toml gives it another key."""
        return f"{self.scope}.{self.name.replace('_', '-')}"

    @property
    def all_keys(self) -> tuple[str, ...]:
        return tuple(key.strip() for key in self.keys.split(",") if key.strip())


ACTIONS: tuple[Action, ...] = (
    # -- query line
    Action("run", "enter", "search", "Search with the words as they stand, and go to the results.", "query",
           True),
    Action("leave", "down", "results", "Go down to the results.", "query", True),
    # -- terms
    Action("switch", "space,enter", "on/off", "Leave the term out, or use it again.", "terms", True),
    Action("left", "left,h", "left", "To the term before.", "terms"),
    Action("right", "right,l", "right", "To the next term.", "terms"),
    # -- results
    Action("open", "enter", "open", "Open the hit in the reader.", "results", True),
    # -- why a hit is here
    Action("open", "enter", "open passage", "Open the passage that a part of the score comes from.", "why",
           True),
    # -- search pane
    Action("below", "F,f7", "low confidence", "Show or hide low-confidence results.", "search"),
    Action("suggestion", "ctrl+t", "take suggestion", "Replace a word that is in no document.", "search"),
    Action("terms", "ctrl+g", "further terms", "To the terms that the search has added.", "search"),
    Action("expand", "ctrl+l", "expand", "Search with terms from the chat model, too.", "search"),
    Action("superseded", "s", "superseded", "List documents, too, that others have superseded, or not.",
           "search"),
    Action("ask", "A,f12", "ask", "Ask a question: an answer with its sources, or the sources.", "search",
           True),
    Action("saved", "at,ctrl+n", "saved searches", "The searches that are saved under a name.", "search",
           True),
    Action("save", "W", "save search", "Save this search under a name.", "search"),
    Action("lab", "L", "ranking lab", "Change the weights of the profile and see what they do.", "search"),
    Action("why_not", "X,alt+x", "why not", "Ask why a document that you expected is not listed.", "search",
           True),
    # -- curation
    Action("mark", "space", "mark", "Mark it, or take the mark off; keys act on all marked.", "curation",
           True),
    Action("tag", "t", "tag", "Give tags, or take them off.", "curation", True),
    Action("trash", "x", "trash", "Put it into the trash; its file is not touched.", "curation", True),
    Action("undo", "u", "undo", "Take the last edit back, whoever made it.", "curation", True),
    Action("pin", "p", "pin", "Pin it, or take the pin out.", "curation", True),
    Action("link", "l", "link", "Link it to another document.", "curation", True),
    Action("merge", "m", "merge", "Merge the marked ones, or its duplicates; you see both and who stays.",
           "curation", True),
    Action("note", "a", "note", "Write a note, into the store or the inbox.", "curation", True),
    Action("queue", "Q", "queue", "What wants attention, one thing at a time.", "curation", True),
    Action("tier", "r", "tier", "Say how far it can be trusted: its tier.", "curation"),
    Action("rename_tag", "number_sign", "rename tag", "Give a tag another name wherever it is.", "curation"),
    Action("supersede", "S", "supersede", "Say which document has taken its place.", "curation"),
    Action("contradict", "C", "contradict", "Say which document it contradicts.", "curation"),
    Action("redo", "ctrl+r", "redo", "Do again what was undone last.", "curation"),
    Action("correct", "E", "correct", "Say what is so instead of a memory, which is retired.", "curation"),
    Action("forget", "Z", "forget", "Forget memories for good, after saying what goes.", "curation"),
    # -- hits
    Action("next_match", "n", "next match", "Next match in the document.", "hits"),
    Action("previous_match", "N", "previous match", "Previous match in the document.", "hits"),
    Action("turn", "w", "why/text", "Turn between the document and why it is here.", "hits", True),
    Action("density", "v", "lines", "Three lines for each hit, two, or one.", "hits"),
    Action("copy", "y", "copy", "Copy the passage that matched.", "hits", True),
    Action("cite", "Y", "copy + source", "Copy the passage with its source.", "hits"),
    Action("copy_path", "ctrl+y", "copy path", "Copy the path of the document.", "hits"),
    Action("edit", "e", "edit", "Open the document in your editor, at the line; a PDF at its page.", "hits"),
    Action("better", "plus", "relevant", "It answers the query; once more: it is the best answer.", "hits"),
    Action("worse", "minus", "not relevant", "It does not answer the query.", "hits"),
    # -- reader
    Action("form", "M", "rendered/raw", "Markdown rendered, or as it is written.", "reader"),
    Action("follow", "enter", "follow", "Follow the chosen link.", "reader", True),
    Action("next_link", "full_stop", "next link", "To the next link.", "reader"),
    Action("previous_link", "comma", "previous link", "To the link before.", "reader"),
    Action("links", "f", "links", "List the links, to follow one.", "reader"),
    Action("contents", "c", "contents", "List headings, or symbols of a program, to go to one.", "reader",
           True),
    Action("about", "i", "about", "What links here, what is like it, and what is known of it.", "reader",
           True),
    Action("backward", "left_square_bracket,backspace", "back", "Back to where the link was followed.",
           "reader"),
    Action("forward", "right_square_bracket", "forward", "Forward again.", "reader"),
    # -- what is known of a document
    Action("open", "enter", "open", "Open what is under the cursor.", "facts", True),
    Action("next_section", "tab", "next section", "To the next section.", "facts", True),
    Action("previous_section", "shift+tab", "section before", "To the section before.", "facts"),
    # -- library
    Action("next_view", "right,v", "next view", "To the next view of the library.", "library"),
    Action("previous_view", "left,V", "previous view", "Back to the view before.", "library"),
    Action("again", "R", "read again", "Read again what is under the cursor: a collection, a file.",
           "library", True),
    Action("all_again", "A", "read all again",
           "Read every collection again, or every file that failed or is stale.", "library"),
    Action("edit", "e", "edit", "Open the file under the cursor in your editor.", "library"),
    Action("copy_path", "y", "copy path", "Copy the path of what is under the cursor.", "library"),
    Action("open", "enter", "documents", "List the documents of the collection.", "collections", True),
    Action("narrow", "i", "search", "Search in the collection under the cursor.", "collections", True),
    Action("rename", "c", "rename", "Give the collection another name.", "collections", True),
    Action("remove", "D", "remove", "Remove the collection; its files are not touched.", "collections",
           True),
    Action("open", "enter", "read", "Read the document under the cursor.", "listed", True),
    Action("filter", "f", "filter", "Keep the documents with some words.", "documents", True),
    Action("order", "O", "order", "Sort by title, by date or by path.", "documents", True),
    Action("take", "enter,down", "to the list", "Go to the documents that have the words.", "filter", True),
    Action("open", "enter", "try again", "Read the file again.", "left_out", True),
    Action("open", "enter", "read", "Read what is in the trash.", "trash", True),
    Action("restore", "b", "bring back", "Bring it back, or all that are marked.", "trash", True),
    Action("purge", "D", "purge", "Delete what is in the trash for good.", "trash", True),
    # -- notebook
    Action("add", "a", "add", "Add a task, or a value to the scratchpad, where the focus is.", "notebook",
           True),
    Action("edit", "e,enter", "edit", "Change what is under the cursor.", "notebook", True),
    Action("done", "space", "done", "Tick the task off, or take it up again.", "notebook", True),
    Action("delete", "x", "delete", "Delete what is under the cursor.", "notebook", True),
    Action("undo", "u", "undo", "Take back what was done here last.", "notebook", True),
    Action("done_ones", "v", "done tasks", "Show the tasks that are done, or not.", "notebook"),
    # -- history
    Action("next_view", "right,v", "next view", "Turn to searches, or back to conversations.", "history"),
    Action("previous_view", "left,V", "previous view", "Back to the view before.", "history"),
    Action("open", "enter", "open", "Read the messages, compare the search with today, open a document.",
           "history", True),
    Action("again", "R", "run again", "Run the search under the cursor again, in the search pane.",
           "history"),
    Action("copy", "y", "copy", "Copy the retrieval id, the id of the conversation, or the message.",
           "history", True),
    Action("find", "f", "find", "Find messages or searches.", "history", True),
    Action("delete", "x", "delete", "Delete the conversation under the cursor, after asking.", "history"),
    # -- asking
    Action("open", "enter", "read", "Read the source under the cursor, at its lines.", "ask", True),
    Action("copy", "y", "copy", "Copy the answer with its sources.", "ask", True),
    # -- saved searches
    Action("open", "enter", "run", "Run the saved search under the cursor.", "saved", True),
    Action("add", "a", "add", "Save the present search under a name.", "saved", True),
    Action("rename", "r", "rename", "Give it another name.", "saved", True),
    Action("delete", "x", "delete", "Delete it.", "saved", True),
    Action("undo", "u", "undo", "Take the last edit back, whoever made it.", "saved", True),
    # -- analysis
    Action("open", "enter", "open", "Read the document, or take the measure.", "analysis", True),
    Action("closer", "plus", "closer", "Lay a lens on the map and list what is under it.", "analysis"),
    Action("farther", "minus", "farther", "See more of the map.", "analysis"),
    Action("everything", "A", "measure all", "Take all measures, while you do something else.", "analysis"),
    Action("cancel", "x", "cancel", "Stop measuring; what is finished is kept.", "analysis", True),
    # -- settings
    Action("change", "enter", "change", "Choose, or change, what is under the cursor.", "settings", True),
    Action("edit", "e", "config.toml", "Open config.toml in your editor, at the setting.", "settings", True),
    Action("reread", "R", "read again", "Read config.toml again.", "settings"),
    # -- review
    Action("accept", "a,enter", "accept", "Accept the candidate: it becomes an item of its kind.", "review",
           True),
    Action("edit", "e", "change", "Accept it with other words.", "review", True),
    Action("merge", "m", "merge", "Say that a known item says the same.", "review"),
    Action("reject", "x", "reject", "Reject it; it is not proposed again.", "review", True),
    Action("later", "s", "later", "Put it behind all others.", "review", True),
    Action("undo", "u", "undo", "Take the last decision back.", "review", True),
    # -- why not
    Action("open", "enter", "do it", "Do what is under the cursor: it would bring the document up.",
           "remedies", True),
    # -- movement
    Action("row_down", "j,down", "down", "One row down.", "move"),
    Action("row_up", "k,up", "up", "One row up.", "move"),
    Action("first", "g,home", "top", "To the first row.", "move"),
    Action("last", "G,end", "bottom", "To the last row.", "move"),
    Action("half_down", "ctrl+d", "half page down", "Half a page down.", "move"),
    Action("half_up", "ctrl+u", "half page up", "Half a page up.", "move"),
    Action("page_down", "pagedown", "page down", "One page down.", "move"),
    Action("page_up", "pageup", "page up", "One page up.", "move"),
    # -- everywhere
    Action("query", "/,ctrl+f", "query", "To the query line.", "everywhere", True),
    *(
        Action(pane, f"{number},alt+{number}", pane.capitalize(), entry.about, "everywhere")
        for number, (pane, entry) in enumerate(PANES.items(), 1)
    ),
    Action("index", "f2", "index a folder", "Choose a folder and index its documents.", "everywhere"),
    Action("sample", "f3", "sample notes", "Index the sample notes that come with ark-tui.", "everywhere"),
    Action("messages", "f4", "messages", "The messages so far.", "everywhere"),
    Action("reload", "f5", "reload", "Look again: at the folders, too; open what failed.", "everywhere"),
    Action("repair", "f10", "repair", "Check the home and repair its indexes.", "everywhere"),
    Action("theme", "f6", "theme", "Choose a color theme.", "everywhere"),
    Action("stop", "f8", "stop", "Stop the work in the row; what is finished is kept.", "everywhere"),
    Action("pause", "f9", "pause", "Pause or resume the work in the row.", "everywhere"),
    Action("jump", "ctrl+o", "jump", "Jump to any part of the screen by a letter.", "everywhere"),
    Action("maximise", "z", "maximise", "Give the whole window to this part, or take it back.", "everywhere"),
    Action("larger", "greater_than_sign", "larger", "Give this part of the pane more room.", "everywhere"),
    Action("smaller", "less_than_sign", "smaller", "Give this part of the pane less room.", "everywhere"),
    Action("back", "escape", "back", "One step back, within the pane: document, marks, query.", "everywhere"),
    Action("focus_next", "tab", "next part", "To the next part of the screen.", "everywhere", True),
    Action("focus_previous", "shift+tab", "previous part", "To the part before.", "everywhere"),
    # -- program
    Action("help", "f1,question_mark", "help", "What the keys do here.", "app", True),
    Action("command_palette", "ctrl+p", "palette", "Every action, by name.", "app", True, priority=True),
    Action("copy_selection", "ctrl+c", "copy selection", "Copy what is selected with the mouse.", "app"),
    Action("quit", "ctrl+q", "quit", "Leave ark-tui.", "app", priority=True),
    # -- curation queue
    Action("next", "right", "next", "To the next item, without deciding.", "queue", True),
    Action("previous", "left", "previous", "To the item before.", "queue"),
    Action("undo", "u", "undo", "Take the last decision back.", "queue", True),
    Action("redo", "ctrl+r", "redo", "Do again what was undone last.", "queue"),
    Action("unfound", "f", "unfound", "Look for documents that no search brings back.", "queue"),
    Action("down", "j,down", "down", "Both texts one line down.", "queue"),
    Action("up", "k,up", "up", "Both texts one line up.", "queue"),
    Action("page_down", "pagedown,ctrl+d,space", "page down", "Both texts further down.", "queue"),
    Action("page_up", "pageup,ctrl+u", "page up", "Both texts further up.", "queue"),
    # -- merging
    Action("open", "enter", "merge", "Merge: the one under the cursor stays, the others go.", "merge", True),
    Action("other", "right,tab", "other text", "Show the text of the next one that goes.", "merge", True),
    # -- ranking lab
    Action("less", "left,h", "less", "Move the slider one step down.", "lab", True),
    Action("more", "right,l", "more", "Move the slider one step up.", "lab", True),
    Action("much_less", "shift+left,H", "much less", "Move the slider five steps down.", "lab"),
    Action("much_more", "shift+right,L", "much more", "Move the slider five steps up.", "lab"),
    Action("reset", "0", "as it was", "Put the slider back to where it stood.", "lab", True),
    Action("undo", "u", "undo", "Take the last move back.", "lab", True),
    Action("save", "W", "keep", "Keep the sliders as a profile of your own.", "lab", True),
    # -- writing a note
    Action("save", "f9,ctrl+s", "save", "Save the note.", "note", True),
    Action("where", "ctrl+t", "store or inbox", "Save it into the store, or as a file.", "note", True),
    # -- dialogs
    Action("close", "escape,q", "close", "Close without doing anything.", "dialog", True),
)  # fmt: skip


def of(scope: Scope) -> Iterator[Action]:
    """The actions of a scope, in the order of the table."""
    return (action for action in ACTIONS if action.scope == scope)


def scopes_of(node: object) -> Scopes:
    """The scopes whose actions a part of the screen carries out."""
    scopes: Scopes = getattr(node, "SCOPES", ())
    return scopes


def bindings(*scopes: Scope, only: Container[str] | None = None, but: Container[str] = ()) -> Bindings:
    """The Textual bindings of some scopes, for who carries them out: of all actions, or of some."""
    found = (action for scope in scopes for action in of(scope) if action.name not in but)
    return [_binding(action) for action in found if only is None or action.name in only]


NO_KEY = "no_key"
"""A key that no keyboard has. Every action is bound to it, too: Textual leaves out what a focused text field
would take before it looks into the keymap, and would lose an action whose only shipped key is a letter."""

SIGNS = {_character_to_key(sign): sign for sign in " /\\@-+_"}
"""Characters by their keys, whose names are not those of Unicode."""

MODIFIERS = {"ctrl", "alt", "shift", "super", "hyper", "meta"}


@cache
def normal(key: str) -> str:
    """A key by its long name, as Textual has it: `slash` for `/`."""
    return _character_to_key(key) if len(key) == 1 else key


@cache
def character(key: str) -> str:
    """What a key writes into a text field; nothing where it writes nothing."""
    written = SIGNS.get(normal(key)) or key_to_character(normal(key))
    return written if written and written.isprintable() else ""


def is_key(key: str) -> bool:
    """Whether there is such a key: `y`, `slash`, `f12`, `ctrl+shift+up`."""
    *modifiers, last = key.split("+")
    named = {Key.value for Key in Keys} | {f"f{number}" for number in range(1, 25)}
    return set(modifiers) <= MODIFIERS and (last in named or character(last) != "")


def clashes(actions: Iterable[Action] = ACTIONS) -> list[str]:
    """Keys that two actions share where both are alive, as sentences."""
    actions = tuple(actions)
    found: dict[str, None] = {}
    for chain in CHAINS:
        taken: dict[str, Action] = {}
        for action in (one for scope in chain for one in actions if one.scope == scope):
            for key in action.all_keys:
                other = taken.setdefault(normal(key), action)
                if other is not action:
                    found[f"{display(key)} is both {other.id} and {action.id}"] = None
    return list(found)


NAMED_KEYS = {
    "enter": "⏎", "escape": "esc", "question_mark": "?", "slash": "/", "down": "↓", "up": "↑",
    "left": "←", "right": "→", "pagedown": "pgdn", "pageup": "pgup", "space": "space", "plus": "+",
    "minus": "-", "upper_n": "N", "full_stop": ".", "comma": ",", "left_square_bracket": "[",
    "right_square_bracket": "]",
}  # fmt: skip


def display(key: str) -> str:
    """A key as people write it: `^p`, `F1`, `⏎`."""
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
    """All keys of an action, as people write them."""
    return separator.join(display(key) for key in action.all_keys) or "no key"


def key_list(actions: Iterable[Action] = ACTIONS) -> str:
    """The keys as a page of Markdown."""
    actions = tuple(actions)
    rows = ["# Keys of the workbench", "", "Written by `make manual`; the keys as they are shipped.", ""]
    rows += ["| where | key | what it does | name in `keymap` |", "|---|---|---|---|"]
    for scope, title in SCOPE_TITLES.items():
        for action in (one for one in actions if one.scope == scope):
            keys = ", ".join(f"`{display(key)}`" for key in action.all_keys)
            rows.append(f"| {title} | {keys} | {action.help} | `{action.id}` |")
    return "\n".join(rows) + "\n"


def _binding(action: Action) -> Binding:
    return Binding(
        f"{action.keys},{NO_KEY}",
        action.name,
        action.label,
        show=action.footer,
        priority=action.priority,
        tooltip=action.help,
        id=action.id,
    )

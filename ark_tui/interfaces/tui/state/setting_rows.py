"""The rows of the settings pane: each setting with value, origin and description."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ark_tui.domain.errors import ConfigError
from ark_tui.domain.models import ModelInfo, Models, ModelState
from ark_tui.domain.profile import Profile
from ark_tui.domain.secrets import MASK, masked
from ark_tui.domain.wording import counted, rate
from ark_tui.interfaces.tui.state import actions, configured
from ark_tui.interfaces.tui.state.keymap import Keymap
from ark_tui.interfaces.tui.state.session import Choices
from ark_tui.settings import Settings, secrets
from ark_tui.settings.config import COMMAND_LINE, CONFIG, DEFAULT, OPTIONS

Tone = Literal["plain", "here", "wrong", "head"]
Change = Literal["", "theme", "profile", "model", "writer", "own_profile"]

HERE = "chosen here"
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Row:
    """A row: a setting, model, profile or key. Its texts are plain and contain no secrets."""

    name: str
    value: str
    origin: str = ""  # in one or two words
    about: str = ""
    more: tuple[tuple[str, str], ...] = ()  # other facts, by name
    path: tuple[str, ...] = ()  # the line in config.toml
    change: Change = ""  # the effect of enter
    argument: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Known:
    """The data from which rows are made."""

    settings: Settings
    keymap: Keymap
    remembered: Choices
    theme: str  # the current theme
    profile: str  # chosen here; empty: from the settings
    faults: tuple[str, ...]
    models: Models | None = None
    models_problem: str = ""
    in_use: str = ""  # the profile of a plain search


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a heading."""

    name: str
    about: str
    rows: Callable[[Known], Iterator[Row]]
    options: tuple[str, ...] = ()


def _of(*options: str) -> Callable[[Known], Iterator[Row]]:
    def rows(known: Known) -> Iterator[Row]:
        return (option(known, name) for name in options)

    return rows


def option(known: Known, name: str) -> Row:
    """The row of a plain setting."""
    settings, found = known.settings, OPTIONS[name]
    variables = (("environment", " or ".join(found.variables)),) if found.variables else ()
    return Row(
        name,
        shown(settings.values[name]),
        origin(settings, name),
        found.about,
        (*_place(settings, name), *variables),
        (name,),
    )


def origin(settings: Settings, name: str) -> str:
    """The origin of a setting, in one or two words."""
    found = settings.origin(name)
    if found in {CONFIG, DEFAULT, COMMAND_LINE}:
        return "config.toml" if found == CONFIG else found
    return f"${found}" if found.isupper() or "_" in found else found


def _place(settings: Settings, name: str) -> tuple[tuple[str, str], ...]:
    if settings.origin(name) != CONFIG:
        return ()
    return (("set in", f"{configured.tilde(settings.home.config)}:{settings.lines.get(name, 1)}"),)


def shown(value: object) -> str:
    """The display form of a value. Values that look like API keys are masked."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return masked(", ".join(str(one) for one in value))[0] or "none"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return f"{value:g}"
    return masked(str(value))[0] or "none"


def _wrong(known: Known) -> Iterator[Row]:
    for fault in known.faults:
        place, colon, said = masked(fault)[0].partition(": ")
        if not colon or not place.startswith(str(known.settings.home.config)):
            place, said = "", f"{place}{colon}{said}"
        line = place.rpartition(":")[2]
        where = (("set in", configured.tilde(place)),) if place else ()
        name = f"line {line}" if place else "environment"
        yield Row(name, said, about=said, more=where, path=("", line) if place else (), tone="wrong")


def _look(known: Known) -> Iterator[Row]:
    settings, remembered = known.settings, known.remembered

    here = remembered.theme and not configured.fixed(settings, "theme")
    source = HERE if here else origin(settings, "theme")
    yield replace(option(known, "theme"), value=known.theme, origin=source, change="theme")
    yield option(known, "blink")


SERVED = (
    "embedding", "model_hub", "ollama_host", "embedding_url", "embedding_dims", "openrouter",
    "embedding_timeout", "query_budget", "auto_minutes", "keep_alive", "chat_model", "allow_remote", "expand",
    "expand_budget", "rerank_budget", "think_timeout",
)  # fmt: skip


def _models(known: Known) -> Iterator[Row]:
    if known.models is None:
        said = known.models_problem or "loading …"
        yield Row("models", said, "", "The embedding models.")
    else:
        for model in known.models.models:
            yield _model(model)
        yield Row(
            "ollama",
            known.models.server_problem or "answers",
            configured.tilde(known.models.server),
            "The server of models on this machine, or where OLLAMA_HOST says.",
            path=("ollama_host",),
            tone="plain",
        )
        if known.models.better:
            yield Row(
                "better",
                known.models.better,
                "at hand",
                f"{known.models.slow[:1].upper()}{known.models.slow[1:]}."
                if known.models.slow
                else "An installed model that finds more than the static one. Press enter to use it.",
                change="model",
                argument=known.models.better,
            )
    yield from _of(*SERVED)(known)
    for name, about in secrets.NAMES.items():
        yield _key(known.settings, name, about)


MODEL_STATES: dict[ModelState, str] = {
    "in use": "Searches use it.",
    "being built": "Its vectors are being built; searches use them when complete. Press enter to continue.",
    "kept": "Its vectors are still stored: switching back is quick.",
    "at hand": "Available. Its vectors are built in the background and then replace those in use.",
}


WRITES = "A chat model of Ollama. `chat_model` names the one that expands queries and answers questions."


def _model(model: ModelInfo) -> Row:
    facts: list[str] = [model.state]
    facts += [f"for {model.purpose}"] if model.purpose else []
    facts += [f"sent to {model.host}"] if model.host else []
    facts += ["chosen"] if model.purpose == "writing" and model.taken else []
    facts += [f"{model.dims} dimensions"] if model.dims else []
    facts += [f"{model.bytes / MEGABYTE:.1f} MB"] if model.bytes else []
    facts += [f"{counted(model.waiting, 'change')} behind"] if model.waiting else []
    facts += [model.problem] if model.problem else []
    here = model.state == "in use"
    writes = model.purpose == "writing" and not model.host
    unfit = model.state == "at hand" and bool(model.host)
    known = {
        "fingerprint": model.fingerprint,
        "size": f"{model.size / MEGABYTE:,.0f} MB" if model.size else "",
        "context": f"{model.context:,} tokens" if model.context else "",
        "runs on": model.runs,
        "embeds": rate(model.pace) if model.pace else "",
        "taken": model.taken,
    }
    return Row(
        model.name,
        " · ".join(facts),
        about=WRITES if model.purpose == "writing" and not here else MODEL_STATES[model.state],
        more=tuple((name, value) for name, value in known.items() if value),
        path=("chat_model",) if model.purpose == "writing" else ("embedding",),
        change="" if here or unfit else "writer" if writes else "model",
        argument=model.name.partition(":")[2] if writes else model.name,
        tone="here" if here else "plain",
    )


def _key(settings: Settings, name: str, about: str) -> Row:
    try:
        found = secrets.origin(name, settings.home)
    except ConfigError as error:
        return Row(name, error.what, "", f"{about} {error.hint}", tone="wrong")
    where = {
        "environment": f"${name}",
        secrets.FILE: configured.tilde(settings.home.path / secrets.FILE),
    }.get(found, "")
    more = (("kept", "in the environment, or in the file `keys` of the home; never shown, stored or logged"),)
    return Row(name, MASK if found else "none", where, about, more)


def _ranking(known: Known) -> Iterator[Row]:
    settings = known.settings
    for profile in settings.profiles.values():
        yield _profile(known, profile)
    chosen = option(known, "profile")
    if known.profile:
        chosen = replace(chosen, value=known.profile, origin=HERE, change="own_profile")
    yield chosen
    yield option(known, "decay")


def _profile(known: Known, profile: Profile) -> Row:
    own = profile.name in known.settings.own_profiles
    here = profile.name == (known.profile or known.in_use)
    weights = sorted(profile.weights.items(), key=lambda item: -abs(item[1]))
    more = [
        ("weights", "  ".join(f"{name}={weight:g}" for name, weight in weights if weight)),
        ("fusion", f"{profile.fusion}, k {profile.k:g}" if profile.fusion == "rrf" else profile.fusion),
        ("decay", f"to {profile.decay.floor:g}" if profile.decay else "none"),
        ("mmr", f"{profile.mmr:g}" if profile.mmr < 1 else "off"),
    ]
    about = profile.about or "A profile of your own."
    state = f"in use, {HERE}" if known.profile else "in use"
    return Row(
        profile.name,
        f"{state} · {about}" if here else about,
        "config.toml" if own else "shipped",
        about,
        tuple(more),
        ("profiles", profile.name) if own else ("profile",),
        "profile",
        profile.name,
        "here" if here else "plain",
    )


def _keys(known: Known) -> Iterator[Row]:
    troubled = {trouble.action: trouble.what for trouble in known.keymap.troubles}
    shipped = {action.id: action for action in actions.ACTIONS}
    for scope, title in actions.SCOPE_TITLES.items():
        for action in (one for one in known.keymap.actions if one.scope == scope):
            trouble = troubled.get(action.id, "")
            changed = action.keys != shipped[action.id].keys
            was = (("shipped", actions.displayed(shipped[action.id], ", ")),) if changed else ()
            yield Row(
                f"{title}: {action.label}",
                actions.displayed(action),
                "config.toml"
                if action.id in known.keymap.own
                else "taken by another"
                if changed
                else DEFAULT,
                f"{action.help} {trouble}".strip(),
                (("name", action.id), *was),
                ("keymap", action.id),
                tone="wrong" if trouble or not action.all_keys else "plain",
            )


INDEXING = (
    "watch", "ignore", "gitignore", "agent_folders", "strategy", "max_tokens", "max_bytes", "dedup", "inbox",
)  # fmt: skip
MEMORY = (
    "agent_id", "session_id", "project_id", "working_hours", "episodic_days", "consolidate",
    "consolidate_tokens", "consolidate_minutes",
)  # fmt: skip
PROGRAM = ("editor", "viewer", "lease_timeout", "keep_open", "url", "index")


def _folders(known: Known) -> Iterator[Row]:
    settings = known.settings
    about = "What `ark-tui index` indexes: from the command line, ARK_DIRS, config.toml or ./thoughts."
    source = origin(settings, "roots") if settings.roots else DEFAULT
    more = _place(settings, "roots")
    if not settings.roots:
        yield Row("roots", "none", source, about, more, ("roots",))
    for root in settings.roots:
        missing = "" if root.path.is_dir() else " · not there"
        yield Row(
            "root",
            f"{configured.tilde(root.path)}{f' as {root.name}' if root.name else ''}{missing}",
            source,
            about,
            more,
            ("roots",),
            tone="wrong" if missing else "plain",
        )
    yield from _of(*INDEXING)(known)


def _program(known: Known) -> Iterator[Row]:
    home = known.settings.home
    yield Row("home", configured.tilde(home.path), "", "The home folder: --home, else ARK_HOME, else ~/.ark.")
    there = "there" if home.config.exists() else "not there yet"
    yield Row("config.toml", configured.tilde(home.config), there, "Your settings, as text.", path=("",))
    for name, about in {
        "store": "Documents, your edits and memory. `ark-tui backup` copies it.",
        "backups": "Copies of the store that you made.",
        "logs": "Unexpected errors.",
    }.items():
        yield Row(name, configured.tilde(getattr(home, name)), "", about)
    yield from _of(*PROGRAM)(known)


SECTIONS: tuple[Section, ...] = (
    Section("Wrong", "Settings that cannot be used. All others apply.", _wrong),
    Section("Screen", "How the workbench looks.", _look, ("theme", "blink")),
    Section("Models", "The models for embeddings and answers.", _models, SERVED),
    Section("Ranking", "Profiles with the weights of the signals.", _ranking, ("profile", "decay")),
    Section("Keys", "Every action and its key.", _keys, ("keymap",)),
    Section("Folders", "Which folders are indexed, and how.", _folders, INDEXING),
    Section("Memory", "Whose memory is used, and for how long.", _of(*MEMORY), MEMORY),
    Section("Program", "Where ark-tui keeps its files.", _program, PROGRAM),
)


def sections(known: Known) -> tuple[Section, ...]:
    """The sections that have rows."""
    return tuple(one for one in SECTIONS if one.name != "Wrong" or known.faults)

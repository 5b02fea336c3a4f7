"""The settings as choices of a picker, with value, origin and description; and what enter does on them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui import operations
from ark_tui.domain.errors import ArkError, ConfigError
from ark_tui.domain.models import ModelInfo, Models, ModelState
from ark_tui.domain.profile import Profile
from ark_tui.domain.secrets import MASK, masked
from ark_tui.domain.wording import counted, rate
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.configured import fixed, tilde
from ark_tui.interfaces.tui.state.messages import ProfileChosen, SettingsRead, WorkAsked
from ark_tui.interfaces.tui.state.names import Choice, Names, closeness
from ark_tui.settings import Settings, editing, secrets, template
from ark_tui.settings.config import COMMAND_LINE, CONFIG, DEFAULT, OPTIONS

if TYPE_CHECKING:
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

MEGABYTE = 1 << 20

ABOUT = 0.4
"""Score factor of a match in a value or description, relative to the name."""

WRONG, MODELS = "Not usable", "Models"
"""Groups: errors in the settings; models and their settings."""

GROUPS: dict[str, tuple[str, ...]] = {
    "Screen": ("theme", "blink", "keymap"),
    "Ranking": ("profile", "decay"),
    "Folders": (
        "watch", "ignore", "gitignore", "agent_folders", "strategy", "max_tokens", "max_bytes", "dedup",
        "inbox",
    ),
    "Memory": (
        "agent_id", "session_id", "project_id", "working_hours", "episodic_days", "consolidate",
        "consolidate_tokens", "consolidate_minutes",
    ),
    "Program": ("editor", "viewer", "lease_timeout", "keep_open", "url", "index"),
    MODELS: (
        "embedding", "model_hub", "ollama_host", "embedding_url", "embedding_dims", "openrouter",
        "embedding_timeout", "query_budget", "auto_minutes", "keep_alive", "chat_model", "allow_remote",
        "expand", "expand_budget", "rerank_budget", "think_timeout",
    ),
}  # fmt: skip
"""The settings of each group, in order."""

MODEL_STATES: dict[ModelState, str] = {
    "in use": "Searches use it.",
    "being built": "Its vectors are being built; searches use them when complete. Press enter to continue.",
    "kept": "Its vectors are still stored: switching back is quick.",
    "at hand": "Available. Its vectors are built in the background and then replace those in use.",
}

HERE = "chosen here"
BETTER = "An installed model that finds more than the static one. Press enter to use it."
ROOTS = "What `ark-tui index` indexes: from the command line, ARK_DIRS, config.toml or ./thoughts."
KEY_FILE = "Kept in the environment, or in the file `keys` of the home; never shown, stored or logged."
WRITES = "A chat model of Ollama. `chat_model` names the one that expands queries and answers questions."


class SettingNames(Names):
    """All settings. The name of a choice says what enter does: `profile:ark`, `config:blink`, `line:10`."""

    hint = "name, value or what it does"
    does = "change"
    looks = slow = True

    def __init__(self, context: PaneContext, theme: str, faults: tuple[str, ...]) -> None:
        """`theme`: the current one. `faults`: errors in the settings, as far as the screen knows them."""
        super().__init__()
        self._context, self._theme, self._faults = context, theme, faults

    def read(self, client: Client) -> Sequence[Choice]:
        """Load all settings, but not the models, whose server may be slow."""
        settings = self._context.settings
        self.known = [
            *_wrong(settings, self._faults),
            *self._screen(),
            *self._profiles(client),
            *self._options("Ranking"),
            *_roots(settings),
            *self._options("Folders"),
            *self._options("Memory"),
            *_files(settings),
            *self._options("Program"),
            *self._options(MODELS),
            *(_key(settings, name, about) for name, about in secrets.NAMES.items()),
        ]
        return self.known

    def read_more(self, client: Client) -> Sequence[Choice]:
        """Load the available models after everything else. May take as long as a server timeout."""
        try:
            return [*self.known, *_models(client.call(operations.corpus.list_models))]
        except ArkError as error:
            return [*self.known, Choice("models", "", "", error.what, "not available", MODELS)]

    def score(self, typed: str, choice: Choice) -> float:
        words = closeness(typed, f"{choice.label} {choice.about} {choice.preview}") * ABOUT
        return max(closeness(typed, choice.label), words)

    def _options(self, group: str) -> Iterator[Choice]:
        return (option(self._context.settings, name, group) for name in GROUPS[group] if name != "theme")

    def _screen(self) -> Iterator[Choice]:
        settings = self._context.settings
        here = self._context.remembered.theme and not fixed(settings, "theme")
        source = HERE if here else origin(settings, "theme")
        about = f"{self._theme} · {source}"
        yield option(settings, "theme", "Screen")._replace(about=about, name="theme:")
        yield from self._options("Screen")

    def _profiles(self, client: Client) -> Iterator[Choice]:
        """The profiles. The one of the settings ends the choice of another one."""
        try:
            in_use = client.call(operations.workbench.profile)
        except ArkError:
            in_use = ""
        chosen = self._context.profile
        for one in self._context.settings.profiles.values():
            state = "in use" if one.name == (chosen or in_use) else ""
            state = f"{state}, {HERE}" if state and chosen else state
            name = "" if one.name == in_use else one.name
            origin = CONFIG_FILE if one.name in self._context.settings.own_profiles else "shipped"
            about = f"{one.about or 'A profile of your own.'}\n{_weights(one)}"
            yield Choice(one.name, origin, f"profile:{name}", about, state, "Ranking")


def option(settings: Settings, name: str, group: str) -> Choice:
    """The choice of a plain setting, which enter opens in config.toml."""
    found, source = OPTIONS[name], origin(settings, name)
    place = f"{tilde(settings.home.config)}:{settings.lines.get(name, 1)}" if source == CONFIG_FILE else ""
    facts = _facts(value=shown(settings.values[name]), environment=" or ".join(found.variables), place=place)
    return Choice(
        name,
        f"{shown(settings.values[name])} · {source}",
        f"config:{name}",
        f"{found.about}\n{facts}",
        "",
        group,
    )


CONFIG_FILE = "config.toml"


def origin(settings: Settings, name: str) -> str:
    """The origin of a setting, in one or two words."""
    found = settings.origin(name)
    if found in {CONFIG, DEFAULT, COMMAND_LINE}:
        return CONFIG_FILE if found == CONFIG else found
    return f"${found}" if found.isupper() or "_" in found else found


def shown(value: object) -> str:
    """The display form of a value. Values that look like API keys are masked."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return masked(", ".join(str(one) for one in value))[0] or "none"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else "none"
    if isinstance(value, float):
        return f"{value:g}"
    return masked(str(value))[0] or "none"


def _facts(**facts: str) -> str:
    """Facts that are known, by name."""
    return " · ".join(f"{name}: {value}" for name, value in facts.items() if value)


def _wrong(settings: Settings, faults: tuple[str, ...]) -> Iterator[Choice]:
    """Errors in the settings, each with its line."""
    for fault in faults:
        place, colon, said = masked(fault)[0].partition(": ")
        if colon and place.startswith(str(settings.home.config)):
            line = place.rpartition(":")[2]
            yield Choice(f"line {line}", "", f"line:{line}", said, said, WRONG)
        else:
            yield Choice("environment", "", "line:1", f"{place}{colon}{said}", f"{place}{colon}{said}", WRONG)


def _weights(profile: Profile) -> str:
    weights = sorted(profile.weights.items(), key=lambda item: -abs(item[1]))
    return _facts(
        weights="  ".join(f"{name}={weight:g}" for name, weight in weights if weight),
        fusion=f"{profile.fusion}, k {profile.k:g}" if profile.fusion == "rrf" else profile.fusion,
        decay=f"to {profile.decay.floor:g}" if profile.decay else "none",
        mmr=f"{profile.mmr:g}" if profile.mmr < 1 else "off",
    )


def _models(found: Models) -> Iterator[Choice]:
    better = f"{found.slow[:1].upper()}{found.slow[1:]}." if found.slow else BETTER
    for one in found.models:
        choice = _model(one)
        yield choice._replace(preview=better) if one.name == found.better else choice
    server = f"{found.server_problem or 'answers'} · {tilde(found.server)}"
    yield Choice(
        "ollama",
        server,
        "config:ollama_host",
        "The server of models on this machine, or where OLLAMA_HOST says.",
        "",
        MODELS,
    )


def _model(model: ModelInfo) -> Choice:
    writes = model.purpose == "writing"
    facts = [
        f"for {model.purpose}" if model.purpose else "",
        f"sent to {model.host}" if model.host else "",
        "chosen" if writes and model.taken else "",
        f"{model.dims} dimensions" if model.dims else "",
        f"{model.bytes / MEGABYTE:.1f} MB" if model.bytes else "",
        f"{counted(model.waiting, 'change')} behind" if model.waiting else "",
        model.problem,
    ]
    more = {
        "fingerprint": model.fingerprint,
        "size": f"{model.size / MEGABYTE:,.0f} MB" if model.size else "",
        "context": f"{model.context:,} tokens" if model.context else "",
        "runs on": model.runs,
        "embeds": rate(model.pace) if model.pace else "",
        "taken": model.taken,
    }
    here = model.state == "in use"
    if writes and not model.host and not here:
        name = f"writer:{model.name.partition(':')[2]}"
    elif here or (model.state == "at hand" and model.host):
        name = f"config:{'chat_model' if writes else 'embedding'}"
    else:
        name = f"model:{model.name}"
    about = WRITES if writes and not here else MODEL_STATES[model.state]
    return Choice(
        model.name, " · ".join(filter(None, facts)), name, f"{about}\n{_facts(**more)}", model.state, MODELS
    )


def _key(settings: Settings, name: str, about: str) -> Choice:
    """The key of a server. It is never shown."""
    try:
        found = secrets.origin(name, settings.home)
    except ConfigError as error:
        return Choice(name, "", "config:", f"{error.what} {error.hint}", error.what, MODELS)
    where = {"environment": f"${name}", secrets.FILE: tilde(settings.home.path / secrets.FILE)}.get(found, "")
    value = f"{MASK} · {where}" if found else "none"
    return Choice(name, value, "config:", f"{about} {KEY_FILE}", "", MODELS)


def _roots(settings: Settings) -> Iterator[Choice]:
    source = origin(settings, "roots") if settings.roots else DEFAULT
    if not settings.roots:
        yield Choice("roots", f"none · {source}", "config:roots", ROOTS, "", "Folders")
    for root in settings.roots:
        missing = "" if root.path.is_dir() else "not there"
        called = f"{tilde(root.path)}{f' as {root.name}' if root.name else ''}"
        yield Choice("root", f"{called} · {source}", "config:roots", ROOTS, missing, "Folders")


def _files(settings: Settings) -> Iterator[Choice]:
    home = settings.home
    for name, path, about in (
        ("home", home.path, "The home folder: --home, else ARK_HOME, else ~/.ark."),
        (CONFIG_FILE, home.config, "Your settings, as text."),
    ):
        yield Choice(name, tilde(path), "config:", about, "", "Program")


def change(context: PaneContext, choice: Choice) -> None:
    """Do what enter does on a setting."""
    kind, _, name = choice.name.partition(":")
    if kind == "theme":
        context.dialogs.themes()
    elif kind == "profile":
        context.remember(profile=name)
        context.say(strings.PROFILE_CHOSEN.format(name=choice.label))
        context.tell(ProfileChosen())
    elif kind == "model":
        context.tell(WorkAsked("model", name))
    else:
        try:
            (_turn_writer if kind == "writer" else _edit)(context, choice.name)
        except ArkError as error:
            context.say_error(error)


def _turn_writer(context: PaneContext, name: str) -> None:
    """Choose an Ollama model as the chat model, or no longer. Raises `ConfigError`."""
    home, model = context.settings.home, name.partition(":")[2]
    if model == context.settings.chat_model:
        editing.take(home, "chat_model")
    else:
        editing.put(home, "chat_model", model)
    _read_again(context)


def _edit(context: PaneContext, name: str) -> None:
    """Open config.toml at a line or a setting. Raises `ArkError` if it cannot be written."""
    home = context.settings.home
    kind, _, place = name.partition(":")
    if template.ensure(home):
        context.say(strings.CONFIG_WRITTEN.format(path=home.config))
    if kind == "line":
        line = int(place) if place.isdigit() else 1
    else:
        line = template.line(home, (place,)) if place else 1
    if context.edit(home.config, line, ""):
        _read_again(context)


def _read_again(context: PaneContext) -> None:
    before = context.settings
    context.reread()
    same = replace(before, reload=None) == replace(context.settings, reload=None)
    context.say(strings.CONFIG_UNCHANGED if same else strings.CONFIG_READ)
    context.tell(SettingsRead())

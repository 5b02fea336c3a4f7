"""What enter does in the list of settings: change one here, or open config.toml at the setting."""

from __future__ import annotations

from dataclasses import replace

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.context import PaneContext
from ark_tui.interfaces.tui.state.messages import ProfileChosen, SettingsRead, WorkAsked
from ark_tui.interfaces.tui.state.names import Choice
from ark_tui.settings import editing, template


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

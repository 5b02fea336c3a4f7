"""The settings of one home: from command line, environment, `config.toml` or defaults, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ConfigError, Hint
from ark_tui.settings import caller, kinds, lenient, ranking
from ark_tui.settings.caller import FixedClock, SystemClock, moment
from ark_tui.settings.home import Home
from ark_tui.settings.kinds import (
    FLAG,
    MODEL,
    NAME,
    PLACE,
    TABLE,
    TEXT,
    TEXTS,
    Kind,
    Root,
    Unfit,
    address,
    choice,
    number,
    unset,
    whole,
)  # fmt: skip

if TYPE_CHECKING:
    from ark_tui.domain.profile import Profile
    from ark_tui.domain.protocols import Clock

HOME = "ARK_HOME"
NOW = "ARK_NOW"
NO_DECAY = "ARK_NO_DECAY"
NO_EXPANSION = "ARK_NO_LLM_EXPAND"

COMMAND_LINE = "command line"
CONFIG = "config"
DEFAULT = "default"
SERVED = "model"  # the default profile of a corpus with a served model
NOT_SHOWN = "(not shown)"

STRATEGIES = ("auto", "markdown-headers", "code-blocks", "paragraph", "sliding-window", "symbol", "text")
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Option:
    """Metadata of a setting: its kind, its description for the documentation, its environment variables.

    `otherwise`: the effect of an invalid value, for settings that must not fall back to the next source
    because that could name another server.
    """

    kind: Kind
    about: str
    variables: tuple[str, ...] = ()
    otherwise: str = ""


def _setting(
    default: Any, kind: Kind, about: str, variables: tuple[str, ...] = ("",), otherwise: str = ""
) -> Any:
    """A setting with its environment variables; "" stands for `ARK_` and its name."""
    extra = {"option": Option(kind, about, variables, otherwise)}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=extra)
    return field(default=default, metadata=extra)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings, validated. `origins`: the source of each; `warnings`: problems with values."""

    home: Home
    roots: tuple[Root, ...] = ()
    roots_from: str = ""  # for the notice "Using roots from: config"; "" without roots
    ignore: tuple[str, ...] = _setting(
        (), TEXTS, "Patterns, as in a .gitignore, of files to leave out of every root."
    )
    gitignore: bool = _setting(True, FLAG, "Whether files that git ignores are left out.")
    agent_folders: tuple[str, ...] = _setting(
        (), TEXTS, "Folders besides the roots whose files agents may read."
    )
    max_tokens: int = _setting(500, whole(16, 8192), "The longest chunk, in tokens of the embedded model.")
    strategy: str = _setting(
        "auto", choice(*STRATEGIES), "How documents are cut into chunks; auto picks by content."
    )
    max_bytes: int = _setting(32 * MEGABYTE, whole(1, 1 << 40), "Larger files are listed as skipped.")
    dedup: str = _setting(
        "strict",
        choice("strict", "off"),
        "Whether near-duplicates are grouped: strict compares vectors, words and numbers.",
    )
    profile: str = _setting("default", TEXT, "The ranking profile of a plain search.")
    decay: bool = _setting(
        True, FLAG, "Whether profiles rank old documents lower; ARK_NO_DECAY=1 switches it off."
    )
    index: str = _setting(
        "",
        PLACE,
        "Where `export table` publishes if no place is given, and where cluster workers store their results "
        "(s3://, gs://, az://, db://, or a path); empty: nowhere.",
    )
    embedding: str = _setting(
        "auto",
        MODEL,
        "The model of the vectors: auto, static, PROVIDER:MODEL or an address; providers are local, ollama, "
        "openai and openrouter.",
        ("", "EMBEDDING_MODEL"),
    )
    model_hub: str = _setting(
        "",
        address(),
        "The hub from which models are added by name. Nothing else contacts it.",
        ("HF_ENDPOINT",),
    )
    ollama_host: str = _setting(
        "",
        address(bare=True),
        "Where Ollama listens; empty: this machine, port 11434.",
        ("OLLAMA_HOST",),
        otherwise="Ollama is not asked.",
    )
    embedding_url: str = _setting(
        "", address(), "The address of openai:MODEL, if it is not OpenAI's own.", ("EMBEDDING_URL",)
    )
    embedding_dims: int = _setting(
        0, whole(0, 65_536), "Dimensions of the vectors; 0: as many as the model has.", ("EMBEDDING_DIMS",)
    )
    openrouter: str = _setting(
        "", TEXT, "The model of OpenRouter that auto uses if its key is set.", ("OPENROUTER_EMBED_MODEL",)
    )
    embedding_timeout: float = _setting(
        120.0, number(0.1, 3600.0), "Seconds to wait for the vectors of a batch of texts."
    )
    query_budget: float = _setting(
        1.5,
        number(0.01, 600.0),
        "Seconds that a search waits for the vector of its query before it answers without.",
    )
    auto_minutes: float = _setting(
        2.0,
        number(0.0, 100_000.0),
        "Minutes that auto may use to embed a corpus with a server's model; slower models are only named.",
    )
    keep_alive: str = _setting("10m", TEXT, "How long Ollama keeps a model loaded after its last use.")
    expand: bool = _setting(
        True,
        FLAG,
        "Whether vague queries get more terms from the chat model; ARK_NO_LLM_EXPAND=1 switches it off.",
    )
    chat_model: str = _setting(
        "",
        TEXT,
        "The model of Ollama that answers and adds terms to queries; empty: no answers, and terms from the "
        "smallest chat model, only when a search asks for them.",
    )
    allow_remote: bool = _setting(
        False,
        FLAG,
        "Whether a `chat_model` on another machine may be used; it gets queries and texts. Only config.toml "
        "can allow it.",
        (),
    )
    expand_budget: float = _setting(
        3.0,
        number(0.01, 600.0),
        "Seconds that a search waits for terms of the chat model; ten times as long if it asks for them.",
    )
    rerank_budget: float = _setting(
        2.0, number(0.01, 600.0), "Seconds that a re-ranker may read for one search, once it is loaded."
    )
    think_timeout: float = _setting(
        120.0,
        number(0.1, 3600.0),
        "Seconds that `think` waits for the next piece of an answer, and re-ranking for the whole answer of "
        "the chat model.",
    )
    lease_timeout: float = _setting(
        5.0,
        number(0.01, 600.0),
        "Seconds to wait for a locked store without progress; a minute if others are using it.",
    )
    keep_open: float = _setting(
        5.0,
        number(0.0, 100_000.0),
        "Minutes without a client after which the home process ends; 0: when the last client leaves.",
    )
    url: str = _setting("http://127.0.0.1:7070", address(), "Where the server listens.")
    agent_id: str = _setting("default", NAME, "The agent whose memory is used.")
    session_id: str = _setting("default", NAME, "The session of the agent.")
    project_id: str = _setting("", TEXT, "The project; items of other projects are hidden.")
    working_hours: float = _setting(24.0, number(0.0, 1e6), "Hours that searches find messages (layer 1).")
    episodic_days: float = _setting(
        30.0, number(0.0, 36_500.0), "Days that searches find episodes (layer 2)."
    )
    consolidate: bool = _setting(
        True,
        FLAG,
        "Whether the `chat_model` proposes memories from conversations every five minutes, while a "
        "workbench or server is open.",
    )
    consolidate_tokens: int = _setting(50_000, whole(100, 10**9), "Tokens that one such run may use.")
    consolidate_minutes: float = _setting(
        4.0, number(0.01, 10_000.0), "Minutes after which such a run starts nothing more."
    )
    editor: str = _setting("", TEXT, "The command that opens a file to edit.", ("VISUAL", "EDITOR"))
    viewer: str = _setting(
        "",
        TEXT,
        "The command that shows a PDF or an office document, with `{file}` and `{page}`. Empty: the "
        "desktop's program for it.",
    )
    inbox: str = _setting(
        "", TEXT, "The folder for new notes, as Markdown files; empty: notes go into the store."
    )
    theme: str = _setting("textual-dark", TEXT, "The color theme of the workbench.")
    blink: bool = _setting(False, FLAG, "Whether the cursor blinks; this repaints all the time.")
    watch: bool = _setting(
        True,
        FLAG,
        "Whether saved files in the folders of collections are indexed automatically while the home is open.",
    )
    keymap: dict[str, str] = _setting({}, TABLE, "Other keys for the workbench's actions, by action id.", ())  # noqa: RUF009
    profiles: dict[str, Profile] = field(default_factory=ranking.shipped)
    own_profiles: frozenset[str] = frozenset()  # defined or changed in config.toml
    clock: Clock = field(default_factory=SystemClock)
    origins: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)  # line of each key in config.toml
    warnings: tuple[str, ...] = ()
    reload: Callable[[], Settings] | None = field(default=None, repr=False, compare=False)  # from all sources

    @property
    def values(self) -> dict[str, object]:
        """The plain settings by name."""
        return {name: getattr(self, name) for name in OPTIONS}

    def origin(self, name: str) -> str:
        """The source of a setting: `command line`, a variable's name, `config` or `default`."""
        return self.origins.get(name, DEFAULT)

    def ranked_by(self, *, served: bool) -> str:
        """The configured profile; by default, one that depends on whether a served model made the vectors."""
        unset = self.profile == DEFAULT and self.origin("profile") == DEFAULT
        return SERVED if served and unset else self.profile


def _named(name: str, option: Option) -> Option:
    return replace(option, variables=tuple(one or f"ARK_{name.upper()}" for one in option.variables))


OPTIONS: dict[str, Option] = {
    f.name: _named(f.name, f.metadata["option"]) for f in fields(Settings) if "option" in f.metadata
}
KEYS = ("roots", "profiles", *OPTIONS)
"""All top-level keys of config.toml."""

READ = frozenset(
    (
        *(HOME, NOW, NO_DECAY, NO_EXPANSION), *kinds.VARIABLES,
        *(variable for option in OPTIONS.values() for variable in option.variables),
    )
)  # fmt: skip
"""All environment variables with settings."""


def load(
    home: Path | None = None,
    overrides: Mapping[str, object] = MappingProxyType({}),
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Load the settings of a home: the given one, else `ARK_HOME`, else `~/.ark`.

    `overrides`: values from the command line; None means not given. An invalid value in the config file or
    the environment becomes a warning, and the next source applies; on the command line it raises
    `ConfigError`.
    """
    again = partial(load, home, overrides, environ)
    if environ is None:
        environ = caller.environ()
    return replace(_Loading(_home(home, environ), overrides, environ).done(), reload=again)


def default(name: str) -> object:
    """The default value of a setting."""
    found = next(f for f in fields(Settings) if f.name == name)
    return {} if found.default is MISSING else found.default


def _home(given: Path | None, environ: Mapping[str, str]) -> Home:
    named = environ.get(HOME, "")
    text = str(given) if given is not None else "~/.ark" if unset(named) else named
    return Home(kinds.folder(text, caller.folder()))


class _Loading:
    """One run of `load`."""

    def __init__(self, home: Home, overrides: Mapping[str, object], environ: Mapping[str, str]) -> None:
        self.home = home
        self.overrides = {name: value for name, value in overrides.items() if value is not None}
        self.environ = {name: value for name, value in environ.items() if not unset(value)}
        self.file = lenient.read(home.config)
        self.warnings: list[str] = []
        self.origins: dict[str, str] = {}

    def done(self) -> Settings:
        for fault in self.file.faults:
            self.warnings.append(f"{self.home.config}:{fault.line}: left out, {fault.reason}.")
        for key in self.file.values:
            if key not in KEYS:
                self._warn((key,), f"is not a setting{suggestion(key, KEYS)}")
        profiles = self._profiles()
        values = {name: self._value(name, option) for name, option in OPTIONS.items()}
        values["profile"] = self._known_profile(str(values["profile"]), profiles)
        values["decay"] = self._unless(NO_DECAY, "decay", values["decay"])
        values["expand"] = self._unless(NO_EXPANSION, "expand", values["expand"])
        found, source = self._roots()
        return Settings(
            home=self.home,
            roots=found,
            roots_from=source,
            profiles=profiles,
            own_profiles=frozenset(self._tables()) & profiles.keys(),
            clock=self._clock(),
            origins=MappingProxyType({**self.origins, "roots": source or DEFAULT}),
            lines=MappingProxyType({key: self.file.line((key,)) for key in self.file.values}),
            warnings=tuple(self.warnings),
            **values,
        )

    # -- plain values: the first source with a valid value ------------------------------------------

    def _value(self, name: str, option: Option) -> Any:
        for source, value in self._given(name, option):
            if source != COMMAND_LINE and isinstance(value, list) and option.kind.items:
                value = [one for one in value if self._fits(source, name, option.kind, one)]  # noqa: PLW2901
            try:
                good = option.kind.check(value)
            except Unfit as unfit:
                shown = "" if unfit.secret else f", not {kinds.shown(value)}"
                self._refuse(source, name, f"must be {unfit}{shown}", option.otherwise)
                if option.otherwise:
                    self.origins[name] = source
                    return NOT_SHOWN if unfit.secret else str(value)
            else:
                self.origins[name] = source
                return good
        return default(name)

    def _fits(self, source: str, name: str, kind: Kind, item: object) -> bool:
        """Whether an item of a list is valid. An invalid one is left out with a warning."""
        try:
            kind.check([item])
        except Unfit as unfit:
            self._refuse(source, name, f"must be {unfit}, not {kinds.shown(item)}")
            return False
        return True

    def _given(self, name: str, option: Option) -> Iterator[tuple[str, object]]:
        if name in self.overrides:
            yield COMMAND_LINE, self.overrides[name]
        for variable in option.variables:
            if variable in self.environ:
                yield variable, option.kind.read(self.environ[variable])
        value = self.file.values.get(name)
        if value is not None and not (isinstance(value, str) and unset(value)):
            yield CONFIG, value

    def _refuse(self, source: str, name: str, why: str, end: str = "") -> None:
        if source == COMMAND_LINE:
            raise ConfigError(stopped(f"{name} {why}"), Hint.run("config", say="See `{}` for all settings."))
        if source == CONFIG:
            self._warn((name,), why, end)
        else:
            self.warnings.append(f"{source} {_ended(why, end)}")

    def _warn(self, path: tuple[str, ...], why: str, end: str = "") -> None:
        place = f"{self.home.config}:{self.file.line(path)}"
        self.warnings.append(f"{place}: {'.'.join(path)} {_ended(why, end)}")

    # -- values with special rules -------------------------------------------------------------------

    def _profiles(self) -> dict[str, Profile]:
        known = ranking.shipped()
        if not isinstance(self.file.values.get("profiles", {}), dict):
            self._warn(("profiles",), "must be tables such as [profiles.mine]")
        tables = self._tables()
        return known | ranking.own(tables, known, lambda path, why: self._warn(("profiles", *path), why))

    def _tables(self) -> dict[str, object]:
        tables = self.file.values.get("profiles", {})
        return tables if isinstance(tables, dict) else {}

    def _known_profile(self, name: str, profiles: Mapping[str, Profile]) -> str:
        if name in profiles:
            return name
        why = f"cannot be {name}{suggestion(name, profiles)}"
        self._refuse(self.origins["profile"], "profile", why)
        self.origins.pop("profile")
        return str(default("profile"))

    def _unless(self, variable: str, name: str, wanted: bool) -> bool:
        """A flag that a separate variable can turn off."""
        value = self.environ.get(variable)
        if value is None or self.origins.get(name) == COMMAND_LINE:
            return wanted
        off = FLAG.read(value)
        if not isinstance(off, bool):
            self._refuse(variable, "", f"must be 1 or 0, not {value!r}")
        elif off:
            self.origins[name] = variable
            return False
        return wanted

    def _clock(self) -> Clock:
        value = self.environ.get(NOW)
        if value is None:
            return SystemClock()
        try:
            fixed = FixedClock(moment(value))
        except ValueError as error:  # fail, because output meant to be reproducible would not be
            raise ConfigError(
                f"{NOW} must be a time such as 2026-01-01T00:00:00Z, not {value!r}.",
                f"Correct or unset {NOW}.",
            ) from error
        self.origins["now"] = NOW
        return fixed

    def _roots(self) -> tuple[tuple[Root, ...], str]:
        given = self.overrides.get("roots")
        if isinstance(given, list | tuple) and given:
            return tuple(Root(kinds.folder(str(path), caller.folder())) for path in given), COMMAND_LINE
        for variable in kinds.VARIABLES:
            if found := kinds.split(self.environ.get(variable, ""), caller.folder()):
                return found, variable
        if found := self._config_roots():
            return found, CONFIG
        thoughts = caller.folder() / kinds.FALLBACK
        return ((Root(thoughts),), f"./{kinds.FALLBACK}") if thoughts.is_dir() else ((), "")

    def _config_roots(self) -> tuple[Root, ...]:
        if "roots" not in self.file.values:
            return ()
        try:
            return kinds.listed(
                self.file.values["roots"], self.home.path, lambda why: self._warn(("roots",), why)
            )
        except Unfit as unfit:
            self._warn(("roots",), f"must be {unfit}, not {kinds.shown(self.file.values['roots'])}")
            return ()


def suggestion(word: str, among: Mapping[str, object] | tuple[str, ...]) -> str:
    """`; did you mean …?`, or all names if none is similar."""
    return meant(word, among) or f"; there are {', '.join(among)}"


def meant(word: str, among: Iterable[str]) -> str:
    """`; did you mean …?`, or "" if no name is similar."""
    near = get_close_matches(word, [*among], n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _ended(why: str, end: str = "") -> str:
    return f"{stopped(why)} {end or 'It is left out.'}"


def stopped(sentence: str) -> str:
    """A sentence with its full stop, unless it is a question."""
    return sentence if sentence.endswith("?") else f"{sentence}."

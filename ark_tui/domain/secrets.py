"""Mask keys, tokens and passwords, found by pattern, in texts that leave the home."""

from __future__ import annotations

import re
from collections.abc import Iterator

MASK = "•••"
SLICE = 100_000  # characters
SHORTEST = 8  # minimum length of a text with a secret: `a://b:c@`

_BEGINNINGS = {
    "sk-": r"[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic, OpenRouter
    "rk_": r"(?:live|test)_[A-Za-z0-9]{10,}",  # Stripe
    "sk_": r"(?:live|test)_[A-Za-z0-9]{10,}",
    "gh": r"[oprsu]_[A-Za-z0-9]{20,}",
    "github_pat_": r"\w{20,}",
    "glpat-": r"[\w-]{16,}",
    "xox": r"[abeoprs]-[\w-]{10,}",  # Slack
    "AKIA": r"[A-Z0-9]{16}\b",  # AWS
    "ASIA": r"[A-Z0-9]{16}\b",
    "AIza": r"[\w-]{30,}",  # Google
    "hf_": r"[A-Za-z0-9]{20,}",
    "npm_": r"[A-Za-z0-9]{20,}",
    "pypi-": r"[\w-]{20,}",
    "eyJ": r"(?<![\w-]eyJ)[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",  # a JSON web token
}
_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
)
_SHAPED = tuple(re.compile(rf"{start}(?<!\w{start}){rest}") for start, rest in _BEGINNINGS.items())
"""Each starts with literal letters, which `re` finds fast; the preceding text is checked after that."""


def _after(word: str, *before: str) -> str:
    """A pattern for `word` after its first letter; before the word, only one of `before` is allowed."""
    places = "|".join(f"(?<={one}{word})(?<![a-z]{one}{word})" for one in before)
    return rf"(?<={word[0]}){word[1:]}(?:{places})"


_WORDS = "|".join(
    (
        _after("key", "api", "api[_-]", "access", "access[_-]"),
        _after("secret", "") + "(?:[_-]?key)?",
        _after("token", "", "auth", "access", "refresh"),
        _after("passw", "") + "(?:or)?d",
        _after("passphrase", ""),
        _after("pwd", ""),
    )
)
_NAMED = re.compile(
    rf"""(?P<lead>[kstpKSTP](?i:{_WORDS})["']?[ \t]*(?P<sign>:=|=|:)[ \t]*)
         (?:(?P<quote>["'])(?P<quoted>[^"'\n]{{6,}})(?P=quote)|(?P<bare>[^\s"',;)\]}}]{{6,}}))""",
    re.VERBOSE,
)
_BEARER = re.compile(r"(?P<lead>Bearer(?<!\wBearer)[ \t]+)(?P<bare>[A-Za-z0-9._~+/=-]{16,})")
_LOGIN = re.compile(r"(?P<lead>://(?<=\w://)[^\s:/@]{1,80}:)(?P<bare>[^\s@/]+)(?=@)")


def masked(text: str) -> tuple[str, int]:
    """Mask the secrets of a text; return it with their number.

    Detects common key formats, `Bearer …`, logins in URLs, and values after a name such as `password =`. A
    value after a colon must contain a digit, since a colon is common in prose.
    """
    if len(text) < SHORTEST:
        return text, 0
    # with the same number of line breaks, so that line numbers stay valid
    text, count = _KEY.subn(lambda match: MASK + "\n" * match[0].count("\n"), text)
    slices = [_line_masked(slice_) for slice_ in _slices(text)]
    return "".join(slice_ for slice_, _ in slices), count + sum(more for _, more in slices)


def _slices(text: str) -> Iterator[str]:
    """The text in slices of whole lines, so that other threads can run in between."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + SLICE) + 1 or len(text)
        yield text[at:end]
        at = end


def _line_masked(text: str) -> tuple[str, int]:
    """Like `masked`, for secrets within one line."""
    count = 0
    for shape in _SHAPED:
        text, more = shape.subn(MASK, text)
        count += more
    for pattern in (_BEARER, _LOGIN, _NAMED):
        text, more = _hidden(pattern, text)
        count += more
    return text, count


def _hidden(pattern: re.Pattern[str], text: str) -> tuple[str, int]:
    count = 0

    def mask(match: re.Match[str]) -> str:
        nonlocal count
        parts = match.groupdict()
        value = parts.get("quoted") or parts.get("bare") or ""
        prose = parts.get("sign") == ":" and not any(map(str.isdigit, value))
        if prose or MASK in value:
            return match[0]
        count += 1
        quote = parts.get("quote") or ""
        return f"{match['lead']}{quote}{MASK}{quote}"

    return pattern.sub(mask, text), count

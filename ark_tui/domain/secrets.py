"""Keys, tokens and passwords in texts: found by their shape, and hidden where a text leaves the home."""

from __future__ import annotations

import re

MASK = "•••"

_SHAPES = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    r"\bsk-[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic, OpenRouter
    r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}",  # Stripe
    r"\bgh[oprsu]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}",
    r"\bglpat-[\w-]{16,}",
    r"\bxox[abeoprs]-[\w-]{10,}",  # Slack
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",  # AWS
    r"\bAIza[\w-]{30,}",  # Google
    r"\b(?:hf|npm)_[A-Za-z0-9]{20,}|\bpypi-[\w-]{20,}",
    r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",  # a JSON web token
)
_WORDS = (
    r"(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|(?:auth|access|refresh)?[_-]?token"
    r"|pass(?:word|wd|phrase)|pwd)"
)
_NAMED = re.compile(
    rf"""(?P<lead>(?<![A-Za-z]){_WORDS}["']?[ \t]*(?P<sign>=|:|:=)[ \t]*)
         (?:(?P<quote>["'])(?P<quoted>[^"'\n]{{6,}})(?P=quote)|(?P<bare>[^\s"',;)\]}}]{{6,}}))""",
    re.IGNORECASE | re.VERBOSE,
)
_BEARER = re.compile(r"(?P<lead>\bBearer[ \t]+)(?P<bare>[A-Za-z0-9._~+/=-]{16,})")
_LOGIN = re.compile(r"(?P<lead>\b[A-Za-z][\w+.-]*://[^\s:/@]{1,80}:)(?P<bare>[^\s@/]+)(?=@)")
_SHAPED = re.compile("|".join(_SHAPES))


def masked(text: str) -> tuple[str, int]:
    """The text with its secrets masked, and how many there were.

    Known are the shapes of common keys, `Bearer …`, logins in addresses, and what stands behind a name such
    as `password =`; behind a colon only with a digit in it, for that is how people write of passwords.
    """
    found, count = _SHAPED.subn(MASK, text)
    for pattern in (_BEARER, _LOGIN, _NAMED):
        found, more = _hidden(pattern, found)
        count += more
    return found, count


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

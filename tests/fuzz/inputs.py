"""The kept inputs, and endlessly many made out of them.

`corpus/KIND/NAME` is an input as it stands; `NAME.grow` is a long one written short: a JSON list of
`[text, times]`, put together in their order. A lone surrogate in it stands for a byte that is no UTF-8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random

CORPUS = Path(__file__).parent / "corpus"
ANY = "any"  # the kind whose inputs every target gets
GROW = ".grow"
LONGEST = 1 << 16  # bytes of what is made by changing; only a kept input may be longer
BRIEF = 1 << 11  # bytes that nine of ten are made from
MANY = (2, 3, 17, 64, 255, 1000, 4301, 5_000)

TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")
CHARACTERS = ["\ufeff", "\u2028", "\x85", "\u202e", "\u200b", "İ", "é", "🙂", "�", "漢字", "²"]
ODD = [
    *(one.encode("utf-8", "surrogatepass") for one in CHARACTERS),
    *(b"\0", b"\r", b"\r\n", b"\n\n", b"\x1b[2J", b"\xff\xfe", b"\xc3", b"\x80", b"\t", b"   ", b"\\"),
    *(b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"9" * 30, b"9" * 4301, b"0x" + b"f" * 5000, b"9999-99-99"),
    *(b"null", b"true", b"{}", b"[]", b'"\\ud800"', b"\\u0000", b"```", b"---\n", b"<!--", b"/*", b"%%"),
    *(b"../", b'"', b"'"),
]


def seeds(kind: str, factor: float = 1.0) -> dict[str, bytes]:
    """The kept inputs of a kind, and those that everything gets, by `KIND/NAME`; long ones times `factor`."""
    paths = [path for folder in (kind, ANY) for path in sorted((CORPUS / folder).glob("*"))]
    read = ((path, path.read_bytes()) for path in paths)
    return {
        f"{path.parent.name}/{path.name}": grown(data, factor) if path.suffix == GROW else data
        for path, data in read
    }


def grown(data: bytes, factor: float = 1.0) -> bytes:
    """A long input out of its short form; `factor` times as many of what is there more than once."""
    parts = [text * (max(1, int(times * factor)) if times > 1 else times) for text, times in json.loads(data)]
    return "".join(parts).encode("utf-8", "surrogateescape")


def keep(kind: str, data: bytes, folder: Path = CORPUS) -> Path:
    """Put a finding into the corpus: from then on it is tried by every run of the tests."""
    path = folder / kind / f"found-{sha256(data).hexdigest()[:10]}"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(data)
    return path


def made(given: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Endlessly many inputs: one of those given, changed in one to eight places."""
    words = list(dict.fromkeys(word for one in given for word in TOKEN.findall(one[:LONGEST])))
    short = [one for one in given if len(one) <= LONGEST]
    while True:
        data = random.choice(short)
        if len(data) > BRIEF and random.random() < 0.9:  # what is short is tried sooner
            data = data[: BRIEF // 2] + data[-BRIEF // 2 :]
        for _ in range(random.choice((1, 1, 2, 4, 8))):
            data = random.choice(CHANGES)(data, random, [*short, random.choice(words), random.choice(ODD)])
        yield data[:LONGEST]


def smallest(data: bytes, fails: Callable[[bytes], bool], tries: int = 200) -> bytes:
    """An input that still fails and is as short as leaving out halves, quarters and so on can make it."""
    size = len(data) // 2
    while size and tries:
        at, before = 0, len(data)
        while at < len(data) and tries:
            tries -= 1
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data = shorter
            else:
                at += size
        size = size // 2 if len(data) == before else min(size, len(data) // 2)
    return data


def _span(data: bytes, random: Random) -> tuple[int, int]:
    """A stretch between two borders of words, so that what is cut and doubled has some sense."""
    borders = [0, *(match.end() for match in TOKEN.finditer(data[:LONGEST]))]
    start, end = sorted((random.choice(borders), random.choice(borders)))
    return start, min(end, start + random.choice((1, 8, 64, LONGEST)))


def _drop(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    start, end = _span(data, random)
    return data[:start] + data[end:]


def _double(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    start, end = _span(data, random)
    times = min(random.choice(MANY), LONGEST // max(1, end - start))
    return data[:start] + data[start:end] * times + data[end:]


def _insert(data: bytes, random: Random, pool: Sequence[bytes]) -> bytes:
    start, _ = _span(data, random)
    return data[:start] + random.choice(pool[-2:]) + data[start:]


def _replace(data: bytes, random: Random, pool: Sequence[bytes]) -> bytes:
    start, end = _span(data, random)
    return data[:start] + random.choice(pool[-2:]) + data[end:]


def _splice(data: bytes, random: Random, pool: Sequence[bytes]) -> bytes:
    other = random.choice(pool)
    start, _ = _span(data, random)
    begin, end = _span(other, random)
    return data[:start] + other[begin:end] + data[start:]


def _cross(data: bytes, random: Random, pool: Sequence[bytes]) -> bytes:
    other = random.choice(pool)
    return data[: _span(data, random)[0]] + other[_span(other, random)[0] :]


def _flip(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes((data[at] ^ 1 << random.randrange(8),)) + data[at + 1 :]


def _shuffle(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    places = sorted(random.randrange(len(data) + 1) for _ in range(4))
    parts = [data[a:b] for a, b in pairwise([0, *places, len(data)])]
    random.shuffle(parts)
    return b"".join(parts)


CHANGES = (_drop, _double, _insert, _insert, _replace, _replace, _splice, _cross, _flip, _shuffle)

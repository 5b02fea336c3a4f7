"""Exports of other programs in their true shapes, made small; most lie in `samples` as they are written.

ChatGPT: two branches, an image, a hidden message and a tool. Claude: two conversations, one of them
empty, with a tool, an attachment and thinking. Claude Code: a session, a part of it by an agent aside, and
a line that is cut off. Codex: the context that it puts before what the user says, a call and its output.
Slack: two days with a thread, a bot, marks, a file and somebody who joins. Mail: a thread with an answer
in HTML and an attachment, another message, and a quoted From.
"""

from __future__ import annotations

import shutil
from email.message import EmailMessage
from pathlib import Path
from zipfile import ZipFile

SAMPLES = Path(__file__).parent / "samples"


def chatgpt(folder: Path) -> Path:
    return _zip("chatgpt", folder)


def claude(folder: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "claude" / "conversations.json", folder))


def claude_code(folder: Path) -> Path:
    return Path(shutil.copytree(SAMPLES / "claude-code", folder / "projects"))


def codex(folder: Path) -> Path:
    return Path(shutil.copy(next((SAMPLES / "codex").iterdir()), folder))


def slack(folder: Path) -> Path:
    return _zip("slack", folder)


def mail(folder: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "zoo.mbox", folder))


def whatsapp(folder: Path, lines: str = "") -> Path:
    """A text as Android writes it, with a message of two lines, one that is written twice, and a notice."""
    path = folder / "WhatsApp Chat with Zoo (2).txt"
    path.write_text(
        lines
        or (
            "01/05/2024, 09:00 - Messages and calls are end-to-end encrypted.\n"
            "01/05/2024, 09:01 - Ann: Otters at nine\nand at five\n"
            "13/05/2024, 09:02 - Ben: ok\n13/05/2024, 09:02 - Ben: ok\n"
            "13/05/2024, 21:03 - Ann: <Media omitted>\n"
        )
    )
    return path


def _zip(name: str, folder: Path) -> Path:
    """A sample as the archive in which it comes."""
    with ZipFile(folder / f"{name}.zip", "w") as archive:
        for file in sorted((SAMPLES / name).rglob("*.*")):
            archive.write(file, file.relative_to(SAMPLES / name).as_posix())
    return folder / f"{name}.zip"


def letter(name: str, subject: str, id_: str, text: str, hour: int, answers: str = "") -> bytes:
    """A message of mail as programs keep it in a file of its own."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = (
        f"{name} <{name.lower()}@zoo.example>",
        "zoo@zoo.example",
        subject,
    )
    made["Date"], made["Message-ID"] = f"Wed, 01 May 2024 {hour:02}:00:00 +0000", f"<{id_}@zoo.example>"
    if answers:
        made["In-Reply-To"] = made["References"] = f"<{answers}@zoo.example>"
    made.set_content(text)
    return made.as_bytes()


def maildir(folder: Path) -> Path:
    """A Maildir of a thread: its first message is unread, its last among what was sent."""
    files = {
        "new/1714554000.M1P1.vm": letter("Ann", "Gate", "g1", "Is the gate shut?", 9),
        "cur/1714557600.M2P1.vm:2,S": letter("Ben", "Re: Gate", "g2", "Since noon.", 10, "g1"),
        ".Sent/cur/1714561200.M3P1.vm:2,S": letter("Ann", "Re: Gate", "g3", "", 11, "g2"),
    }
    for name, data in files.items():
        path = folder / "Maildir" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "Maildir"


def eml(folder: Path) -> Path:
    """A message alone, as a mail program saves it."""
    path = folder / "hello.eml"
    path.write_bytes(letter("Ann", "Hello", "h1", "The otters are well.", 9).replace(b"\n", b"\r\n"))
    return path

"""A picture on the whole terminal, drawn by a process of its own: a hostile one ends that, and no more.

Where the terminal has pixels (kitty's graphics, sixel; it is asked) they are used, else halves of cells.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
import tempfile
from importlib.util import find_spec

from ark_tui.domain import children
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError

SECONDS = 10.0
"""Of processor time for reading a picture and drawing it."""

MEMORY = 1 << 30
"""Bytes that its process may take."""

PIXELS = 100_000_000
"""Of a picture; one with more is not decoded."""

LARGEST = (4096, 4096)
"""Pixels that are handed to the terminal at most."""

WIDEST = 250
"""Cells: what kitty's protocol counts up to, with a margin."""

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")

ANSWER = re.compile(rb"\x1b\[[?>]?[\d;]*[ct]|\x1b[_P].*?\x1b\\", re.DOTALL)
"""What a terminal says of itself when it is asked: attributes, sizes, graphics. A slow one says it late."""

WHOLE_SCREEN, BACK = "\x1b[?1049h\x1b[H\x1b[?25l", "\x1b[?25h\x1b[?1049l"


def show(name: str, data: bytes) -> None:
    """Draw a picture on the terminal, which has to be free, and wait for a key. Raises `ArkError`."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^c is a key like others, here and there
    try:
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            drawn = children.run_python(
                __name__, str(file.fileno()), name, pass_fds=(file.fileno(),), stderr=children.PIPE
            )
    finally:
        signal.signal(signal.SIGINT, before)
    if drawn.returncode:
        said = drawn.stderr.strip().rpartition("\n")[2]
        if drawn.returncode < 0:
            said = f"its reader died ({signal.Signals(-drawn.returncode).name})"
        raise ArkError(f"{name} cannot be drawn: {said}.", "Open the file with another program.")


def check() -> None:
    """Raises `ArkError` where what draws pictures is not installed."""
    if find_spec("textual_image") is None:
        raise ArkError(
            "Pictures are drawn by an extra of ark-tui.", "pip install 'ark-tui[images]' brings it."
        )


# -- the process itself --------------------------------------------------------------------------------


def main() -> None:
    """Draw the picture behind a descriptor, within the limits."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # whose signal ends the process
    try:
        _draw(int(sys.argv[1]), sys.argv[2])
    except MemoryError:
        sys.exit(f"it takes more than {MEMORY >> 20} MB")
    except Exception as error:  # noqa: BLE001 - of whatever library, about whatever bytes
        sys.exit(f"{type(error).__name__}, {' '.join(str(error).split())[:100]}")


def _draw(descriptor: int, name: str) -> None:
    import termios

    from PIL import Image
    from rich.console import Console

    Image.MAX_IMAGE_PIXELS = PIXELS // 2  # at twice as many it refuses
    with os.fdopen(descriptor, "rb") as file:
        try:
            picture = Image.open(file, formats=FORMATS)
            size = f"{picture.width}×{picture.height}"
            picture.draft("RGB", LARGEST)
            picture.load()
        except (OSError, SyntaxError):  # which is what Pillow calls a damaged file
            sys.exit("it is damaged, or of another kind than its name says")
        except Image.DecompressionBombError:
            sys.exit(f"it has more than {PIXELS:,} pixels")
    picture.thumbnail(LARGEST)
    before, alone = termios.tcgetattr(0), termios.tcgetattr(0)
    alone[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)  # keys one by one, and ^c is one of them
    termios.tcsetattr(0, termios.TCSANOW, alone)
    try:
        from textual_image import renderable  # which asks the terminal

        _write(WHOLE_SCREEN)
        console = Console(width=min(WIDEST, os.get_terminal_size().columns))
        drawn = renderable.Image(picture, "auto", "auto")
        console.print(drawn, height=console.height - 2, end="")
        signal.setitimer(signal.ITIMER_PROF, 0)
        termios.tcflush(0, termios.TCIFLUSH)
        _write(f"\x1b[{console.height}H{visible_line(name)} · {size} · any key goes back")
        while (said := os.read(0, 4096)) and not has_key(said):
            continue
        if isinstance(drawn, renderable.TGPImage):
            drawn.cleanup()
    finally:
        _write(BACK)
        termios.tcsetattr(0, termios.TCSANOW, before)


def has_key(said: bytes) -> bool:
    """Whether a key is among what a terminal has sent: its own answers are none."""
    return bool(ANSWER.sub(b"", said))


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Two machines: network namespaces with addresses of their own, a wire between them, a home at the one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.http.conftest import NOTES

THERE, HERE = "10.213.7.1", "10.213.7.2"


def ip(line: str) -> None:
    subprocess.run(["ip", *line.split()], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[tuple[str, str]]:
    """The namespaces of the machine of the home, and of the person's."""
    if not shutil.which("ip"):
        pytest.skip("`ip`, which makes network namespaces, is not installed.")
    there, here = (f"ark{os.getpid()}{side}" for side in "ab")
    try:
        ip(f"netns add {there}")
    except subprocess.CalledProcessError:
        pytest.skip("Network namespaces may not be made here.")
    try:
        ip(f"netns add {here}")
        ip(f"link add {there} netns {there} type veth peer name {here} netns {here}")
        for host, address in ((there, THERE), (here, HERE)):
            ip(f"-n {host} address add {address}/24 dev {host}")
            ip(f"-n {host} link set {host} up")
        yield there, here
    except subprocess.CalledProcessError as error:
        pytest.skip(f"No wire may be made here: {error.stderr.decode().strip()}.")
    finally:
        for host in (there, here):
            with suppress(subprocess.CalledProcessError):
                ip(f"netns del {host}")


def test_a_command_at_one_machine_searches_the_home_of_another(
    hosts: tuple[str, str], tmp_path: Path
) -> None:
    there, here = hosts
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text, "utf-8")
    ours = [sys.executable, "-m", "ark_tui"]
    home = ["--home", str(tmp_path / "home")]
    subprocess.run([*ours, "index", *home, str(tmp_path / "notes")], check=True, capture_output=True)
    at = ["ip", "netns", "exec"]
    serve = [*at, there, *ours, "serve", *home, "--host", THERE, "--require-token", "--json"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            while server.stdout.readline() not in {"}\n", ""}:
                pass
            token = (tmp_path / "home" / "keys").read_text().split('"')[1]
            environment = os.environ | {"ARK_CONNECT": f"http://{THERE}:7070", "ARK_TOKEN": token}
            environment["ARK_HOME"] = str(tmp_path / "none")
            asked = [*at, here, *ours, "search", "spectral", "gap", "--json"]
            done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert "Spectral gaps" in done.stdout
            ip(f"-n {here} link set {here} down")
            lost = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
            assert lost.returncode == 1
            assert "cannot be reached" in lost.stderr
        finally:
            server.terminate()

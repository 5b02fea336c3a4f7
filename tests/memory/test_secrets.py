"""What looks like a key, a token or a password is masked; what people write about them is not."""

from __future__ import annotations

import pytest

from ark_tui.domain.secrets import MASK, masked

LONG = "0a1B" * 10


@pytest.mark.parametrize(
    "text",
    [
        f"sk-{LONG}",
        f"the key sk-proj-{LONG}.",
        f"ghp_{LONG}",
        f"github_pat_{LONG}",
        f"glpat-{LONG}",
        f"xoxb-{LONG}",
        "AKIA" + "ABCD1234" * 2,
        f"AIza{LONG}",
        f"hf_{LONG}",
        f"pypi-{LONG}",
        f"eyJ{LONG}.eyJ{LONG}.{LONG}",
        f"Authorization: Bearer {LONG}",
        f"postgres://me:{LONG}@host/db",
        f"export API_KEY={LONG}",
        f'"password": "{LONG}"',
        f"token: {LONG}",
        f"secret_key = '{LONG}'",
        f"-----BEGIN RSA PRIVATE KEY-----\n{LONG}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\n{LONG}\nand so on",
    ],
)
def test_secrets_are_masked_by_their_shape_or_their_name(text: str) -> None:
    found, count = masked(f"before {text} after")
    assert LONG[:16] not in found
    assert "ABCD1234" not in found
    assert MASK in found
    assert count == 1
    assert found.startswith("before ")


@pytest.mark.parametrize(
    "text",
    [
        "How a password: reset works, and token: authentication too.",
        "A token is one of the static model's tokenizer; max_tokens = 500.",
        "see https://example.org/a:b@c and user@host",
        "skeleton sk-short, Bearer of news, AKIA",
        "the secret of good bread",
    ],
)
def test_what_only_speaks_of_them_stays(text: str) -> None:
    assert masked(text) == (text, 0)

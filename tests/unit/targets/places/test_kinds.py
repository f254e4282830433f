from __future__ import annotations

import base64
import time

import pytest

from groundwire.targets.places.kinds import KINDS, denied_kind, kind_of

BODY = base64.encodebytes(bytes(range(256)) * 2)


def pem(label: bytes, body: bytes = BODY) -> bytes:
    return b"-----BEGIN " + label + b"-----\n" + body + b"-----END " + label + b"-----\n"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (pem(b"PRIVATE KEY"), "private-key"),
        (b"text before\n" + pem(b"OPENSSH PRIVATE KEY"), "private-key"),
        (pem(b"RSA PRIVATE KEY", b"Proc-Type: 4,ENCRYPTED\n\n" + BODY), "private-key"),
        (pem(b"EC PRIVATE KEY").replace(b"\n", b"\r\n"), "private-key"),
        (b"AGE-SECRET-KEY-1" + b"Q" * 58 + b"\n", "private-key"),
        (b"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "private-key"),
        (b"[default]\naws_secret_access_key = " + b"a" * 40 + b"\n", "cloud-credentials"),
        (b"users:\n- user:\n    client-key-data: " + b"A" * 200 + b"\n", "cloud-credentials"),
        (
            b'{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----"}',
            "cloud-credentials",
        ),
        (b"//registry.example/:_authToken=" + b"x" * 36 + b"\n", "registry-token"),
        (b'{"auths": {"r.example": {"auth": "dXNlcjpwYXNz"}}}', "registry-token"),
        (b"machine h.example login me password secret\n", "login"),
    ],
)
def test_a_secret_is_known_by_its_form(content: bytes, kind: str) -> None:
    assert kind_of(content) == kind
    assert denied_kind(content, KINDS) == kind
    assert denied_kind(content, KINDS - {kind}) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"A file that begins with -----BEGIN PRIVATE KEY----- is a key.\n",
        b"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----\nshort\n-----END PRIVATE KEY-----\n",
        pem(b"PUBLIC KEY"),
        pem(b"CERTIFICATE"),
        b"aws_secret_access_key = <your key>\n",
        b'os.environ["AWS_SECRET_ACCESS_KEY"]\n',
        b"//registry.example/:_authToken=${NPM_TOKEN}\n",
        b"client-key-data: REDACTED\n",
        b'{"auths": {}}',
        b"The machine learning login has no password.\n",
    ],
)
def test_a_text_that_speaks_of_secrets_is_none(content: bytes) -> None:
    assert kind_of(content) is None


def test_a_secret_of_a_kind_that_may_be_shown_hides_none_that_may_not() -> None:
    both = pem(b"PRIVATE KEY") + b"machine h.example login me password secret\n"
    assert denied_kind(both, {"login"}) == "login"
    assert denied_kind(both, {"registry-token"}) is None


BEGINNING = b"-----BEGIN PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("begins", "goes_on"),
    [
        (b"", b"\n"),
        (b"", b"\t \n"),
        (BEGINNING, b"\n"),
        (BEGINNING, b"A" * 41 + b"\n"),
        (BEGINNING, b"A" * 40 + b"\n\n\n\n"),
        (BEGINNING, b"A: \n"),
        (b"-----BEGIN ", b"A "),
        (b"", BEGINNING.strip() + b" " * 40),
        (b"", b'"type":"service_account"'),
        (b"", b'"auths":{'),
        (b'"auths":{', b'"auth":"'),
        (b"", b"machine a\n"),
        (b"", b"aws_secret_access_key=\n"),
        (b"", b":_authToken= "),
    ],
)
def test_no_text_keeps_the_search_busy(begins: bytes, goes_on: bytes) -> None:
    """Measured by how the work grows: four times as much text is not sixteen times the work.

    What is timed is this process's own work, and the least of some tries; a text for which the work
    grew with the square of its length took over a second here, and hours at full length.
    """

    def worked(size: int) -> float:
        content = (begins + goes_on * (size // len(goes_on) + 1))[:size]
        least = float("inf")
        for _ in range(3):
            before = time.process_time()
            assert kind_of(content) is None
            least = min(least, time.process_time() - before)
        return least

    assert worked(1 << 16) < 8 * worked(1 << 14) + 0.02

"""`[[notices]]`: who is given notice; no garbled address and no secret gets into a policy."""

from __future__ import annotations

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.documents.notice import NoticeDeclaration
from groundwire.errors import PolicyError

ONE = '[[notices]]\nurl = "https://sink.example/groundwire"\nsecret_from = "NOTICE_SECRET"\n'


def refusal(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        decode_policy(text, "groundwire.toml")
    return caught.value


def test_without_notices_only_the_recording_has_them() -> None:
    assert decode_policy("", "p").notices == ()


def test_notices_are_read_whole_and_wait_five_seconds_where_nothing_is_said() -> None:
    other = (
        '[[notices]]\nurl = "http://127.0.0.1:8080/x"\nsecret_from = "B"\ntimeout_seconds = 60\n'
    )
    assert decode_policy(ONE + other, "p").notices == (
        NoticeDeclaration(
            url="https://sink.example/groundwire", secret_from="NOTICE_SECRET", timeout_seconds=5
        ),
        NoticeDeclaration(url="http://127.0.0.1:8080/x", secret_from="B", timeout_seconds=60),
    )


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        (ONE.replace("https", "ftp"), "bad-notice-url", 2),
        (ONE.replace("https://sink.example/groundwire", "sink.example"), "bad-notice-url", 2),
        (ONE.replace("https", "http"), "bad-notice-url", 2),
        (ONE.replace("https", "HTTP"), "bad-notice-url", 2),
        (ONE.replace("https://sink.example", "http://127.0.0.1.example"), "bad-notice-url", 2),
        (ONE.replace("https://sink.example", "http://192.168.0.1"), "bad-notice-url", 2),
        (ONE.replace("sink.example", "ada:pass@sink.example"), "bad-notice-url", 2),
        (ONE.replace("groundwire", "x?token=abc"), "bad-notice-url", 2),
        (ONE.replace("NOTICE_SECRET", "0123-hunter2"), "bad-variable-name", 3),
        (ONE.replace('"NOTICE_SECRET"', "7"), "wrong-type", 3),
        (ONE + "timeout_seconds = 0\n", "out-of-range", 4),
        (ONE + "timeout_seconds = 61\n", "out-of-range", 4),
        (ONE + "timeout_seconds = 2.5\n", "wrong-type", 4),
        (ONE + "timeout = 3\n", "unknown-setting", 4),
        (ONE + ONE, "repeated-entry", 5),
        ('[[notices]]\nurl = "https://sink.example/"\n', "missing-setting", 1),
        ('[[notices]]\nsecret_from = "NOTICE_SECRET"\n', "missing-setting", 1),
        ('[notices]\nurl = "https://sink.example/"\n', "wrong-type", 1),
        ("".join(ONE.replace("/groundwire", f"/{n}") for n in range(9)), "out-of-range", 25),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_line(text: str, reason: str, line: int) -> None:
    error = refusal(text)
    assert (error.reason, f"line {line}:" in error.message) == (reason, True), error.message


@pytest.mark.parametrize("host", ["localhost:80", "127.0.0.1", "127.9.9.9:8080", "[::1]:8080"])
def test_plain_http_goes_to_this_machine(host: str) -> None:
    (notice,) = decode_policy(ONE.replace("https://sink.example", f"http://{host}"), "p").notices
    assert notice.url == f"http://{host}/groundwire"


def test_what_may_be_a_secret_is_not_shown() -> None:
    for text in (
        ONE.replace("NOTICE_SECRET", "hunter2-hunter2"),
        ONE.replace("groundwire", "x?token=hunter2"),
        ONE.replace("sink.example", "ada:hunter2@sink.example"),
    ):
        assert "hunter2" not in refusal(text).message

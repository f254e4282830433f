"""Posted notices: one POST to the named address, signed; who acknowledges has the secret."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from pathlib import Path

import pytest

from groundwire.canon.digest import sha256
from groundwire.documents.notice import Delivery, Notice, NoticeDeclaration
from groundwire.stores.posting.notices import (
    ACKNOWLEDGEMENT,
    LEAST_SECRET,
    MOST_BYTES,
    SIGNATURE,
    HttpNotices,
)
from tests.unit.stores.posting.sinks import SECRET, Answer, Got, self_signed, sink_server

NONCE = "0f" * 16
NOW = "2026-03-01T12:00:00.000000Z"
NOTICE = Notice(
    at=NOW, call="gw1:" + "c" * 64, decision="warn", environment="production", operation="deploy",
    receipt="sha256:" + "a" * 64, rules=("careful",), run="run-1", sequence=3,
)  # fmt: skip


def signed(secret: str, data: bytes) -> str:
    """By hand, as the how-to says it."""
    return "sha256=" + hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()


def sink(url: str, secret: str | None = SECRET) -> HttpNotices:
    declared = NoticeDeclaration(url=url, secret_from="NOTICE_SECRET", timeout_seconds=5)
    return HttpNotices(declared, {"NOTICE_SECRET": secret}.get, lambda: NONCE, lambda: NOW)


def acknowledging(got: Got, *, body: bytes = b"ticket 7", secret: str = SECRET) -> Answer:
    nonce = str(got.document["nonce"]).encode()
    return Answer(200, body, {ACKNOWLEDGEMENT: signed(secret, nonce + b"\n" + body)})


def came(delivery: Delivery) -> tuple[str, str, int | None]:
    return delivery.state, delivery.error, delivery.status


def test_a_notice_is_posted_once_as_json_under_an_hmac_of_its_bytes() -> None:
    with sink_server(acknowledging) as server:
        delivery = sink(server.url).deliver(NOTICE)
        (got,) = server.got
    assert (got.path, got.headers["Content-Type"]) == ("/notices", "application/json")
    assert got.headers[SIGNATURE] == signed(SECRET, got.body)
    assert got.document == {
        "kind": "groundwire-notice/1",
        "nonce": NONCE,
        "notice": {
            "at": NOW, "call": NOTICE.call, "decision": "warn", "environment": "production",
            "operation": "deploy", "receipt": NOTICE.receipt, "rules": ["careful"],
            "run": "run-1", "sequence": 3,
        },
    }  # fmt: skip
    assert delivery == Delivery(
        answer=sha256(b"ticket 7"), at=NOW, error="", sink=server.origin, state="acknowledged",
        status=200,
    )  # fmt: skip
    assert SECRET not in repr(delivery)


def test_an_answer_without_an_acknowledgement_only_took_it() -> None:
    with sink_server(Answer(202, b"queued")) as server:
        delivery = sink(server.url).deliver(NOTICE)
    assert came(delivery) == ("sent", "", 202)
    assert delivery.answer == sha256(b"queued")
    with sink_server(Answer(204)) as server:
        assert sink(server.url).deliver(NOTICE).answer == ""


@pytest.mark.parametrize("status", [301, 302, 303, 304, 307, 308, 400, 401, 404, 429, 500, 503])
def test_any_other_status_is_a_failure_and_no_redirect_is_followed(status: int) -> None:
    with sink_server(Answer()) as elsewhere:
        moved = Answer(status, b"", {"Location": elsewhere.url})
        with sink_server(moved) as server:
            assert came(sink(server.url).deliver(NOTICE)) == ("failed", "status", status)
            assert len(server.got) == 1
        assert elsewhere.got == []


def wrong(got: Got, how: str) -> Answer:
    body, nonce = b"ticket 7", str(got.document["nonce"]).encode()
    signatures = {
        "another secret": signed("another secret of somebody", nonce + b"\n" + body),
        "without the nonce": signed(SECRET, body),
        "another nonce": signed(SECRET, b"00" * 16 + b"\n" + body),
        "an answer that was changed": signed(SECRET, nonce + b"\n" + body),
        "another answer": signed(SECRET, nonce + b"\n" + b"ticket 8"),
        "the request's own": got.headers[SIGNATURE],
        "no hex": "sha256=yes",
        "not ascii": "sha256=\xe9",
        "empty": "",
        "true": "true",
        "twice": "sha256=aa, " + signed(SECRET, nonce + b"\n" + body),
    }
    answer = b"ticket 8" if how == "an answer that was changed" else body
    return Answer(200, answer, {ACKNOWLEDGEMENT: signatures[how]})


@pytest.mark.parametrize(
    "how",
    [
        "an answer that was changed", "another secret", "without the nonce", "another nonce", "another answer",
        "the request's own", "no hex", "not ascii", "empty", "true", "twice",
    ],
)  # fmt: skip
def test_a_wrong_acknowledgement_is_a_failure_and_not_merely_none(how: str) -> None:
    with sink_server(lambda got: wrong(got, how)) as server:
        delivery = sink(server.url).deliver(NOTICE)
    assert came(delivery) == ("failed", "acknowledgement-wrong", 200)


def test_an_answer_to_an_earlier_notice_acknowledges_no_later_one() -> None:
    kept: list[Answer] = []

    def replaying(got: Got) -> Answer:
        kept.append(acknowledging(got))
        return kept[0]

    nonces = iter(["01" * 16, "02" * 16])
    with sink_server(replaying) as server:
        declared = NoticeDeclaration(url=server.url, secret_from="S")
        notices = HttpNotices(declared, {"S": SECRET}.get, lambda: next(nonces), lambda: NOW)
        assert notices.deliver(NOTICE).state == "acknowledged"
        assert came(notices.deliver(NOTICE)) == ("failed", "acknowledgement-wrong", 200)


def test_an_answer_is_read_up_to_its_bound_and_no_further() -> None:
    with sink_server(Answer(200, b"x" * MOST_BYTES)) as server:
        assert came(sink(server.url).deliver(NOTICE)) == ("sent", "", 200)
    with sink_server(Answer(200, b"x" * (MOST_BYTES + 1))) as server:
        assert came(sink(server.url).deliver(NOTICE)) == ("failed", "answer-too-large", 200)


@pytest.mark.parametrize("secret", [None, "", "x" * (LEAST_SECRET - 1)])
def test_without_a_secret_nothing_is_sent(secret: str | None) -> None:
    with sink_server(Answer()) as server:
        assert came(sink(server.url, secret).deliver(NOTICE)) == ("failed", "no-secret", None)
        assert server.got == []


def test_a_server_that_is_not_there_or_says_nothing_or_talks_no_http_is_a_failure() -> None:
    assert came(sink("http://127.0.0.1:1/").deliver(NOTICE)) == ("failed", "unreachable", None)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        declared = NoticeDeclaration(
            url=f"http://127.0.0.1:{silent.getsockname()[1]}/", secret_from="S"
        )
        notices = HttpNotices(declared, {"S": SECRET}.get, lambda: NONCE, lambda: NOW)
        notices.timeout = 0.05
        assert came(notices.deliver(NOTICE)) == ("failed", "unreachable", None)


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with sink_server(acknowledging) as server:
        assert sink(server.url).deliver(NOTICE).state == "acknowledged"


def test_a_server_whose_certificate_nobody_vouches_for_is_given_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    own = self_signed(tmp_path / "server.pem")
    with sink_server(acknowledging, tls=own) as server:
        assert server.url.startswith("https://")
        assert came(sink(server.url).deliver(NOTICE)) == ("failed", "unreachable", None)
        assert server.got == []
        monkeypatch.setenv("SSL_CERT_FILE", str(own))  # now it is vouched for
        assert sink(server.url).deliver(NOTICE).state == "acknowledged"
        other = server.url.replace("127.0.0.1", "localhost")  # by another name than its own
        assert came(sink(other).deliver(NOTICE)) == ("failed", "unreachable", None)


def test_what_is_posted_is_the_same_bytes_whatever_reads_it() -> None:
    with sink_server(Answer()) as server:
        sink(server.url).deliver(NOTICE)
        (got,) = server.got
    spelled = json.dumps(got.document, sort_keys=True, separators=(",", ":")).encode()
    assert got.body == spelled

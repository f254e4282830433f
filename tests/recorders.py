"""A recorder for tests: keys from letters, a clock that ticks, salts that count, memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from groundwire.attest.statements import seal_certificate
from groundwire.canon.digest import sha256
from groundwire.canon.dsse import encode_base64
from groundwire.documents.entry import Envelope, RequestEntry, ResponseEntry
from groundwire.documents.split import Split
from groundwire.documents.statement import Certificate
from groundwire.documents.verdict import Head, Verdict
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.keyring import Key, Keyring
from groundwire.keys.run_keys import RunKey, new_run_key
from groundwire.keys.times import format_time
from groundwire.recording.reader import Reader, read
from groundwire.recording.segments.opening import Opening
from groundwire.recording.sink import Sink
from groundwire.recording.writer import Recorder
from groundwire.stores.memory import MemorySink
from groundwire.verify.recording import verify_recording

START = datetime(2026, 5, 4, 10, 20, 30, tzinfo=UTC)
RUN = "run-quay-1"


def seed(name: str) -> bytes:
    return hashlib.sha256(b"a key of the tests: " + name.encode()).digest()


IDENTITY = Ed25519Signer.from_seed(seed("identity"))
STRANGER = Ed25519Signer.from_seed(seed("stranger"))


def key(name: str = "run") -> RunKey:
    return new_run_key(seed(name))


def keyring(*signers: Ed25519Signer) -> Keyring:
    keys = [
        Key(
            comment="made by the tests", compromised_at=None, custody="in-process",
            id=signer.key_id, not_after=None, not_before="2026-01-01T00:00:00.000000Z",
            public_key=encode_base64(signer.public_key), purposes=("recording",),
            retired_at=None, state="active",
        )
        for signer in signers or (IDENTITY,)
    ]  # fmt: skip
    return Keyring(tuple(keys), "the tests")


def certificate(
    run_key: RunKey, run: str = RUN, identity: Ed25519Signer = IDENTITY, begins: datetime = START
) -> Envelope:
    document = Certificate(
        identity=identity.key_id, key=run_key.signer.key_id,
        not_after=format_time(begins + timedelta(days=365)), not_before=format_time(begins),
        public_key=encode_base64(run_key.signer.public_key), run=run,
    )  # fmt: skip
    return seal_certificate(document, identity)


class Clock:
    """A millisecond passes with each look."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


class Salts:
    """Sixteen bytes that never repeat under one name, the same in every test."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.drawn = 0

    def __call__(self) -> bytes:
        self.drawn += 1
        return hashlib.sha256(f"salt {self.name} {self.drawn}".encode()).digest()[:16]


def recorder(sink: Sink, *, run: str = RUN, clock: Clock | None = None, **said: Any) -> Recorder:
    run_key = key(run)
    return Recorder.open(
        opening=Opening(run=run, **said), sink=sink, clock=clock or Clock(), salts=Salts(),
        run_key=run_key.signer, certificate=certificate(run_key, run),
    )  # fmt: skip


def message(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


def raw(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def split_of(
    messages: Sequence[bytes], *, before: bytes = b'{"messages":[', after: bytes = b"]}",
    between: bytes = b",", kept: int = 0, **changes: Any,
) -> Split:  # fmt: skip
    """A body taken apart, made from its pieces."""
    body = before + between.join(messages) + after
    fields: dict[str, Any] = {
        "before": before, "between": between, "after": after, "messages": tuple(messages),
        "kept": kept, "body_digest": sha256(body), "size": len(body), "regular": True,
    }  # fmt: skip
    return Split(**{**fields, **changes})


def body_of(split: Split) -> bytes:
    return split.before + split.between.join(split.messages) + split.after


def request(
    recorder: Recorder, exchange: int, split: Split | None = None, **changes: Any
) -> RequestEntry:
    fields: dict[str, Any] = {
        "exchange": exchange, "lane": 0, "lane_name": None, "lane_reason": "continues",
        "lane_parent": None, "attempt": 0, "composed": None, "provider": "openai-chat",
        "method": "POST", "path": "/v1/chat/completions",
        "headers": [("Content-Type", "application/json")],
        "body": body_of(split) if split else b"{}", "split": split, "frame": None,
        "unreadable": "",
    }  # fmt: skip
    return recorder.request(**{**fields, **changes})


def response(recorder: Recorder, exchange: int, body: bytes, **changes: Any) -> ResponseEntry:
    fields: dict[str, Any] = {
        "exchange": exchange, "lane": 0, "status": 200, "outcome": "complete", "streamed": False,
        "encoding": "identity", "captured": len(body), "captured_digest": sha256(body),
        "body": body, "headers": [("Content-Type", "application/json")], "error": "",
    }  # fmt: skip
    return recorder.response(**{**fields, **changes})


def lines(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    found = [part + b"\n" for part in parts[:-1]]
    return [*found, parts[-1]] if parts[-1] else found


def verdict(
    sink: MemorySink | bytes, *, files: Mapping[str, bytes] | None = None,
    known_head: Head | None = None, notes: Sequence[str] | None = None,
) -> Verdict:  # fmt: skip
    data = sink if isinstance(sink, bytes) else sink.data
    held = files if files is not None else ({} if isinstance(sink, bytes) else sink.files)
    return verify_recording(
        lines(data), keyring(), files=held.get, known_head=known_head, notes=notes
    )


def reader(sink: MemorySink) -> Reader:
    return read(lines(sink.data), sink.files.get)


def texts(sink: MemorySink) -> bytes:
    """Everything that was written anywhere."""
    return b"\n".join([sink.data, *sink.files.values()])

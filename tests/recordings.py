"""A second writer of recordings, made from docs/reference/recording-format.md alone.

It shares no code with the package, so that what the verifier accepts is what the page says and
not what the production writer happens to do. It writes whatever it is told, also what is wrong.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ZERO = "leaf:" + "0" * 64
START = "2026-05-04T10:20:30.000000Z"
FOREVER = "2036-05-04T10:20:30.000000Z"
LARGE = 1_000_000
STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"


def canonical(value: object) -> bytes:
    """RFC 8785 for values without floats and with ASCII keys."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def tagged(domain: str, *parts: bytes) -> str:
    framed = (("groundwire/1/" + domain).encode(), *parts)
    data = b"".join(len(part).to_bytes(8, "big") + part for part in framed)
    return "gw1:" + hashlib.sha256(data).hexdigest()


def digest_of(commitment: str) -> bytes:
    return bytes.fromhex(commitment.partition(":")[2])


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def leaf(line: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + line).digest()


def tree_head(leaves: Sequence[bytes]) -> bytes:
    """RFC 9162 2.1.1, as the text has it: slow, recursive, plain."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    both = tree_head(leaves[:half]) + tree_head(leaves[half:])
    return hashlib.sha256(b"\x01" + both).digest()


def root(leaves: Sequence[bytes]) -> str:
    return "root:" + tree_head(leaves).hex()


class Hand:
    """A key pair from one letter; signs."""

    def __init__(self, letter: str) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(
            hashlib.sha256(b"test key " + letter.encode()).digest()
        )
        self.public = self._private.public_key().public_bytes_raw()
        self.id = "ed25519:" + hashlib.sha256(self.public).hexdigest()
        self.text = base64.b64encode(self.public).decode()

    def envelope(self, payload: bytes, payload_type: str = PAYLOAD_TYPE) -> dict[str, Any]:
        kind = payload_type.encode()
        message = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
        signature = base64.b64encode(self._private.sign(message)).decode()
        return {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": payload_type,
            "signatures": [{"keyid": self.id, "sig": signature}],
        }

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)


IDENTITY = Hand("identity")
STRANGER = Hand("stranger")
RUN_KEY = Hand("run")


def keyring_document(*hands: Hand, **changes: Any) -> bytes:
    """A keyring file that trusts these identities to record."""
    keys = [
        {
            "comment": "made by the tests",
            "compromised_at": None,
            "custody": "in-process",
            "id": hand.id,
            "not_after": None,
            "not_before": "2026-01-01T00:00:00.000000Z",
            "public_key": hand.text,
            "purposes": ["recording"],
            "retired_at": None,
            "state": "active",
            **changes,
        }
        for hand in hands
    ]
    return canonical({"format": "groundwire-keyring/1", "keys": keys}) + b"\n"


def statement(kind: str, predicate: object, name: str, digest: Mapping[str, str]) -> bytes:
    return canonical(
        {
            "_type": STATEMENT,
            "predicate": predicate,
            "predicateType": f"urn:groundwire:{kind}:v1",
            "subject": [{"digest": digest, "name": name}],
        }
    )


@dataclass
class Draft:
    """A segment being written. `raw` are its lines without line feeds, `files` its attachments."""

    run: str = "run-harbour-1"
    segment: int = 0
    identity: Hand = IDENTITY
    key: Hand = RUN_KEY
    raw: list[bytes] = field(default_factory=list)
    leaves: list[bytes] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    named: dict[bytes, str] = field(default_factory=dict)
    waiting: dict[str, bytes] = field(default_factory=dict)
    placed: set[str] = field(default_factory=set)
    frames: dict[int, list[str]] = field(default_factory=dict)
    ticks: int = 0
    salts: int = 0

    # -- contents ------------------------------------------------------------------------------

    def content(self, value: object, salt: bytes | None = None) -> str:
        """The commitment of this text, bytes or list of parts; its line waits for an entry.

        The same content is one content for the whole segment.
        """
        identity = canonical([type(value).__name__, repr(value)])
        if identity in self.named and salt is None:
            return self.named[identity]
        if salt is None:
            self.salts += 1
            salt = hashlib.sha256(f"{self.run} {self.segment} {self.salts}".encode()).digest()[:16]
        form, shown, over = self._form(value)
        commitment = tagged("content", salt, form.encode(), over)
        line = {"@": "content", "commitment": commitment, "salt": salt.hex(), **shown}
        self.named[identity] = commitment
        self.waiting[commitment] = canonical(line)
        return commitment

    def _form(self, value: object) -> tuple[str, dict[str, Any], bytes]:
        if isinstance(value, list):
            return "parts", {"parts": value}, canonical(value)
        data = value.encode() if isinstance(value, str) else value
        assert isinstance(data, bytes)
        if len(data) > LARGE:
            name = sha256(data)
            self.files[name] = data
            over = bytes.fromhex(name[7:]) + len(data).to_bytes(8, "big")
            return "file", {"file": name, "size": len(data)}, over
        try:
            return "text", {"text": data.decode()}, data
        except UnicodeDecodeError:
            return "b64", {"b64": base64.b64encode(data).decode()}, data

    # -- entries -------------------------------------------------------------------------------

    def now(self) -> str:
        moment = datetime.fromisoformat(START) + timedelta(milliseconds=250 * self.ticks)
        return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"

    @property
    def size(self) -> int:
        return len(self.leaves)

    @property
    def head(self) -> str:
        return "leaf:" + self.leaves[-1].hex() if self.leaves else ZERO

    @property
    def root(self) -> str:
        return root(self.leaves)

    def entry(self, kind: str, holds: Mapping[str, object] | None = None, **fields: Any) -> bytes:
        """Writes an entry, its content lines before it. Values in `holds` are contents."""
        commitments = {name: self.content(value) for name, value in (holds or {}).items()}
        document = {
            "@": kind,
            "at": self.now(),
            "holds": commitments,
            "prev": self.head,
            "seq": self.size,
            **fields,
        }
        self.ticks += 1
        order = [*document.get("append", ()), *(each for _, each in document.get("replaced", ()))]
        order += [commitments[name] for name in sorted(commitments)]
        for commitment in order:
            if commitment not in self.placed:
                self.placed.add(commitment)
                if (line := self.waiting.pop(commitment, None)) is not None:
                    self.raw.append(line)
        line = canonical(document)
        self.raw.append(line)
        self.leaves.append(leaf(line))
        return line

    def open(self, **changes: Any) -> Draft:
        fields: dict[str, Any] = {
            "agent": "harbour-watch",
            "format": "groundwire-recording/1",
            "model": "unstated",
            "must_understand": [],
            "on_behalf_of": "unstated",
            "parent": None,
            "pins": {"groundwire": "0.1.0", "python": "3.11.7"},
            "policy": tagged("policy", b"policy"),
            "previous": None,
            "run": self.run,
            "segment": self.segment,
            "source": "wire",
            "toolset": tagged("toolset", b"tools"),
            "trace": None,
            "window": {"since": START, "until": None},
        }
        holds = changes.pop("holds", {"policy": "{}", "tags": '{"team":"docks"}'})
        self.entry("open/1", holds, **{**fields, **changes})
        return self

    def certificate(self, **changes: Any) -> Draft:
        by = changes.pop("by", self.identity)
        predicate = {
            "identity": by.id,
            "key": self.key.id,
            "not_after": FOREVER,
            "not_before": START,
            "public_key": self.key.text,
            "run": self.run,
            **changes,
        }
        subject = {"sha256": hashlib.sha256(self.key.public).hexdigest()}
        payload = statement("certificate", predicate, predicate["run"], subject)
        self.entry("certificate/1", envelope=by.envelope(payload))
        return self

    def checkpoint(self, *, closed: bool = False, **changes: Any) -> Draft:
        by = changes.pop("by", self.key)
        predicate = {
            "at": self.now(),
            "closed": closed,
            "head": self.head,
            "root": self.root,
            "run": self.run,
            "segment": self.segment,
            "size": self.size,
            **changes,
        }
        payload = statement(
            "checkpoint",
            predicate,
            f"{predicate['run']}/{predicate['segment']}",
            {"rfc9162-sha256": predicate["root"][5:]},
        )
        self.entry("checkpoint/1", envelope=by.envelope(payload))
        return self

    def note(self, topic: str = "sdk", text: str = "watched: a client", count: int = 1) -> Draft:
        self.entry("note/1", {"text": text}, topic=topic, count=count)
        return self

    def close(self, *, next_segment: bool = False) -> Draft:
        """`disposition/1`, `close/1` and the closing checkpoint."""
        self.entry("disposition/1", {"rows": "[]", "findings": "[]"}, posture="observe", work=True)
        self.entry(
            "close/1", exchanges=0, findings=0, lateness_us=40, next_segment=next_segment,
            withheld=0,
        )  # fmt: skip
        return self.checkpoint(closed=True)

    def deletion(self, **changes: Any) -> Draft:
        """A line of a run log: a recording was deleted."""
        by = changes.pop("by", self.identity)
        predicate = {
            "at": self.now(),
            "identity": by.id,
            "reason": "kept for 30 days",
            "root": "root:" + "1" * 64,
            "run": "run-a",
            "segment": 0,
            "size": 4,
            **changes,
        }
        digest = {"rfc9162-sha256": predicate["root"][5:]}
        name = f"{predicate['run']}/{predicate['segment']}"
        payload = statement("deletion", predicate, name, digest)
        self.entry("deletion/1", envelope=by.envelope(payload))
        return self

    # -- exchanges -----------------------------------------------------------------------------

    def request(
        self,
        exchange: int,
        body: bytes,
        messages: Sequence[object],
        *,
        parent: int | None = None,
        keep: int = 0,
        replaced: Sequence[tuple[int, object]] = (),
        lane: int = 0,
        shell: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> Draft:
        """`messages` are those appended; `shell` None stands for a body kept whole."""
        append = [self.content(message) for message in messages]
        swapped = [[index, self.content(message)] for index, message in replaced]
        digests = {
            "body": sha256(body),
            "messages": [
                tagged("message", repr(each).encode())
                for each in [*messages, *(message for _, message in replaced)]
            ],
        }
        before = list(self.frames.get(parent, ())) if parent is not None else []
        frame = before[:keep]
        for index, commitment in swapped:
            if index < len(frame):
                frame[index] = commitment
        frame += append
        self.frames[exchange] = frame
        holds: dict[str, object] = {
            "digests": canonical(digests).decode(),
            "headers": '{"content-type":"application/json"}',
        }
        if shell is None:
            holds["whole"] = changes.pop("stands_as", body)
        else:
            holds["shell"] = canonical(shell).decode()
        around = digest_of(self.content(holds["whole" if shell is None else "shell"]))
        context = bytes.fromhex(tagged("context")[4:])
        for commitment in frame if shell is not None else ():
            context = bytes.fromhex(tagged("context", context, digest_of(commitment))[4:])
        chained = (around,) if shell is None else (around, context)
        fields: dict[str, Any] = {
            "append": append,
            "attempt": 1,
            "composed": None,
            "context": "gw1:" + context.hex(),
            "exchange": exchange,
            "frame": tagged("frame", *chained),
            "keep": keep,
            "lane": lane,
            "lane_name": None,
            "lane_parent": None,
            "lane_reason": "extends",
            "method": "POST",
            "parent": parent,
            "path": "/v1/chat/completions",
            "provider": "openai-chat",
            "replaced": swapped,
            "size": len(body),
            "unreadable": "",
            "whole": shell is None,
        }
        self.entry("request/1", holds, **{**fields, **changes})
        return self

    def response(self, exchange: int, body: bytes, **changes: Any) -> Draft:
        digests = {"body": sha256(body), "captured": sha256(body)}
        holds = {"body": body, "digests": canonical(digests).decode(), "headers": "{}"}
        fields = {
            "captured": len(body),
            "encoding": "",
            "exchange": exchange,
            "lane": 0,
            "outcome": "complete",
            "status": 200,
            "streamed": False,
        }
        self.entry("response/1", holds, **{**fields, **changes})
        return self

    # -- redaction -----------------------------------------------------------------------------

    def redacted(self, gone: Iterable[str], **changes: Any) -> Draft:
        """A copy of this closed recording with these contents taken out, by the page."""
        other = copy.deepcopy(self)
        listed = sorted(gone)
        marks = [b'"commitment":"' + each.encode() + b'"' for each in listed]
        other.raw = [
            line
            for line in other.raw
            if not (line.startswith(b'{"@":"content"') and any(mark in line for mark in marks))
        ]
        other.key = changes.pop("key", Hand("redactor's run key"))
        by = changes.pop("by", self.identity)
        other.certificate(by=by)
        predicate = {
            "at": other.now(),
            "commitments": listed,
            "identity": by.id,
            "reason": "asked for by the caller",
            "run": self.run,
            **changes,
        }
        digest = {"sha256": hashlib.sha256(canonical(predicate["commitments"])).hexdigest()}
        payload = statement("redaction", predicate, predicate["run"], digest)
        other.entry("redaction/1", envelope=by.envelope(payload))
        return other.checkpoint(closed=True)

    def next(self) -> Draft:
        """The segment after this one, opened and certified."""
        after = Draft(run=self.run, segment=self.segment + 1, identity=self.identity)
        after.key = Hand(f"run key of segment {after.segment}")
        after.ticks = self.ticks
        previous = {"head": self.head, "root": self.root, "size": self.size}
        return after.open(previous=previous).certificate()

    # -- out -----------------------------------------------------------------------------------

    def data(self) -> bytes:
        return b"".join(line + b"\n" for line in self.raw)

    def commitment_of(self, value: object) -> str:
        return self.named[canonical([type(value).__name__, repr(value)])]


def lines(data: bytes) -> list[bytes]:
    """The file's lines as reading it gives them: each with its line feed, the last maybe without."""
    whole, _, rest = data.rpartition(b"\n")
    found = [line + b"\n" for line in whole.split(b"\n")] if b"\n" in data else []
    return [*found, rest] if rest else found


def body_of(shell: Mapping[str, str], messages: Sequence[str]) -> bytes:
    return (shell["before"] + shell["between"].join(messages) + shell["after"]).encode()


SHELL = {"before": '{"model":"m-1","messages":[', "between": ",", "after": "]}"}
USER = '{"role":"user","content":"Which berth is free? Résumé: ☂"}'
CALL = '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1"}]}'
RESULT = '{"role":"tool","tool_call_id":"call_1","content":"berth 7, \\u00e9tage 2"}'
DROPPED = '{"role":"tool","tool_call_id":"call_1","content":"(trimmed)"}'
ANSWER = b'{"choices":[{"message":{"role":"assistant","content":"Berth 7."}}]}'


def sample(*, large: bool = True, **fields: Any) -> Draft:
    """A small closed recording that has every form of content and most kinds of entry."""
    draft = Draft(**fields).open().certificate()
    draft.entry("declared/1", {"declared": '{"tools":[]}'})
    draft.entry("expected/1", {"tools": '["berths"]'})
    draft.entry("composed/1", {"tools": '["berths"]'}, call=0)
    draft.request(0, body_of(SHELL, [USER]), [USER], shell=SHELL, composed=0)
    draft.response(0, ANSWER)
    draft.checkpoint()
    draft.request(
        1, body_of(SHELL, [USER, CALL, RESULT]), [CALL, RESULT], parent=0, keep=1, shell=SHELL
    )
    draft.response(1, b"\xff\xfe cut", outcome="cut")
    draft.request(
        2, body_of(SHELL, [USER, CALL, DROPPED, USER]), [USER], parent=1, keep=3,
        replaced=[(2, DROPPED)], shell=SHELL,
    )  # fmt: skip
    secret = {"shape": "provider-key", "size": 51, "withheld": tagged("content", b"secret")}
    draft.request(
        3, b"token=" + b"s" * 51, [], lane=1, unreadable="not-json", stands_as=["token=", secret]
    )
    draft.response(2, ANSWER, lane=0)
    draft.checkpoint()
    if large:
        draft.response(3, b'{"pad":"' + b"x" * LARGE + b'"}', lane=1)
    draft.entry("later/3", {"zebra": "new", "apple": "kind"}, note={"any": [1, None, "é"]})
    draft.entry("child/1", {"name": "tide-table"}, run="run-harbour-2")
    draft.entry(
        "finding/1", {"finding": "{}"}, advisory=False, finding_kind="missing-tool", lane=0,
        seam="compose", synthetic=False,
    )  # fmt: skip
    return draft.note().close()

"""Ten thousand ways to change one recording: `python -m tests.tamper [COUNT] [SEED]`.

Makes tampered copies of one closed recording that has every form of content, verifies each with
the keyring that trusts its signer, and exits 1 if one is accepted. Whoever tampers has the file
and keys of their own, and not the signer's (adversary A4 of the threat model). Cuts are judged
against the head that was kept outside the file: a file alone cannot show them.
"""

from __future__ import annotations

import base64
import copy
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundwire.documents.verdict import Head, Verdict
from groundwire.keys.keyring import Keyring, decode_keyring
from groundwire.verify.recording import verify_recording
from tests.recordings import (
    IDENTITY,
    RESULT,
    STRANGER,
    USER,
    Draft,
    Hand,
    canonical,
    keyring_document,
    leaf,
    lines,
    sample,
)

COUNT = 10_000
SEED = 20_260_504
CONTENT = b'{"@":"content"'
CHECKPOINT = b'{"@":"checkpoint/1"'
# The order of the group that Ed25519 signs in (RFC 8032, section 5.1).
ORDER = 2**252 + 27742317777372353535851937790883648493


@dataclass
class Attempt:
    """A recording that somebody changed."""

    raw: list[bytes]
    files: dict[str, bytes] = field(default_factory=dict)
    tail: bytes = b""
    head: Head | None = None

    def data(self) -> bytes:
        return b"".join(line + b"\n" for line in self.raw) + self.tail


class Evidence:
    """The recording that is attacked, and what the attacker has beside it."""

    def __init__(self) -> None:
        self.draft = sample()
        self.data = self.draft.data()
        self.other_run = sample(run="run-harbour-9")
        self.other_story = self._other_story()
        self.redacted = self.draft.redacted([self.draft.commitment_of(RESULT)])
        self.head = Head(run=self.draft.run, segment=0, size=self.draft.size, root=self.draft.root)
        self.entries = [i for i, line in enumerate(self.draft.raw) if not line.startswith(CONTENT)]
        self.contents = [i for i, line in enumerate(self.draft.raw) if line.startswith(CONTENT)]
        self.checkpoints = [i for i in self.entries if self.draft.raw[i].startswith(CHECKPOINT)]

    def copy(self, head: Head | None = None) -> Attempt:
        return Attempt(self.draft.raw.copy(), dict(self.draft.files), head=head)

    def split(self, data: bytes, head: Head | None = None) -> Attempt:
        whole, _, tail = data.rpartition(b"\n")
        raw = whole.split(b"\n") if whole else []
        return Attempt(raw, dict(self.draft.files), tail, head)

    @staticmethod
    def _other_story() -> Draft:
        """The same run under the same keys, told otherwise: an earlier draft that leaked, say."""
        draft = Draft().open().certificate()
        for number in range(4):
            draft.note(text=f"another story {number}").checkpoint()
        return draft.close()


Tamper = Callable[[random.Random, Evidence], Attempt]
KINDS: dict[str, Tamper] = {}


def kind(tamper: Tamper) -> Tamper:
    KINDS[tamper.__name__.replace("_", "-")] = tamper
    return tamper


# -- bytes -----------------------------------------------------------------------------------------


@kind
def byte_flipped(rng: random.Random, given: Evidence) -> Attempt:
    data = bytearray(given.data)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return given.split(bytes(data))


@kind
def byte_exchanged(rng: random.Random, given: Evidence) -> Attempt:
    data = bytearray(given.data)
    data[rng.randrange(len(data))] = rng.choice(b'0123456789abcdefABCDEF{}[]",: \n\\')
    return given.split(bytes(data))


@kind
def bytes_inserted(rng: random.Random, given: Evidence) -> Attempt:
    at = rng.randrange(len(given.data) + 1)
    return given.split(given.data[:at] + rng.randbytes(rng.randint(1, 4)) + given.data[at:])


@kind
def bytes_removed(rng: random.Random, given: Evidence) -> Attempt:
    at = rng.randrange(len(given.data))
    return given.split(given.data[:at] + given.data[at + rng.randint(1, 40) :], given.head)


@kind
def nul_filled(rng: random.Random, given: Evidence) -> Attempt:
    start = rng.randrange(len(given.data))
    end = min(len(given.data), start + rng.choice([1, 16, 512, 4096]))
    filled = given.data[:start] + b"\x00" * (end - start) + given.data[end:]
    return given.split(filled, given.head)


@kind
def truncated(rng: random.Random, given: Evidence) -> Attempt:
    return given.split(given.data[: rng.randrange(len(given.data))], given.head)


@kind
def cut_at_a_line(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy(given.head)
    attempt.raw = attempt.raw[: rng.randrange(len(attempt.raw))]
    return attempt


@kind
def cut_at_a_checkpoint(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy(given.head)
    attempt.raw = attempt.raw[: rng.choice(given.checkpoints[:-1]) + 1]
    attempt.tail = rng.choice([b"", b"", b'{"@":"note/1"', b"\x00" * 100])
    return attempt


@kind
def appended(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    if rng.random() < 0.5:
        attempt.tail = rng.randbytes(rng.randint(1, 50)).replace(b"\n", b"x")
    else:
        attempt.raw.append(rng.choice([*given.draft.raw, *given.other_run.raw, b"", b"{}"]))
    return attempt


# -- lines -----------------------------------------------------------------------------------------


@kind
def line_removed(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    del attempt.raw[rng.randrange(len(attempt.raw) - 1)]
    return attempt


@kind
def line_duplicated(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    attempt.raw.insert(rng.randrange(len(attempt.raw) + 1), rng.choice(attempt.raw))
    return attempt


@kind
def lines_swapped(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    one, other = rng.sample(range(len(attempt.raw)), 2)
    attempt.raw[one], attempt.raw[other] = attempt.raw[other], attempt.raw[one]
    return attempt


@kind
def line_moved(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    line = attempt.raw.pop(rng.randrange(len(attempt.raw)))
    attempt.raw.insert(rng.randrange(len(attempt.raw) + 1), line)
    return attempt


@kind
def line_of_another_run(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    other = rng.choice([given.other_run.raw, given.other_story.raw, given.redacted.raw])
    at = rng.randrange(len(attempt.raw))
    if at == len(attempt.raw) - 1:
        # In the place of the last checkpoint it is a cut there, with something behind it.
        attempt = given.copy(given.head)
    line = other[min(at, len(other) - 1)] if rng.random() < 0.5 else rng.choice(other)
    if rng.random() < 0.7:
        attempt.raw[at] = line
    else:
        attempt.raw.insert(at, line)
    return attempt


@kind
def beginning_of_another_story(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    other = rng.choice([given.other_run.raw, given.other_story.raw])
    cut = rng.randint(5, len(attempt.raw) - 1)
    attempt.raw = other[: rng.randint(5, len(other) - 1)] + attempt.raw[cut:]
    return attempt


# -- spelling --------------------------------------------------------------------------------------


@kind
def white_space(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.randrange(len(attempt.raw))
    line = attempt.raw[at]
    marks = [i for i, byte in enumerate(line) if byte in b',:{}[]"']
    place = rng.choice(marks)
    attempt.raw[at] = line[:place] + rng.choice([b" ", b"\t", b"\r", b"  "]) + line[place:]
    return attempt


@kind
def line_ending(rng: random.Random, given: Evidence) -> Attempt:
    if rng.random() < 0.3:
        return given.split(given.data.replace(b"\n", b"\r\n"))
    attempt = given.copy()
    at = rng.randrange(len(attempt.raw))
    attempt.raw[at] += rng.choice([b"\r", b" ", b"\n", b"\x00"])
    return attempt


@kind
def escapes(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.randrange(len(attempt.raw))
    line = attempt.raw[at]
    letters = [
        i for i, byte in enumerate(line) if 0x61 <= byte <= 0x7A and line[i - 1 : i] != b"\\"
    ]
    place = rng.choice(letters)
    letter = line[place]
    spelled = rng.choice([b"\\u%04x", b"\\u%04X"]) % letter
    attempt.raw[at] = line[:place] + spelled + line[place + 1 :]
    return attempt


@kind
def numbers(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.choice(given.entries)
    seq = attempt.raw[at].rindex(b'"seq":') + 6
    end = seq
    while attempt.raw[at][end : end + 1].isdigit():
        end += 1
    number = attempt.raw[at][seq:end]
    other = rng.choice(
        [number + b".0", number + b"e0", b"0" + number, b"-" + number, b"1" + number]
    )
    attempt.raw[at] = attempt.raw[at][:seq] + other + attempt.raw[at][end:]
    return attempt


@kind
def fields(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.randrange(len(attempt.raw))
    document = json.loads(attempt.raw[at])
    names = list(document)
    way = rng.randrange(4)
    if way == 0:
        document["zz"] = rng.choice([None, 1, "x"])
    elif way == 1:
        del document[rng.choice(names)]
    elif way == 2:
        document[rng.choice(names)] = rng.choice([None, 0, "", [], {}])
    else:
        name = rng.choice(names)
        repeated = b"{" + canonical({name: document[name]})[1:-1] + b","
        attempt.raw[at] = repeated + attempt.raw[at][1:]
        return attempt
    attempt.raw[at] = canonical(document)
    return attempt


@kind
def key_order(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.randrange(len(attempt.raw))
    items = list(json.loads(attempt.raw[at]).items())
    rng.shuffle(items)
    attempt.raw[at] = json.dumps(dict(items), separators=(",", ":"), ensure_ascii=False).encode()
    return attempt


@kind
def hex_in_upper_case(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.randrange(len(attempt.raw))
    line = attempt.raw[at]
    runs = [
        i
        for i in range(len(line) - 16)
        if line[i : i + 16].isalnum() and line[i : i + 1] in b"abcdef"
    ]
    place = rng.choice(runs or [0])
    attempt.raw[at] = line[:place] + line[place : place + 1].upper() + line[place + 1 :]
    return attempt


# -- contents --------------------------------------------------------------------------------------


@kind
def content_exchanged(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    one, other = rng.sample(given.contents, 2)
    first, second = json.loads(attempt.raw[one]), json.loads(attempt.raw[other])
    for document, source in ((first, second), (second, first)):
        kept = {name: document[name] for name in ("@", "commitment", "salt")}
        rest = {n: v for n, v in source.items() if n not in ("@", "commitment", "salt")}
        attempt.raw[one if document is first else other] = canonical({**kept, **rest})
    return attempt


@kind
def content_rewritten(rng: random.Random, given: Evidence) -> Attempt:
    """Another content with a salt and commitment of its own that fit together."""
    attempt = given.copy()
    other = Draft(run=f"other {rng.random()}")
    commitment = other.content(rng.choice(["berth 8", b"\xfe\xff", "", "{}"]))
    attempt.raw[rng.choice(given.contents)] = other.waiting[commitment]
    return attempt


@kind
def content_edited(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.choice(given.contents)
    document = json.loads(attempt.raw[at])
    if "text" in document:
        text = list(document["text"]) or ["x"]
        text[rng.randrange(len(text))] = rng.choice("abc 0é\n\x00")
        document["text"] = "".join(text)
    elif "b64" in document:
        document["b64"] = base64.b64encode(b"\xff" + rng.randbytes(6)).decode()
    elif "parts" in document:
        document["parts"][1]["size"] = rng.randrange(1000)
    else:
        document["size"] += rng.randint(1, 9)
    attempt.raw[at] = canonical(document)
    return attempt


@kind
def salt_changed(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.choice(given.contents)
    document = json.loads(attempt.raw[at])
    document["salt"] = rng.choice(
        [rng.randbytes(16).hex(), document["salt"].upper() + "", document["salt"][:-2], ""]
    )
    attempt.raw[at] = canonical(document)
    return attempt


@kind
def content_removed(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    gone = set(rng.sample(given.contents, rng.randint(1, 3)))
    attempt.raw = [line for i, line in enumerate(attempt.raw) if i not in gone]
    return attempt


@kind
def attachment_changed(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    ((name, data),) = attempt.files.items()
    at = rng.randrange(len(data))
    changed: list[bytes | None] = [
        None, b"", data[:at], data + b"x", data[:at] + b"y" + data[at + 1 :], data[1:] + data[:1],
    ]  # fmt: skip
    other = rng.choice(changed)
    attempt.files = {} if other is None else {name: other}
    return attempt


# -- chains and signatures -------------------------------------------------------------------------


def relinked(raw: Sequence[bytes]) -> list[bytes]:
    """The same lines with sequence numbers and links written anew, as anybody can."""
    again, previous, number = [], "leaf:" + "0" * 64, 0
    for line in raw:
        if line.startswith(CONTENT):
            again.append(line)
            continue
        document = json.loads(line)
        document.update(prev=previous, seq=number)
        again.append(canonical(document))
        previous, number = "leaf:" + leaf(again[-1]).hex(), number + 1
    return again


@kind
def entries_reordered_and_relinked(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    one, other = rng.sample(given.entries[2:-1], 2)
    attempt.raw[one], attempt.raw[other] = attempt.raw[other], attempt.raw[one]
    attempt.raw = relinked(attempt.raw)
    return attempt


@kind
def entry_removed_and_relinked(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.choice(given.entries[2:-1])
    start = at
    while attempt.raw[start - 1].startswith(CONTENT):
        start -= 1
    del attempt.raw[start : at + 1]
    attempt.raw = relinked(attempt.raw)
    return attempt


@kind
def entry_edited_and_relinked(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.choice(given.entries[:-1])
    document = json.loads(attempt.raw[at])
    numbers_in = [n for n, v in document.items() if isinstance(v, int) and n not in ("seq",)]
    if numbers_in and rng.random() < 0.7:
        name = rng.choice(numbers_in)
        document[name] = (
            not document[name] if document[name] in (True, False) else document[name] + 1
        )
    else:
        document["at"] = document["at"][:-4] + f"{rng.randrange(1000):03}Z"
    attempt.raw[at] = canonical(document)
    if rng.random() < 0.8:
        attempt.raw = relinked(attempt.raw)
    return attempt


@kind
def checkpoint_transplanted(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.choice(given.checkpoints)
    source = rng.choice([given.draft, given.other_run, given.other_story, given.redacted]).raw
    found = json.loads(rng.choice([line for line in source if line.startswith(CHECKPOINT)]))
    document = json.loads(attempt.raw[at])
    document["envelope"] = found["envelope"]
    if rng.random() < 0.5:
        document["at"] = found["at"]
    attempt.raw[at] = canonical(document)
    return attempt


@kind
def checkpoints_dropped_and_relinked(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    gone = set(rng.sample(given.checkpoints[:-1], rng.randint(1, len(given.checkpoints) - 1)))
    attempt.raw = relinked([line for i, line in enumerate(attempt.raw) if i not in gone])
    return attempt


def respelled_envelope(
    rng: random.Random, given: Evidence, change: Callable[[dict[str, Any]], None]
) -> Attempt:
    """The last checkpoint, which nothing after it covers, more often than others."""
    attempt = given.copy()
    at = given.checkpoints[-1] if rng.random() < 0.7 else rng.choice(given.checkpoints)
    document = json.loads(attempt.raw[at])
    change(document["envelope"])
    attempt.raw[at] = canonical(document)
    return attempt


@kind
def key_id_respelled(rng: random.Random, given: Evidence) -> Attempt:
    def change(envelope: dict[str, Any]) -> None:
        signature = envelope["signatures"][0]
        name = signature["keyid"]
        signature["keyid"] = rng.choice(
            ["", name.upper(), name[8:], name + " ", STRANGER.id, IDENTITY.id, name[:-1]]
        )

    return respelled_envelope(rng, given, change)


@kind
def base64_respelled(rng: random.Random, given: Evidence) -> Attempt:
    def change(envelope: dict[str, Any]) -> None:
        holder, name = rng.choice([(envelope, "payload"), (envelope["signatures"][0], "sig")])
        text: str = holder[name]
        at = rng.randrange(len(text))
        last = len(text.rstrip("=")) - 1
        near = chr(ord(text[last]) ^ 1) if chr(ord(text[last]) ^ 1).isalnum() else "A"
        holder[name] = rng.choice(
            [
                text.rstrip("=") if "=" in text else text + "=",
                text.replace("+", "-").replace("/", "_")
                + ("" if "+" in text or "/" in text else " "),
                text[:at] + "\n" + text[at:],
                text + "====",
                text[:last] + near + text[last + 1 :],
            ]
        )

    return respelled_envelope(rng, given, change)


@kind
def signature_respelled(rng: random.Random, given: Evidence) -> Attempt:
    def change(envelope: dict[str, Any]) -> None:
        signature = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
        way = rng.randrange(5)
        if way == 0:  # the same signature plus the order of the group: equal to a lax verifier
            s = int.from_bytes(signature[32:], "little") + ORDER
            signature[32:] = s.to_bytes(32, "little")
        elif way == 1:
            signature[rng.randrange(64)] ^= 1 << rng.randrange(8)
        elif way == 2:
            signature[:] = bytes(64)
        elif way == 3:
            del signature[rng.randrange(64) :]
        else:
            envelope["signatures"] *= 2
            return
        envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()

    return respelled_envelope(rng, given, change)


@kind
def payload_edited(rng: random.Random, given: Evidence) -> Attempt:
    def change(envelope: dict[str, Any]) -> None:
        statement = json.loads(base64.b64decode(envelope["payload"]))
        predicate = statement["predicate"]
        name = rng.choice(list(predicate))
        predicate[name] = rng.choice([predicate[name] + 1 if name == "size" else "x", None, False])
        envelope["payload"] = base64.b64encode(canonical(statement)).decode()

    return respelled_envelope(rng, given, change)


@kind
def signed_by_a_stranger(rng: random.Random, given: Evidence) -> Attempt:
    """The whole recording told anew, under keys of the attacker's own."""
    draft = copy.deepcopy(given.draft)
    told = sample(identity=STRANGER, key=Hand(f"key {rng.randrange(50)}"))
    if rng.random() < 0.3:
        return Attempt(told.raw, told.files)
    # … and under the trusted identity's name.
    raw = told.raw.copy()
    at = next(i for i, line in enumerate(raw) if line.startswith(b'{"@":"certificate/1"'))
    if rng.random() < 0.5:
        raw[at] = draft.raw[at]
    else:
        document = json.loads(raw[at])
        document["envelope"]["signatures"][0]["keyid"] = IDENTITY.id
        statement = json.loads(base64.b64decode(document["envelope"]["payload"]))
        statement["predicate"]["identity"] = IDENTITY.id
        payload = canonical(statement)
        document["envelope"] = STRANGER.envelope(payload)
        document["envelope"]["signatures"][0]["keyid"] = IDENTITY.id
        raw[at] = canonical(document)
    return Attempt(relinked(raw) if rng.random() < 0.5 else raw, told.files)


@kind
def checkpoints_signed_by_a_stranger(rng: random.Random, given: Evidence) -> Attempt:
    attempt = given.copy()
    at = rng.choice(given.checkpoints)
    document = json.loads(attempt.raw[at])
    payload = base64.b64decode(document["envelope"]["payload"])
    by = rng.choice([STRANGER, IDENTITY_LOOKALIKE])
    document["envelope"] = by.envelope(payload)
    if rng.random() < 0.5:
        document["envelope"]["signatures"][0]["keyid"] = given.draft.key.id
    attempt.raw[at] = canonical(document)
    return attempt


IDENTITY_LOOKALIKE = Hand("a key that looks like it")


@kind
def redaction_forged(rng: random.Random, given: Evidence) -> Attempt:
    draft = given.draft
    gone = [draft.commitment_of(rng.choice([RESULT, USER, "watched: a client"]))]
    way = rng.randrange(4)
    if way == 0:  # somebody else takes contents out
        forged = draft.redacted(gone, by=STRANGER)
        return Attempt(forged.raw, dict(forged.files))
    if way == 1:  # … in the trusted identity's name
        forged = draft.redacted(gone, by=STRANGER, identity=IDENTITY.id)
        return Attempt(forged.raw, dict(forged.files))
    raw = given.redacted.raw.copy()
    if way == 2:  # a real redaction, and something more goes
        more = [i for i, line in enumerate(raw) if line.startswith(CONTENT)]
        del raw[rng.choice(more)]
    else:  # a real redaction of one content, cut or taken apart
        del raw[len(raw) - rng.randint(1, 3)]
    return Attempt(raw, dict(draft.files))


# -- judging ---------------------------------------------------------------------------------------


def judge(attempt: Attempt, keyring: Keyring) -> Verdict:
    return verify_recording(
        lines(attempt.data()), keyring, files=attempt.files.get, known_head=attempt.head
    )


def tampered(count: int, seed: int) -> dict[str, Counter[str]]:
    """How many of each kind met which verdict; `accepted` where one was taken for good."""
    given, rng = Evidence(), random.Random(seed)
    keyring = decode_keyring(keyring_document(IDENTITY), "the attacked recording's keyring")
    if judge(given.copy(given.head), keyring).state != "holds":
        raise SystemExit("the recording does not verify before anybody touches it")
    met: dict[str, Counter[str]] = defaultdict(Counter)
    names = list(KINDS)
    made = 0
    while made < count:
        name = names[made % len(names)]
        attempt = KINDS[name](rng, given)
        if attempt.data() == given.data and attempt.files == given.draft.files:
            continue  # a change that changed nothing
        verdict = judge(attempt, keyring)
        met[name]["accepted" if verdict.state == "holds" else verdict.reason] += 1
        made += 1
    return met


def main(arguments: Sequence[str]) -> int:
    """Prints a row a kind; 1 if anything was accepted."""
    count = int(arguments[0]) if arguments else COUNT
    seed = int(arguments[1]) if len(arguments) > 1 else SEED
    started = time.perf_counter()
    met = tampered(count, seed)
    for name, verdicts in sorted(met.items()):
        named = ", ".join(f"{reason} {number}" for reason, number in verdicts.most_common(4))
        print(f"{name:<34}{verdicts.total():>6}  {named}")
    accepted = sum(verdicts["accepted"] for verdicts in met.values())
    total = sum(verdicts.total() for verdicts in met.values())
    print(
        f"{total} tampered recordings of {len(met)} kinds from one, "
        f"{time.perf_counter() - started:.0f} s: {accepted} accepted"
    )
    return int(accepted > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

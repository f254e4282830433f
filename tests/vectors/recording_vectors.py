"""The vectors of verify: `python -m tests.vectors.recording_vectors` writes them anew.

Each `vectors/recording/<attack>.gw` is a whole recording named after the attack it shows, or
starts with `good-`. `expected.json` says what a verifier has to answer, with the keyring of
`keyring.json` (or the vector's own), the head and the notes kept outside where a vector has them.
They are data for other implementations too: only the second writer of the tests made them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.recordings import (
    ANSWER,
    CALL,
    IDENTITY,
    RESULT,
    RUN_KEY,
    SHELL,
    STRANGER,
    USER,
    Draft,
    Hand,
    body_of,
    canonical,
    keyring_document,
    tagged,
)
from tests.tamper import relinked
from tests.unit.verify.judging import at, data_of, head_of, note_of
from tests.vectors.guarded_vectors import guarded_vectors

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "recording"
CONTENT = b'{"@":"content"'
CLOSE = {"exchanges": 0, "findings": 0, "lateness_us": 0, "next_segment": False, "withheld": 0}

Vector = tuple[str, str, bytes, str, dict[str, Any]]


def running(**fields: Any) -> Draft:
    draft = Draft(**fields).open().certificate()
    draft.request(0, body_of(SHELL, [USER]), [USER], shell=SHELL)
    draft.response(0, ANSWER).checkpoint()
    return draft.request(
        1, body_of(SHELL, [USER, CALL, RESULT]), [CALL, RESULT], parent=0, keep=1, shell=SHELL
    )


def closed(**fields: Any) -> Draft:
    return running(**fields).note().close()


def edited(draft: Draft, found: bytes, change: Callable[[bytes], bytes]) -> bytes:
    raw = draft.raw.copy()
    index = at(draft, lambda line: found in line)
    raw[index] = change(raw[index])
    return data_of(raw)


def _good() -> Iterator[Vector]:
    draft = closed()
    yield "good-closed", "Closed as it should be.", draft.data(), "holds", {}
    yield "good-open", "Being written: an open end.", running().data(), "holds", {}
    torn = running().data() + b'{"@":"response/1","at":"2026-'
    yield "good-torn-end", "Read while a line is being written.", torn, "holds", {}
    redacted = draft.redacted([draft.commitment_of(RESULT)])
    yield (
        "good-redacted",
        "A tool result was taken out, by the signer.",
        redacted.data(),
        "holds",
        {},
    )
    twice = redacted.redacted([draft.commitment_of(USER)])
    yield "good-redacted-twice", "And later another content.", twice.data(), "holds", {}
    recovered = running().note("recovered", "31 bytes cut")
    recovered.key = Hand("run key after the crash")
    recovered.certificate().note(text="on").close()
    yield (
        "good-recovered",
        "Resumed after a crash under a new run key.",
        recovered.data(),
        "holds",
        {},
    )
    unknown = Draft().open().certificate()
    unknown.entry("weather/4", {"report": "fog"}, knots=[3, {"gusts": None}])
    yield (
        "good-unknown-kind",
        "A kind that this version does not know.",
        unknown.close().data(),
        "holds",
        {},
    )
    note = note_of(draft, draft.size - 1)
    yield (
        "good-anchored",
        "The mirror saw the closing checkpoint.",
        draft.data(),
        "holds",
        {"notes": [note]},
    )
    ahead = {"head": head_of(draft, 5)}
    yield (
        "good-ahead-of-its-head",
        "It has grown since its head was kept.",
        draft.data(),
        "holds",
        ahead,
    )


def _lines() -> Iterator[Vector]:
    draft = closed()
    first = edited(
        draft, b'"response/1"', lambda line: line.replace(b'"status":200', b'"status":500')
    )
    yield "entry-field-edited", "A status is another.", first, "chain-broken", {}
    raw = draft.raw.copy()
    del raw[at(draft, lambda line: b'"response/1"' in line)]
    yield (
        "entry-removed",
        "An entry is gone, its contents stand.",
        data_of(raw),
        "sequence-wrong",
        {},
    )
    linked = relinked(_without_response(draft))
    yield (
        "entry-removed-and-relinked",
        "… and the chain written anew.",
        data_of(linked),
        "checkpoint-wrong",
        {},
    )
    note = at(draft, lambda line: b'"note/1"' in line)
    doubled = [*draft.raw[: note + 1], *draft.raw[note:]]
    yield "entry-doubled", "An entry stands twice.", data_of(doubled), "sequence-wrong", {}
    other = closed(run="run-elsewhere")
    spliced = draft.raw[:12] + other.raw[12:]
    yield (
        "spliced-from-another-run",
        "The end is another run's.",
        data_of(spliced),
        "chain-broken",
        {},
    )
    spaced = edited(draft, b'"note/1"', lambda line: line.replace(b'":', b'": ', 1))
    yield "white-space", "A space more.", spaced, "line-not-canonical", {}
    escaped = edited(draft, b'"note/1"', lambda line: line.replace(b'"sdk"', b'"\\u0073dk"'))
    yield "escape-for-a-letter", "A letter spelled as an escape.", escaped, "line-not-canonical", {}
    repeated = edited(
        draft, b'"note/1"', lambda line: line.replace(b'"count":1', b'"count":9,"count":1')
    )
    yield "key-repeated", "Two readers, two counts.", repeated, "line-not-canonical", {}
    more = edited(
        draft, b'"note/1"', lambda line: line.replace(b'"count":1', b'"count":1,"extra":0')
    )
    yield "field-unknown", "A field that no reader knows.", more, "line-malformed", {}
    floating = edited(draft, b'"note/1"', lambda line: line.replace(b'"count":1', b'"count":1.0'))
    yield "number-as-float", "1.0 for 1.", floating, "line-malformed", {}
    zeros = edited(draft, b'"note/1"', lambda line: bytes(len(line)))
    yield "nul-filled-line", "A block of the disk was lost.", zeros, "line-malformed", {}
    crlf = draft.data().replace(b"\n", b"\r\n")
    yield "line-ends-translated", "Sent as text by a kind machine.", crlf, "line-not-canonical", {}
    yield (
        "appended-after-close",
        "Something follows the end.",
        draft.data() + b"{}",
        "after-closing",
        {},
    )
    unclosed = running()
    unclosed.entry("close/1", **CLOSE)
    yield (
        "close-without-checkpoint",
        "It goes on after its close.",
        unclosed.note().data(),
        "closing-wrong",
        {},
    )


def _without_response(draft: Draft) -> list[bytes]:
    end = at(draft, lambda line: b'"response/1"' in line)
    start = end
    while draft.raw[start - 1].startswith(CONTENT):
        start -= 1
    return draft.raw[:start] + draft.raw[end + 1 :]


def _contents() -> Iterator[Vector]:
    draft = closed()
    told = edited(draft, b"berth 7", lambda line: line.replace(b"berth 7", b"berth 8"))
    yield "content-edited", "The tool result says something else.", told, "commitment-broken", {}
    salted = edited(draft, b"berth 7", lambda line: line.replace(b'"salt":"', b'"salt":"0'))
    yield "salt-longer", "A salt of another length.", salted, "content-form", {}
    raw = [line for line in draft.raw if b"berth 7" not in line]
    yield (
        "content-removed",
        "A content is gone and nothing says so.",
        data_of(raw),
        "content-missing",
        {},
    )
    places = [i for i, line in enumerate(draft.raw) if line.startswith(CONTENT)]
    swapped = draft.raw.copy()
    swapped[places[0]], swapped[places[1]] = swapped[places[1]], swapped[places[0]]
    yield (
        "contents-swapped",
        "Two contents change places.",
        data_of(swapped),
        "content-misplaced",
        {},
    )
    doubled = [*draft.raw[: places[4]], draft.raw[places[0]], *draft.raw[places[4] :]]
    yield (
        "content-doubled",
        "A content stands a second time.",
        data_of(doubled),
        "content-misplaced",
        {},
    )
    bytes_form = edited(
        draft, b'"text":"{}"', lambda line: line.replace(b'"text":"{}"', b'"b64":"e30="')
    )
    yield (
        "text-as-base64",
        "UTF-8 in the form for other bytes.",
        _sorted(bytes_form),
        "content-form",
        {},
    )
    stands = draft.redacted([draft.commitment_of(RESULT)])
    place = at(draft, lambda line: b"berth 7" in line)
    kept = [*stands.raw[:place], draft.raw[place], *stands.raw[place:]]
    yield (
        "redacted-and-still-there",
        "A redaction lists what stands.",
        data_of(kept),
        "redaction-wrong",
        {},
    )
    more = [line for line in stands.raw if b"Which berth" not in line]
    yield (
        "more-gone-than-redacted",
        "More is gone than is listed.",
        data_of(more),
        "content-missing",
        {},
    )
    forged = draft.redacted([draft.commitment_of(RESULT)], by=STRANGER, identity=IDENTITY.id)
    yield (
        "redaction-in-anothers-name",
        "A stranger redacts as the signer.",
        forged.data(),
        "identity-mismatch",
        {},
    )


def _sorted(data: bytes) -> bytes:
    return data_of(canonical(json.loads(line)) for line in data.splitlines())


def _signatures() -> Iterator[Vector]:
    draft = closed()
    yield (
        "signer-unknown",
        "Intact, by a stranger.",
        closed(identity=STRANGER).data(),
        "signer-unknown",
        {},
    )
    by_other = running().checkpoint(by=STRANGER)
    yield (
        "checkpoint-by-another-key",
        "Not the certified run key.",
        by_other.data(),
        "wrong-signer",
        {},
    )
    by_identity = running().checkpoint(by=IDENTITY)
    yield (
        "checkpoint-by-the-identity",
        "Nor the identity itself.",
        by_identity.data(),
        "wrong-signer",
        {},
    )
    moved = running().checkpoint(size=4, head="leaf:" + "1" * 64)
    yield "checkpoint-over-less", "Signed over fewer entries.", moved.data(), "checkpoint-wrong", {}
    at_another_time = running().checkpoint(at="2026-05-04T10:20:40.000000Z")
    yield (
        "checkpoint-at-another-time",
        "Not the entry's own time.",
        at_another_time.data(),
        "checkpoint-wrong",
        {},
    )
    elsewhere = running().checkpoint(run="run-elsewhere")
    yield (
        "checkpoint-of-another-run",
        "Brought in from elsewhere.",
        elsewhere.data(),
        "other-run",
        {},
    )
    late = Draft().open().certificate(not_after="2026-05-04T10:20:30.100000Z").note().checkpoint()
    yield (
        "checkpoint-after-the-certificate",
        "Its key was certified no more.",
        late.data(),
        "outside-window",
        {},
    )
    foreign = Draft().open().certificate(run="run-elsewhere").checkpoint()
    yield "certificate-of-another-run", "A key of another run.", foreign.data(), "other-run", {}
    anew = running()
    anew.key = Hand("a second run key")
    anew.certificate().close()
    yield (
        "certificate-without-recovery",
        "A new key without a reason.",
        anew.data(),
        "certificate-misplaced",
        {},
    )
    last = edited(
        draft, draft.raw[-1], lambda line: line.replace(RUN_KEY.id.encode(), STRANGER.id.encode())
    )
    yield "key-id-of-another", "The last checkpoint names another key.", last, "wrong-signer", {}
    doubled = json.loads(draft.raw[-1])
    doubled["envelope"]["signatures"] *= 2
    yield (
        "signature-doubled",
        "Two signatures by one key.",
        data_of([*draft.raw[:-1], canonical(doubled)]),
        "envelope-malformed",
        {},
    )
    lied = running()
    lied.request(2, b"", [], parent=1, keep=3, shell=SHELL, context=tagged("context"))
    yield (
        "context-of-other-messages",
        "A signed lie about a frame.",
        lied.close().data(),
        "context-wrong",
        {},
    )
    lost = running()
    lost.request(2, b"", [], parent=0, keep=2, shell=SHELL)
    yield (
        "frame-that-leads-nowhere",
        "It keeps what was not there.",
        lost.close().data(),
        "frame-wrong",
        {},
    )
    for state, reason in (("retired", "retired-key"), ("revoked", "revoked-undecidable")):
        moments = {
            "retired": {"retired_at": "2026-02-01T00:00:00.000000Z"},
            "revoked": {"compromised_at": "2026-09-01T00:00:00.000000Z"},
        }[state]
        keyring = json.loads(keyring_document(IDENTITY, state=state, **moments))
        yield (
            f"signed-by-a-{state}-key",
            f"The identity is {state}.",
            draft.data(),
            reason,
            {"keyring": keyring},
        )


def _ends() -> Iterator[Vector]:
    draft = closed()
    head = {"head": head_of(draft)}
    first = at(draft, lambda line: b'"checkpoint/1"' in line)
    cut = data_of(draft.raw[: first + 1])
    yield "cut-at-a-checkpoint", "Everything in it is signed.", cut, "rolled-back", head
    yield (
        "cut-before-the-closing-checkpoint",
        "Its last line is gone.",
        data_of(draft.raw[:-1]),
        "rolled-back",
        head,
    )
    yield "emptied", "Nothing is left.", b"", "rolled-back", head
    other = Draft().open().certificate()
    for number in range(8):
        other.note(text=f"another story {number}")
    other.close()
    yield "replaced", "Another story of the same run.", other.data(), "replaced", head
    notes = {"notes": [note_of(draft, 5), note_of(draft, draft.size - 1)]}
    yield "cut-behind-the-mirror", "The mirror saw more.", cut, "rolled-back", notes
    yield "two-stories", "The mirror saw another story.", other.data(), "equivocation", notes
    yield (
        "nothing-signed",
        "No checkpoint yet.",
        Draft().open().certificate().data(),
        "nothing-signed",
        {},
    )
    must = Draft().open(must_understand=["verdict/9"]).certificate().close()
    yield (
        "must-understand-the-unknown",
        "A reader has to know more.",
        must.data(),
        "not-understood",
        {},
    )
    later = draft.data().replace(b'"open/1"', b'"open/2"', 1)
    yield "format-of-a-later-version", "Of a later format.", later, "format-unknown", {}


def vectors() -> Iterator[Vector]:
    for part in (_good, _lines, _contents, _signatures, _ends, guarded_vectors):
        yield from part()


def expected() -> dict[str, Any]:
    """What stands in `expected.json`."""
    answers: dict[str, Any] = {}
    for name, about, _, reason, options in vectors():
        answer: dict[str, Any] = {"about": about, "reason": reason}
        if "head" in options:
            head = options["head"]
            answer["head"] = {name: getattr(head, name) for name in head.__struct_fields__}
        for option in ("notes", "keyring"):
            if option in options:
                answer[option] = options[option]
        answers[name] = answer
    return answers


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, _, data, _, _ in vectors():
        (FOLDER / f"{name}.gw").write_bytes(data)
    text = json.dumps(expected(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    (FOLDER / "expected.json").write_text(text, encoding="utf-8")
    (FOLDER / "keyring.json").write_bytes(keyring_document(IDENTITY))


if __name__ == "__main__":
    main()

"""Signed notes: the C2SP text, byte for byte, and nothing else."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from groundwire.errors import EncodingError, TrustError
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.recording.notes import (
    Note,
    decode_note,
    encode_note,
    name_of,
    origin_of,
    segment_of,
    split_notes,
)
from tests.recorders import seed

KEY = Ed25519Signer.from_seed(seed("note"))
OTHER = Ed25519Signer.from_seed(seed("other"))
ROOT = "root:" + hashlib.sha256(b"tree").hexdigest()
ORIGIN, NAME = origin_of("run-1", 2), name_of("run-1")
NOTE = encode_note(ORIGIN, 7, ROOT, NAME, KEY)


def resigned(text: str, key: Ed25519Signer = KEY, name: str = NAME) -> str:
    """The text, signed as it stands, by code of the test's own."""
    key_hash = hashlib.sha256(name.encode() + b"\n\x01" + key.public_key).digest()[:4]
    signature = base64.b64encode(key_hash + key.sign(text.encode())).decode()
    return f"{text}\n— {name} {signature}\n"


def test_a_note_is_the_text_of_the_spec() -> None:
    root = base64.b64encode(bytes.fromhex(ROOT[5:])).decode()
    text, _, signature = NOTE.partition("\n\n")
    assert text == f"groundwire/run-1/2\n7\n{root}"
    mark, name, encoded = signature.rstrip("\n").split(" ")
    assert (mark, name) == ("—", "groundwire/run-1")
    data = base64.b64decode(encoded)
    assert data[:4] == hashlib.sha256(b"groundwire/run-1\n\x01" + KEY.public_key).digest()[:4]
    Ed25519PublicKey.from_public_bytes(KEY.public_key).verify(data[4:], (text + "\n").encode())


def test_a_note_reads_as_what_was_written() -> None:
    assert decode_note(NOTE, KEY.public_key) == Note(name=NAME, origin=ORIGIN, root=ROOT, size=7)
    assert segment_of(NOTE) == ("run-1", 2)
    assert resigned(f"{ORIGIN}\n7\n{NOTE.splitlines()[2]}\n") == NOTE


def test_a_note_by_another_key_says_nothing() -> None:
    with pytest.raises(TrustError) as told:
        decode_note(NOTE, OTHER.public_key)
    assert told.value.reason == "unknown-signer"


def test_a_note_with_a_cosignature_of_a_stranger_still_reads() -> None:
    stranger = resigned(NOTE.partition("\n\n")[0] + "\n", OTHER, "witness.example/w")
    both = NOTE + stranger.partition("\n\n")[2]
    assert decode_note(both, KEY.public_key).size == 7
    assert decode_note(both, OTHER.public_key).name == "witness.example/w"


@pytest.mark.parametrize("at", range(0, len(NOTE), 3))
def test_a_note_with_any_character_changed_is_refused(at: int) -> None:
    changed = NOTE[:at] + ("x" if NOTE[at] != "x" else "y") + NOTE[at + 1 :]
    with pytest.raises((EncodingError, TrustError)):
        decode_note(changed, KEY.public_key)


def test_a_note_that_names_this_key_and_does_not_hold_is_refused() -> None:
    text = NOTE.replace("\n7\n", "\n8\n")
    with pytest.raises(TrustError) as told:
        decode_note(text, KEY.public_key)
    assert told.value.reason == "bad-signature"


ROOT_LINE = NOTE.splitlines()[2]
MALFORMED = {
    "empty": "",
    "no-signature": f"{ORIGIN}\n7\n{ROOT_LINE}\n",
    "no-blank-line": NOTE.replace("\n\n", "\n"),
    "no-last-line-feed": NOTE.rstrip("\n"),
    "size-with-zero": resigned(f"{ORIGIN}\n07\n{ROOT_LINE}\n"),
    "size-with-plus": resigned(f"{ORIGIN}\n+7\n{ROOT_LINE}\n"),
    "size-with-space": resigned(f"{ORIGIN}\n7 \n{ROOT_LINE}\n"),
    "size-of-other-digits": resigned(f"{ORIGIN}\n\u0667\n{ROOT_LINE}\n"),
    "size-huge": resigned(f"{ORIGIN}\n{'9' * 20}\n{ROOT_LINE}\n"),
    "root-short": resigned(f"{ORIGIN}\n7\n{base64.b64encode(b'x' * 31).decode()}\n"),
    "root-unpadded": resigned(f"{ORIGIN}\n7\n{ROOT_LINE.rstrip('=')}\n"),
    "root-url-safe": resigned(f"{ORIGIN}\n7\n{'-_' * 21}8=\n"),
    "root-missing": resigned(f"{ORIGIN}\n7\n"),
    "origin-empty": resigned(f"\n7\n{ROOT_LINE}\n"),
    "origin-with-space": resigned(f"a b\n7\n{ROOT_LINE}\n"),
    "carriage-return": resigned(f"{ORIGIN}\r\n7\r\n{ROOT_LINE}\r\n"),
    "control-character": resigned(f"{ORIGIN}\n7\n{ROOT_LINE}\nx\x07\n"),
    "name-with-plus": resigned(f"{ORIGIN}\n7\n{ROOT_LINE}\n", name="a+b"),
    "hyphen-for-dash": NOTE.replace("—", "-"),
    "signature-garbled": NOTE[:-8] + "!!!!!!!\n",
    "signature-short": f"{ORIGIN}\n7\n{ROOT_LINE}\n\n— {NAME} AAAA\n",
    "lone-surrogate": NOTE.replace("run-1/2", "run-\ud800/2"),
    "too-long": resigned(f"{ORIGIN}\n7\n{ROOT_LINE}\n" + "x\n" * 40_000),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_a_malformed_note_is_refused_by_name(name: str) -> None:
    with pytest.raises(EncodingError) as told:
        decode_note(MALFORMED[name], KEY.public_key)
    assert told.value.reason == "bad-note"


@pytest.mark.parametrize(
    ("origin", "size", "root", "name"),
    [
        ("a b", 7, ROOT, NAME), ("a\nb", 7, ROOT, NAME), ("", 7, ROOT, NAME),
        (ORIGIN, -1, ROOT, NAME), (ORIGIN, 7, "sha256:" + ROOT[5:], NAME),
        (ORIGIN, 7, ROOT, "a+b"), (ORIGIN, 7, ROOT, ""), (ORIGIN, 7, ROOT[:-1], NAME),
    ],
)  # fmt: skip
def test_a_note_that_could_not_be_read_is_not_written(
    origin: str, size: int, root: str, name: str
) -> None:
    with pytest.raises(EncodingError):
        encode_note(origin, size, root, name, KEY)


def test_notes_that_stand_one_after_another_are_told_apart() -> None:
    second = encode_note(origin_of("run-2", 0), 9, ROOT, name_of("run-2"), OTHER)
    cosigned = NOTE + "— witness.example/w AAAAAAAAAAAA\n"
    assert split_notes(NOTE + second + cosigned) == [NOTE, second, cosigned]


@pytest.mark.parametrize("cut", range(1, len(NOTE)))
def test_a_note_that_a_crash_cut_off_hides_no_other(cut: int) -> None:
    whole = [NOTE] if cut == len(NOTE) - 1 else []
    assert split_notes(NOTE + "\n" + NOTE[:cut] + "\n" + NOTE) == [NOTE, *whole, NOTE]


def test_a_note_that_names_no_segment_is_no_note_of_ours() -> None:
    for text in ("", "other/run/1\n7\n", "groundwire/run\n", "groundwire/run/x\n", "groundwire//"):
        with pytest.raises(EncodingError):
            segment_of(text)


def test_the_published_vector_reads() -> None:
    folder = Path(__file__).parents[3] / "vectors" / "notes"
    text = (folder / "a-checkpoint-of-a-segment.txt").read_text(encoding="utf-8")
    assert text == NOTE

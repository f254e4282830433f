from __future__ import annotations

import pytest

from groundwire.canon.dsse import decode_base64, encode_base64, pae, threshold
from groundwire.errors import EncodingError, TrustError

ALICE, BOB = bytes(32), bytes(31) + b"\x01"


def test_the_example_of_the_specification_has_its_encoding() -> None:
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_lengths_count_bytes_and_not_characters() -> None:
    assert pae("typ\u00e9", "\u00e9".encode()) == b"DSSEv1 5 typ\xc3\xa9 2 \xc3\xa9"


def test_an_empty_type_and_payload_are_two_zeros() -> None:
    assert pae("", b"") == b"DSSEv1 0  0 "


def test_a_type_and_payload_cut_elsewhere_are_encoded_otherwise() -> None:
    assert pae("a 1 b", b"c") != pae("a", b"b 1 c")


def test_a_type_that_is_no_text_is_refused() -> None:
    with pytest.raises(EncodingError) as caught:
        pae("\ud800", b"")
    assert caught.value.reason == "lone-surrogate"


@pytest.mark.parametrize("size", range(8))
def test_base64_comes_back(size) -> None:
    data = bytes(range(255, 255 - size, -1))
    assert decode_base64(encode_base64(data)) == data


def test_both_alphabets_are_read_and_the_standard_one_is_written() -> None:
    assert encode_base64(b"\xfb\xff\xfe") == "+//+"
    assert decode_base64("+//+") == decode_base64("-__-") == b"\xfb\xff\xfe"


@pytest.mark.parametrize(
    "text",
    [
        "YQ",
        "YQ=",
        "YQ===",
        "YR==",  # unused bits that are not zero: the same byte, another text
        "YWJ=",
        "YQ==\n",
        " YQ==",
        "Y Q==",
        "YQ==YQ==",
        "=",
        "====",
        "Y",
        "+_8=",
        "-/8=",
        "a\u00e9==",
        "\uff21\uff21==",
        "YQ==\x00",
        "Y*==",
        "\ud800",
    ],
)
def test_base64_in_any_other_spelling_is_refused(text) -> None:
    with pytest.raises(EncodingError) as caught:
        decode_base64(text)
    assert caught.value.reason == "bad-base64"


def test_as_many_keys_as_are_needed_are_enough() -> None:
    threshold([("a", ALICE), ("b", BOB)], 2)
    threshold(iter([("a", ALICE), ("b", BOB)]), 1)


@pytest.mark.parametrize(
    "verified",
    [
        [],
        [("a", ALICE)],
        [("a", ALICE), ("a", ALICE)],
        [("a", ALICE), ("b", ALICE), ("c", ALICE)],
    ],
)
def test_one_key_counts_once_however_often_and_under_whatever_id_it_signs(verified) -> None:
    with pytest.raises(TrustError) as caught:
        threshold(verified, 2)
    assert caught.value.reason == "too-few-signers"


@pytest.mark.parametrize("needed", [0, -1])
def test_a_threshold_that_nobody_has_to_meet_is_refused(needed) -> None:
    with pytest.raises(EncodingError) as caught:
        threshold([("a", ALICE)], needed)
    assert caught.value.reason == "bad-threshold"

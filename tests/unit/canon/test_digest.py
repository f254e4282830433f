from __future__ import annotations

import hashlib

import pytest

from groundwire.canon import digest
from groundwire.canon.digest import (
    Sha256,
    commitment,
    leaf_hash,
    leaf_hashes,
    raw,
    sha256,
    tagged,
    tagged_raw,
)
from groundwire.errors import EncodingError

SALT = bytes(range(16))


def framed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def test_sha256_is_what_sha256sum_prints() -> None:
    assert sha256(b"abc") == (
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )


def test_a_growing_hash_equals_the_hash_of_the_whole() -> None:
    growing = Sha256()
    growing.update(b"ab")
    growing.update(b"c")
    assert growing.text() == growing.text() == sha256(b"abc")


def test_a_copied_hash_keeps_the_prefix_and_goes_its_own_way() -> None:
    prefix = Sha256()
    prefix.update(b"shared ")
    branch = prefix.copy()
    branch.update(b"left")
    prefix.update(b"right")
    assert branch.text() == sha256(b"shared left")
    assert prefix.text() == sha256(b"shared right")


def test_a_tagged_digest_is_the_hash_of_its_framed_tag_and_parts() -> None:
    expected = hashlib.sha256(framed(b"groundwire/1/frame", b"one", b"", b"two")).hexdigest()
    assert tagged("frame", b"one", b"", b"two") == "gw1:" + expected
    assert tagged_raw("frame", b"one", b"", b"two").hex() == expected


def test_no_two_domains_share_a_digest() -> None:
    assert len({tagged(domain, b"x") for domain in digest.DOMAINS}) == len(digest.DOMAINS)


def test_parts_cut_elsewhere_have_another_digest() -> None:
    ways = [(b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"abc", b""), (b"", b"abc")]
    assert len({tagged("value", *parts) for parts in ways}) == len(ways)


@pytest.mark.parametrize("domain", ["", "Content", "content/", "groundwire/1/content", "calls"])
def test_a_domain_that_the_format_does_not_name_is_refused(domain) -> None:
    with pytest.raises(EncodingError) as caught:
        tagged(domain, b"x")
    assert caught.value.reason == "unknown-domain"


@pytest.mark.parametrize("form", sorted(digest.FORMS))
def test_a_commitment_is_the_content_digest_of_salt_form_and_bytes(form) -> None:
    assert commitment(SALT, form, b"data") == tagged("content", SALT, form.encode(), b"data")


def test_equal_contents_under_two_salts_or_forms_have_two_commitments() -> None:
    salts = [SALT, bytes(16)]
    found = {commitment(salt, form, b"x") for salt in salts for form in digest.FORMS}
    assert len(found) == 2 * len(digest.FORMS)


@pytest.mark.parametrize("salt", [b"", SALT[:15], SALT + b"\x00"])
def test_a_salt_of_another_length_is_refused(salt) -> None:
    with pytest.raises(EncodingError) as caught:
        commitment(salt, "text", b"x")
    assert caught.value.reason == "bad-salt"


def test_an_unknown_form_of_content_is_refused() -> None:
    with pytest.raises(EncodingError) as caught:
        commitment(SALT, "yaml", b"x")
    assert caught.value.reason == "unknown-form"


@pytest.mark.parametrize("prefix", ["sha256:", "gw1:", "leaf:", "root:"])
def test_the_bytes_of_a_digest_are_its_digits(prefix) -> None:
    assert raw(prefix + "0a" * 32) == b"\x0a" * 32


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "0a" * 32,
        "sha256" + "0a" * 32,
        "sha256:" + "0a" * 31,
        "sha256:" + "0a" * 33,
        "sha256:" + "0A" * 32,
        "SHA256:" + "0a" * 32,
        "sha512:" + "0a" * 32,
        "gw2:" + "0a" * 32,
        "gw1::" + "0a" * 31 + "0",
        "gw1:" + "0g" * 32,
        "gw1:" + " 0" * 32,
        "gw1:" + "0a" * 31 + "0 ",
        "gw1:" + "0a" * 31 + "0\n",
        "gw1:" + "0a" * 31 + "0\u0661",
        "gw1:" + "\uff10a" * 32,
        " gw1:" + "0a" * 32,
        "gw1:" + "0_" + "0a" * 31,
        "gw1:0x" + "0a" * 31,
    ],
)
def test_a_digest_in_any_other_spelling_is_refused(text) -> None:
    with pytest.raises(EncodingError) as caught:
        raw(text)
    assert caught.value.reason == "bad-digest"


def test_a_leaf_hash_can_be_no_plain_hash_of_the_line() -> None:
    assert leaf_hash(b"line") == hashlib.sha256(b"\x00line").digest()
    assert leaf_hash(b"line") != hashlib.sha256(b"line").digest()


def test_leaf_hashes_are_the_leaf_hash_of_each_line() -> None:
    lines = [b"", b"one", b"two"]
    assert leaf_hashes(line + b"\n" for line in lines) == [leaf_hash(line) for line in lines]

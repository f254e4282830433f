"""Media: images, audio and files as digests of what crossed the wire."""

from __future__ import annotations

import binascii

from groundwire.canon.digest import sha256
from groundwire.documents.frame import Media

_DEFAULTS = {
    "image": "image/*",
    "audio": "audio/*",
    "video": "video/*",
    "file": "application/octet-stream",
}


def from_base64(data: str, media_type: str) -> Media | None:
    """The media with these base64 bytes, or None where they are no base64."""
    try:
        decoded = binascii.a2b_base64(data.encode("ascii"), strict_mode=True)
    except (ValueError, UnicodeError):  # binascii.Error is a ValueError
        return None
    return Media(media_type, sha256(decoded), len(decoded))


def from_url(url: str, kind: str) -> Media | None:
    """The media at a URL: of a base64 `data:` URL the bytes, else the digest of the URL, size 0.

    None for a `data:` URL that cannot be read. `kind` is `image`, `audio`, `video` or `file`, for
    what states no type itself. What a remote URL leads to is not known and not fetched.
    """
    if url[:5].lower() != "data:":
        return Media(_DEFAULTS[kind], sha256(url.encode("utf-8", "replace")), 0)
    header, comma, data = url[5:].partition(",")
    words = header.split(";")
    if not comma or words[-1].strip().lower() != "base64":
        return None
    return from_base64(data, words[0].strip() or _DEFAULTS[kind])


def from_file_data(data: str) -> Media | None:
    """A file given as a `data:` URL or as bare base64."""
    if data[:5].lower() == "data:":
        return from_url(data, "file")
    return from_base64(data, _DEFAULTS["file"])

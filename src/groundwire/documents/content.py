"""Content: one line beside the entries of a recording, which opens one commitment.

See docs/reference/recording-format.md, Content lines, which this module states in types.
"""

from __future__ import annotations

from typing import final

import msgspec

from groundwire.documents.entry import Count


@final
class Content(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="@",
    tag="content",
):
    """One content line; exactly one of `text`, `b64`, `parts`, `file` is set.

    `commitment` is what it opens. `parts` alternates text and withheld secrets. `file` is the
    `sha256:` of a file beside the recording, `size` its bytes.
    """

    b64: str | None = None
    commitment: str
    file: str | None = None
    parts: tuple[str | Withheld, ...] | None = None
    salt: str
    size: Count | None = None
    text: str | None = None


class Withheld(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A secret that was kept out: its shape, its length in bytes, and a commitment to it.

    The commitment's salt is kept nowhere. Equal secrets of one run have equal commitments.
    """

    shape: str
    size: Count
    withheld: str

"""Times as text: RFC 3339 in UTC, six decimals, `Z`; one spelling per instant."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from groundwire.errors import EncodingError

# The last time that was spelled: whoever spells one mostly reads it next, to check what it stands in.
_spelled = ("1970-01-01T00:00:00.000000Z", datetime(1970, 1, 1, tzinfo=UTC))


def parse_time(text: str) -> datetime:
    """The instant that `text` spells, in UTC, as docs/reference/recording-format.md writes times.

    Takes no other offset, no fewer decimals, no lower case, no leap second: two texts are equal
    exactly where their instants are, and texts sort as instants do.

    Raises:
        EncodingError: `bad-time`.
    """
    spelled, moment = _spelled
    return moment if text == spelled else _parse(text)


@lru_cache(maxsize=64)
def _parse(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise _bad_time(text) from error
    # `fromisoformat` reads many spellings (weeks, offsets, 24:00); only the one we write counts.
    if moment.tzinfo is None or format_time(moment) != text:
        raise _bad_time(text)
    return moment


# It writes what `isoformat` does, in a tenth of the time; but no decimals where they are all 0.
_ENCODER = msgspec.json.Encoder()


def spell_time(moment: datetime) -> str:
    """`moment` in the one spelling that `parse_time` reads; to the microsecond.

    Raises:
        EncodingError: `bad-time` for a moment without a time zone, or one that has no UTC date.
    """
    global _spelled  # noqa: PLW0603 -- one pair, put there at once: any thread may read it
    if moment.utcoffset() is None:
        raise EncodingError("bad-time", "A time needs a time zone; give it in UTC.")
    if moment.tzinfo is not UTC:
        try:
            moment = moment.astimezone(UTC)
        except OverflowError as error:
            raise EncodingError("bad-time", "A time must lie in the years 1 to 9999.") from error
    if not moment.microsecond:
        return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
    text = _ENCODER.encode(moment)[1:-1].decode("ascii")
    _spelled = text, moment
    return text


# What is written is read again to be checked.
format_time = lru_cache(maxsize=16)(spell_time)
"""As `spell_time`, of a moment that is soon asked for again."""


def _bad_time(text: str) -> EncodingError:
    return EncodingError(
        "bad-time",
        f"{text[:40]!a} is no time of this format; write it as 2026-05-04T10:20:30.000000Z.",
    )

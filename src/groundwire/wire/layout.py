"""Layout: where the messages stand in a request body, found in one pass or carried on from another.

A body is `before`, the messages joined by `between`, `after`. Whatever is found is exact: the slices
put together again are the body, or it is called irregular.
"""

from __future__ import annotations

import re
from itertools import accumulate

import msgspec
from msgspec import Raw

from groundwire.documents.strand import Strand
from groundwire.errors import EncodingError
from groundwire.wire import scan

_SEPARATOR = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*")
_LIST_OPENS = re.compile(rb"[ \t\n\r]*\[[ \t\n\r]*")
_LIST_CLOSES = re.compile(rb"[ \t\n\r]*\]")
# How many places that look like the list are tried before the slower, certain way is taken.
_TRIES = 16
# How many messages are compared with the body at once; their copy stays small.
_TOGETHER = 64


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """`ends[i]` is where message `i` ends, `settled` where `after` begins.

    `between` is the first separator. `fresh` are the messages after those that go on from the
    layout it was carried on from.
    """

    before: bytes
    between: bytes
    after: bytes
    fresh: tuple[bytes, ...]
    ends: Strand[int]
    regular: bool
    settled: int


class _Messages(msgspec.Struct):
    messages: list[Raw] | None = None


class _Input(msgspec.Struct):
    input: list[Raw] | None = None


_MESSAGES = msgspec.json.Decoder(_Messages)
_INPUT = msgspec.json.Decoder(_Input)
_OPENINGS = {
    field: re.compile(rb'"' + field.encode("ascii") + rb'"[ \t\n\r]*:[ \t\n\r]*\[[ \t\n\r]*')
    for field in ("messages", "input")
}


def lay_out(body: bytes, field: str, *, may_be_text: bool) -> Layout:
    """The layout of `body`, whose messages are the array in its member `field`.

    With `may_be_text` the member may also be a string, which is the one message then, or missing,
    and then there are none.

    Raises:
        EncodingError: `not-json`, `not-an-object`, `too-deep`, `repeated-key`, `no-messages`,
            `messages-not-a-list`.
    """
    values = _quick_values(body, field)
    if values:  # An empty list looks like any other; only the certain way tells them apart.
        messages = tuple(map(bytes, values))
        for _, opening in zip(range(_TRIES), _OPENINGS[field].finditer(body), strict=False):
            found = _lay(body, opening.end(), messages)
            if found is not None and _is_whole_list(found, field):
                return found
    return _surely(body, field, may_be_text=may_be_text)


def carry_on(body: bytes, known: Layout, kept: int) -> Layout | None:
    """The layout of `body`, which agrees with a body laid out before up to message `kept`'s end.

    Reads only what comes after. None where that cannot be read so: lay out the whole body then.
    """
    if kept == 0 or not _LIST_CLOSES.match(known.after):
        return None
    position = known.ends[kept - 1]
    try:
        fresh, after = _fresh(body, position, known.after)
        walked = _walk(body, position, fresh, known.between if kept > 1 else None)
        if walked is None:
            return None
        ends, between, even = walked
        settled = ends[-1] if ends else position
        if after is None or settled + len(after) != len(body):
            after = body[settled:]
        if after is not known.after:
            demand_single_keys(known.before, after)
    except EncodingError:
        return None
    total = kept + len(fresh)
    return Layout(
        before=known.before,
        between=between if total > 1 else b"",
        after=after,
        fresh=fresh,
        ends=known.ends.going_on(kept, ends),
        regular=even and (known.regular or kept == 1),
        settled=settled,
    )


def demand_single_keys(before: bytes, after: bytes) -> list[tuple[str, Raw]]:
    """The members of a shell, in which no key stands twice and the messages are gone.

    Raises:
        EncodingError: `repeated-key`, and whatever `scan.pairs` refuses.
    """
    found = scan.pairs(close_shell(before, after))
    keys = {key for key, _ in found}
    if len(keys) != len(found):
        raise EncodingError(
            "repeated-key",
            "A key stands twice at the top of the body; readers disagree on which one counts, so "
            "it is recorded whole and not read.",
        )
    return found


def close_shell(before: bytes, after: bytes) -> bytes:
    """The JSON of a body without its messages: an empty array stands there, or null for a text."""
    if not after or _LIST_CLOSES.match(after):
        return before + after
    return before + b"null" + after


def _quick_values(body: bytes, field: str) -> list[Raw] | None:
    try:
        if field == "messages":
            return _MESSAGES.decode(body).messages
        return _INPUT.decode(body).input
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def _is_whole_list(found: Layout, field: str) -> bool:
    if not _LIST_CLOSES.match(found.after):
        return False
    try:
        shell = demand_single_keys(found.before, found.after)
    except EncodingError as error:
        if error.reason == "repeated-key":
            raise
        return False
    return any(
        key == field and scan.first(value) == b"[" and not scan.elements(value)
        for key, value in shell
    )


def _surely(body: bytes, field: str, *, may_be_text: bool) -> Layout:
    places = scan.members(body)
    if len({place.key for place in places}) != len(places):
        demand_single_keys(body, b"")
    place = next((place for place in places if place.key == field), None)
    if place is None:
        if may_be_text:
            return _without_messages(body)
        raise EncodingError("no-messages", f"The body has no {field!r}; it is not of this kind.")
    value = body[place.start : place.end]
    opening = _LIST_OPENS.match(body, place.start)
    if opening is not None:
        found = _lay(body, opening.end(), tuple(map(bytes, scan.elements(value))))
        if found is not None:
            return found
    elif may_be_text and value[:1] == b'"':
        return Layout(
            before=body[: place.start],
            between=b"",
            after=body[place.end :],
            fresh=(value,),
            ends=Strand((place.end,)),
            regular=True,
            settled=place.end,
        )
    raise EncodingError("messages-not-a-list", f"{field!r} of the body is no list of messages.")


def _without_messages(body: bytes) -> Layout:
    return Layout(
        before=body,
        between=b"",
        after=b"",
        fresh=(),
        ends=Strand(),
        regular=True,
        settled=len(body),
    )


def _lay(body: bytes, start: int, messages: tuple[bytes, ...]) -> Layout | None:
    """The layout with `messages` standing from `start` on, or None where they do not."""
    ends: list[int] = []
    between, even = b"", True
    if messages:
        if not body.startswith(messages[0], start):
            return None
        first_end = start + len(messages[0])
        walked = _walk(body, first_end, messages[1:], None)
        if walked is None:
            return None
        rest, between, even = walked
        ends = [first_end, *rest]
    settled = ends[-1] if ends else start
    return Layout(
        before=body[:start],
        between=between,
        after=body[settled:],
        fresh=messages,
        ends=Strand(ends),
        regular=even,
        settled=settled,
    )


def _walk(
    body: bytes, position: int, values: tuple[bytes, ...], between: bytes | None
) -> tuple[list[int], bytes, bool] | None:
    """Where each of `values` ends, the first separator, and whether all separators are like it."""
    if not values:
        return [], between or b"", True
    if between is None:
        found = _SEPARATOR.match(body, position)
        if found is None:
            return None
        between = found[0]
    place, step = position, len(between)
    for start in range(0, len(values), _TOGETHER):
        some = between.join((b"", *values[start : start + _TOGETHER]))
        if not body.startswith(some, place):
            return _walk_uneven(body, position, values, between)
        place += len(some)
    ends = accumulate([step + len(value) for value in values], initial=position)
    return list(ends)[1:], between, True


def _walk_uneven(
    body: bytes, position: int, values: tuple[bytes, ...], between: bytes
) -> tuple[list[int], bytes, bool] | None:
    ends: list[int] = []
    even = True
    for value in values:
        found = _SEPARATOR.match(body, position)
        if found is None or not body.startswith(value, found.end()):
            return None
        even = even and between == found[0]
        position = found.end() + len(value)
        ends.append(position)
    return ends, between, even


def _fresh(body: bytes, position: int, after: bytes) -> tuple[tuple[bytes, ...], bytes | None]:
    """The messages from `position` on; `after` itself where the body still ends with it."""
    end = len(body) - len(after)
    if end >= position and body.endswith(after):
        try:
            return _listed(b"[0" + body[position:end] + b"]"), after
        except EncodingError:
            pass  # The end looks alike by chance; read it for itself.
    rest = scan.pairs(b'{"":[0' + body[position:])
    return _listed(rest[0][1]), None


def _listed(data: bytes | Raw) -> tuple[bytes, ...]:
    return tuple(map(bytes, scan.elements(data)[1:]))

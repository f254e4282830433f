"""Bodies: which media types are sent and read, and what stands in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Content
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.messages.asking import ask_texts
from groundwire.contracts.openapi.messages.carriers import name_shown
from groundwire.contracts.openapi.messages.encodings import compare_encodings
from groundwire.contracts.openapi.messages.told import ends, schema_findings
from groundwire.contracts.openapi.messages.writing.media import (
    Media,
    entries,
    is_text_only,
    reading,
    within,
)
from groundwire.contracts.openapi.resolving import Resolved, join
from groundwire.contracts.openapi.schemas import ANYTHING, NoSample, Schemas, Side
from groundwire.contracts.verdict import Direction


class _Body(msgspec.Struct, frozen=True):
    """What one side says of a body: its entries, those that are none, and where it stands."""

    side: Side
    at: Resolved
    kinds: tuple[Media, ...]
    odd: tuple[str, ...] = ()


def compare_body(schemas: Schemas, old: str, new: str, direction: Direction) -> Iterator[Finding]:
    """What became of a request's body; a pointer is empty where there is none."""
    noun = "request" if direction == "accepts" else "callback"
    before = schemas.at("old", old) if old else Resolved({}, "")
    after = schemas.at("new", new) if new else Resolved({}, "")
    unread = [each for each in (before, after) if each.reason]
    if unread:
        yield _not_read(f"{noun}-body", before.pointer, after.pointer, unread[0].reason)
        return
    sent, read = (before, after) if direction == "accepts" else (after, before)
    if not sent.pointer:
        if read.pointer and read.members.get("required") is True:
            yield _demanded(f"{noun}-body", "added-required", sent, read, direction)
        return
    if not read.pointer:
        yield _unknown_body(schemas, noun, sent, direction)
        return
    if read.members.get("required") is True and sent.members.get("required") is not True:
        action = "became-required" if direction == "accepts" else "became-optional"
        yield _demanded(f"{noun}-body", action, sent, read, direction)
    pointers = [
        join(each.pointer, "content") if "content" in each.members else ""
        for each in (before, after)
    ]
    yield from _compare(schemas, pointers[0], pointers[1], direction, noun)


def compare_content(
    schemas: Schemas, old: str, new: str, direction: Direction
) -> Iterator[Finding]:
    """What became of the `content` of a response; a pointer is empty where there is none."""
    noun = "response" if direction == "produces" else "callback-response"
    yield from _compare(schemas, old, new, direction, noun)
    if direction == "produces":
        yield from _withdrawn(schemas, old, new)


def sample_content(
    schemas: Schemas, side: Side, pointer: str, direction: Direction
) -> Content | None:
    """A body for a `content` map: of the first type for which one can be made up."""
    body = _body(schemas, side, pointer)
    for kind in body.kinds if body is not None else ():
        content = _sample(schemas, body, kind, direction) if body is not None else None
        if content is not None:
            return Content(content.name, content.value)
    return None


# -- media types -----------------------------------------------------------------------------------


def _compare(
    schemas: Schemas, old: str, new: str, direction: Direction, noun: str
) -> Iterator[Finding]:
    before, after = _body(schemas, "old", old), _body(schemas, "new", new)
    if before is None or after is None:
        yield _not_read(f"{noun}-content", old, new, "content-invalid")
        return
    for body, is_new in ((before, False), (after, True)):
        for key in body.odd:
            at = join(body.at.pointer, key)
            yield _not_read(
                f"{noun}-content", "" if is_new else at, at if is_new else "", "media-type-invalid"
            )
    sent, read = (before, after) if direction == "accepts" else (after, before)
    for kind in sent.kinds:
        theirs = reading(kind, read.kinds)
        if theirs is not None:
            yield from _compare_entry(schemas, sent, read, (kind, theirs), direction, noun)
        elif not read.odd:
            yield from _unknown_type(schemas, sent, read, kind, direction, noun)
        for narrower in within(kind, sent.kinds, read.kinds):
            yield from _compare_entry(schemas, sent, read, (kind, narrower), direction, noun)


def _body(schemas: Schemas, side: Side, pointer: str) -> _Body | None:
    if not pointer:
        return _Body(side, Resolved({}, ""), ())
    found = schemas.at(side, pointer)
    if found.reason or not isinstance(found.value, Mapping):
        return None
    kinds, odd = entries(found.value)
    return _Body(side, found, tuple(kinds), tuple(odd))


def _compare_entry(
    schemas: Schemas,
    sent: _Body,
    read: _Body,
    kinds: tuple[Media, Media],
    direction: Direction,
    noun: str,
) -> Iterator[Finding]:
    """Both sides know the type: what stands in it."""
    mine = schemas.at(sent.side, join(sent.at.pointer, kinds[0].key))
    theirs = schemas.at(read.side, join(read.at.pointer, kinds[1].key))
    pointers = ends(direction, mine.pointer, theirs.pointer)
    if mine.reason or theirs.reason:
        yield _not_read(f"{noun}-content", *pointers, mine.reason or theirs.reason)
        return
    # What is sent as a range is read by an entry that is within it, or the other way.
    narrower = max(kinds, key=Media.rank)
    name = kinds[0].key
    if kinds[0].is_range:
        name = narrower.concrete([*sent.kinds, *read.kinds])
    for keyword in ("schema", "itemSchema"):
        old, new = ends(direction, schemas.below(mine, keyword), schemas.below(theirs, keyword))
        if keyword == "itemSchema" and old == new == ANYTHING:
            continue
        old, new = schemas.schema("old", old), schemas.schema("new", new)
        if is_text_only(narrower) and keyword == "schema":
            verdict = ask_texts(schemas, (old, new), direction)
        else:
            verdict = schemas.ask(old, new, direction)
        yield from schema_findings(
            schemas,
            verdict,
            direction,
            (old or pointers[0], new or pointers[1]),
            "body",
            _what(noun, name),
            partial(_item if keyword == "itemSchema" else _part, name),
        )
    yield from compare_encodings(schemas, mine, theirs, kinds[0], direction, noun)


def _part(name: str, value: JSON) -> Part:
    return Part(location="body", name=name, value=value)


def _item(name: str, value: JSON) -> Part:
    return Part(location="body", name=name, value=[value])


def _what(noun: str, name: str) -> str:
    whose = {
        "request": "a request's body",
        "response": "a response",
        "callback": "a callback's body",
    }
    return f"{whose.get(noun, 'the answer to a callback')} of type {name_shown(name)}"


def _unknown_type(
    schemas: Schemas, sent: _Body, read: _Body, kind: Media, direction: Direction, noun: str
) -> Iterator[Finding]:
    """What is sent as the type, or as some of the range, has no entry by which it is read."""
    asked = direction == "accepts"
    others = [*sent.kinds, *read.kinds]
    shown = name_shown(kind.concrete(others))
    if noun == "response":
        yield _added_type(sent, read, kind, shown)
        return
    if _is_never_sent(schemas, sent, kind, direction):
        return
    before, after = ends(direction, join(sent.at.pointer, kind.key), read.at.pointer)
    yield Finding(
        rule=f"{noun}-media-type-{'refused' if asked else 'unknown'}",
        grade="breaking",
        says=f"A body of type {shown} {'is not taken any more' if asked else 'may come now'}.",
        before=before,
        after=after,
        instead="Keep every type that was taken." if asked else "Send a type that was known.",
        part=_sample(schemas, sent, kind, direction, others),
    )


def _added_type(sent: _Body, read: _Body, kind: Media, shown: str) -> Finding:
    """Who asks for a type that is still there gets it; those that are not are told apart."""
    return Finding(
        rule="response-media-type-added",
        grade="noted",
        says=f"A response may be of type {shown} too.",
        before=read.at.pointer,
        after=join(sent.at.pointer, kind.key),
    )


def _withdrawn(schemas: Schemas, old: str, new: str) -> Iterator[Finding]:
    """Types that a client could ask for and that never come any more."""
    before, after = _body(schemas, "old", old), _body(schemas, "new", new)
    if before is None or after is None or after.odd:
        return
    for kind in before.kinds:
        still = any(kind.takes(each) or each.takes(kind) for each in after.kinds)
        if not still:
            yield Finding(
                rule="response-media-type-removed",
                grade="breaking",
                says=f"A client that reads only {name_shown(kind.key)} gets nothing that it can read.",
                before=join(before.at.pointer, kind.key),
                after=after.at.pointer,
                instead="Keep sending it to those who ask for it.",
                part=_sample(schemas, after, after.kinds[0], "produces") if after.kinds else None,
            )


def _is_never_sent(schemas: Schemas, body: _Body, kind: Media, direction: Direction) -> bool:
    """Whether there is nothing that a body of the type may be."""
    at = schemas.at(body.side, join(body.at.pointer, kind.key))
    pointer = ANYTHING if at.reason else schemas.below(at, "schema")
    try:
        if pointer != ANYTHING:
            schemas.sample(body.side, pointer, direction)
    except NoSample as error:
        return bool(error.args[0] == "nothing-fits")
    return False


def _sample(
    schemas: Schemas,
    body: _Body,
    kind: Media,
    direction: Direction,
    others: Iterable[Media] = (),
) -> Part | None:
    at = schemas.at(body.side, join(body.at.pointer, kind.key))
    if at.reason:
        return None
    pointer = schemas.below(at, "schema")
    value: JSON = ""
    if pointer != ANYTHING:
        try:
            value = schemas.sample(body.side, pointer, direction)
        except NoSample:
            return None
    return Part(location="body", name=kind.concrete(others), value=value)


# -- whether there is one --------------------------------------------------------------------------


def _unknown_body(schemas: Schemas, noun: str, sent: Resolved, direction: Direction) -> Finding:
    """The reader knows of no body."""
    side: Side = "old" if direction == "accepts" else "new"
    body = _body(schemas, side, join(sent.pointer, "content") if "content" in sent.members else "")
    kinds = body.kinds if body is not None else ()
    before, after = ends(direction, sent.pointer, "")
    part = _sample(schemas, body, kinds[0], direction) if body is not None and kinds else None
    return Finding(
        rule=f"{noun}-body-{'removed' if direction == 'accepts' else 'added'}",
        grade="breaking" if direction == "accepts" else "risky",
        says="No body is taken any more." if direction == "accepts" else "A body may come now.",
        before=before,
        after=after,
        instead="Keep taking the body." if direction == "accepts" else "Send none.",
        part=part,
    )


def _demanded(
    noun: str, action: str, sent: Resolved, read: Resolved, direction: Direction
) -> Finding:
    before, after = ends(direction, sent.pointer, read.pointer)
    says = {
        "became-required": "The body has to be sent now.",
        "became-optional": "The body may be missing now.",
        "added-required": "A body has to be sent where none was known.",
    }
    if direction == "produces" and action == "added-required":
        action, says = "removed", {"removed": "The body was always sent and is gone."}
    return Finding(
        rule=f"{noun}-{action}",
        grade="breaking",
        says=says[action],
        before=before,
        after=after,
        instead="Leave it as it was, or demand it in a new operation or version.",
    )


def _not_read(noun: str, before: str, after: str, reason: str) -> Finding:
    return Finding(
        rule=f"{noun}-not-read",
        grade="undecided",
        says="What the body is could not be read.",
        before=before,
        after=after,
        reason=reason,
    )

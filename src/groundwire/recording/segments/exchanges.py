"""Exchanges: a request that left and what came back, as entries of a segment."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NotRequired, TypeAlias, TypedDict

from groundwire.canon import digest, jcs
from groundwire.documents.entry import RequestEntry, ResponseEntry
from groundwire.documents.frame import Frame
from groundwire.documents.split import Split
from groundwire.recording.segments.bodies import Body, Withhold
from groundwire.recording.segments.contents import Draft
from groundwire.recording.segments.segment import Segment
from groundwire.recording.withholding.headers import (
    Headers,
    recorded_clear,
    recorded_headers,
    recorded_parameters,
    recorded_path,
)

Outcome: TypeAlias = Literal["complete", "cut", "closed-early", "error"]


class Sent(TypedDict):
    """A request that left, or is about to.

    `path` may have a query; of it and of `headers` only what is on the lists is recorded. `split`
    is `body` taken apart, None where it is no body of a known provider; `frame` is what it says.
    `withhold` names, for the exact bytes of a message (or of a body that stands whole), stretches
    that the host wants kept out.
    """

    exchange: int
    lane: int
    lane_name: str | None
    lane_reason: str
    lane_parent: int | None
    attempt: int
    composed: int | None
    provider: str
    method: str
    path: str
    headers: Headers
    body: bytes
    split: Split | None
    frame: Frame | None
    unreadable: str
    withhold: NotRequired[Withhold]


class Received(TypedDict):
    """What came back, as far as it came; with `status` None nothing did but `error`.

    `body` is after content decoding, `captured` counts and `captured_digest` covers the bytes
    before it. `error` is empty where there was none. `withhold` as in `Sent`, for the body.
    """

    exchange: int
    lane: int
    status: int | None
    outcome: Outcome
    streamed: bool
    encoding: str
    captured: int
    captured_digest: str
    body: bytes
    headers: Headers
    error: str
    withhold: NotRequired[Withhold]


def write_request(segment: Segment, at: str, sent: Sent) -> RequestEntry:
    """The request stands in the segment.

    Raises:
        HostError: as `Segment.write`.
    """
    draft = Draft()
    stated = segment.bodies.put(
        draft,
        sent["body"],
        sent["split"],
        lane=sent["lane"],
        withhold=sent.get("withhold", _nothing),
    )
    path, in_path = recorded_path(sent["path"])
    name, in_name = _shown(sent["lane_name"])
    draft.withheld += in_path + in_name
    entry = RequestEntry(
        **segment.place(at, stated.holds | _described(segment, draft, sent, stated)),
        append=stated.append,
        attempt=sent["attempt"],
        composed=sent["composed"],
        context=stated.context,
        exchange=sent["exchange"],
        frame=stated.frame,
        keep=stated.keep,
        lane=sent["lane"],
        lane_name=name,
        lane_parent=sent["lane_parent"],
        lane_reason=sent["lane_reason"],
        method=sent["method"],
        parent=stated.parent,
        path=path,
        provider=sent["provider"],
        replaced=stated.replaced,
        size=len(sent["body"]),
        unreadable=sent["unreadable"],
        whole=stated.tail is None,
    )
    segment.write(draft, entry)
    segment.exchanges += 1
    if stated.tail is None or sent["split"] is None:
        segment.whole_bodies += 1
    else:
        segment.bodies.stands(sent["lane"], sent["exchange"], sent["split"], stated)
    return entry


def write_response(segment: Segment, at: str, received: Received) -> ResponseEntry:
    """What came back stands in the segment.

    Raises:
        HostError: as `Segment.write`.
    """
    draft = Draft()
    holds: dict[str, str] = {}
    if received["error"]:
        error = received["error"].encode("utf-8", "replace")
        holds["error"] = segment.contents.put(draft, error)
    if received["status"] is not None:
        body, headers = received["body"], recorded_headers(received["headers"])
        holds["body"] = segment.contents.put(draft, body, received.get("withhold", _nothing)(body))
        digests = f'{{"body":"{digest.sha256(body)}","captured":"{received["captured_digest"]}"}}'
        holds["digests"] = segment.put_digests(
            draft,
            digests.encode(),
            sealed=segment.contents.any_sealed(draft, holds["body"]),
        )
        holds["headers"] = segment.contents.put(draft, _encoded(headers))
    encoding, in_encoding = recorded_clear(received["encoding"])
    draft.withheld += in_encoding
    entry = ResponseEntry(
        **segment.place(at, holds),
        captured=received["captured"],
        encoding=encoding,
        exchange=received["exchange"],
        lane=received["lane"],
        outcome=received["outcome"],
        status=received["status"],
        streamed=received["streamed"],
    )
    segment.write(draft, entry)
    return entry


def _described(segment: Segment, draft: Draft, sent: Sent, stated: Body) -> dict[str, str]:
    """What a request holds beside its body."""
    split = sent["split"]
    by_parts = split is not None and stated.tail is not None
    # What was compared with the body by parts has its digest; a body that stands whole is hashed.
    body = split.body_digest if split and by_parts else digest.sha256(sent["body"])
    messages = ",".join([f'"{each}"' for each in _message_digests(stated, split, sent["frame"])])
    digests = f'{{"body":"{body}","messages":[{messages}]}}'
    headers = recorded_headers(sent["headers"], size=len(sent["body"]))
    listed = _encoded(headers | recorded_parameters(sent["path"]))
    return {
        "digests": segment.put_digests(draft, digests.encode(), sealed=stated.sealed),
        "headers": segment.contents.put(draft, listed),
    }


def _encoded(headers: dict[str, str]) -> bytes:
    return _encoded_items(tuple(headers.items()))


@lru_cache(maxsize=64)
def _encoded_items(headers: tuple[tuple[str, str], ...]) -> bytes:
    # A client sends the same headers with every request.
    return jcs.encode(dict(headers))


def _message_digests(stated: Body, split: Split | None, frame: Frame | None) -> list[str]:
    """Content digests of the new messages; none where nobody could read them one by one."""
    if split is None or frame is None or len(frame.messages) != len(split.messages):
        return []
    return [frame.messages[index].content_digest for index in stated.fresh]


def _shown(name: str | None) -> tuple[str | None, int]:
    return (None, 0) if name is None else recorded_clear(name)


def _nothing(_: bytes) -> tuple[()]:
    return ()

"""The opening entry of a segment: who runs, under which policy, and what the record claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from groundwire.canon import digest, jcs
from groundwire.documents.entry import FORMAT, Open, Previous, Window
from groundwire.documents.policy import Policy
from groundwire.recording.segments.contents import Draft
from groundwire.recording.segments.segment import Segment
from groundwire.recording.withholding.headers import recorded_clear


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What the first entry of every segment of a run says of it.

    Texts that are not known are `unstated`. `parent` is the run that started this one. `pins` are
    versions by name. `until` is the end of the time the record claims to cover, if it has one.
    """

    run: str
    agent: str = "unstated"
    model: str = "unstated"
    must_understand: tuple[str, ...] = ()
    on_behalf_of: str = "unstated"
    parent: str | None = None
    pins: Mapping[str, str] = {}
    policy: Policy = Policy()
    source: Literal["wire", "reconstructed"] = "wire"
    tags: Mapping[str, str] = {}
    trace: str | None = None
    until: str | None = None


def write_opening(segment: Segment, at: str, opening: Opening, previous: Previous | None) -> Open:
    """The opening entry stands in the segment, its policy and tags before it.

    Raises:
        HostError: as `Segment.write`.
    """
    policy = jcs.encode(msgspec.to_builtins(opening.policy))
    tools = jcs.encode(msgspec.to_builtins(opening.policy.tools))
    draft, place = segment.hold(at, policy=policy, tags=jcs.encode(dict(opening.tags)))
    entry = Open(
        **place,
        agent=_shown(draft, opening.agent),
        format=FORMAT,
        model=_shown(draft, opening.model),
        must_understand=opening.must_understand,
        on_behalf_of=_shown(draft, opening.on_behalf_of),
        parent=None if opening.parent is None else _shown(draft, opening.parent),
        pins=dict(opening.pins),
        policy=digest.tagged("policy", policy),
        previous=previous,
        run=opening.run,
        segment=segment.number,
        source=opening.source,
        toolset=digest.tagged("toolset", tools),
        trace=None if opening.trace is None else _shown(draft, opening.trace),
        window=Window(since=at, until=opening.until),
    )
    segment.write(draft, entry)
    return entry


def _shown(draft: Draft, text: str) -> str:
    shown, withheld = recorded_clear(text)
    draft.withheld += withheld
    return shown

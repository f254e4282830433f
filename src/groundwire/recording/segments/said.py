"""Said: what is said of a run beside the wire, into a segment, and the event every reader makes of it.

The live checks and those of a replay get their events from the one `event_of` here. But for
`Guarded`, which is groundwire's own, it is the host's word: nothing in it crossed a wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import jcs
from groundwire.canon.positions import Range
from groundwire.documents.entry import (
    AuthoredEntry,
    ContinuedEntry,
    DeniedEntry,
    ExecutedEntry,
    GuardedEntry,
    ParkedEntry,
    PinnedEntry,
    SaidEntry,
    VouchedEntry,
)
from groundwire.documents.event import (
    Authored,
    Continued,
    Denied,
    Executed,
    Guarded,
    Parked,
    Pinned,
    Vouched,
)
from groundwire.errors import EncodingError
from groundwire.recording.reader import Missing
from groundwire.recording.segments.contents import Draft
from groundwire.recording.segments.segment import Place, Segment

Said: TypeAlias = Executed | Guarded | Pinned | Parked | Vouched | Authored | Denied | Continued
Held: TypeAlias = Callable[[str], bytes | Missing]

# What `content = "commitments"` keeps out of the file.
_RESULTS = frozenset({"result", "structured", "rendered"})


def write_said(segment: Segment, at: str, said: Said, execution: int, *, keep_out: bool) -> Said:
    """It stands in the segment; what is returned is what a reader will make of it.

    With `keep_out` the results stay out of the file, and only there: see ADR 0005. Step and time of
    `said` are not looked at, nor the number of an execution.

    Raises:
        HostError: as `Segment.write`.
    """
    draft, contents, holds = Draft(), segment.contents, dict[str, str]()
    shown: dict[str, bytes | Missing] = {}
    as_said = True
    for name, text in _texts(said).items():
        data = text.encode("utf-8", "replace")
        whole = (Range(0, len(data)),) if keep_out and name in _RESULTS and data else ()
        holds[name] = held = contents.put(draft, data, whole)
        if contents.any_sealed(draft, held):
            data = contents.shown(data) or b""
            as_said = False
        as_said = as_said and (text.isascii() or data.decode() == text)
        shown[held] = data or (Missing("withheld") if text else b"")
    entry = _entry(segment.place(at, holds), said, execution)
    segment.write(draft, entry)
    told = _told(said, entry) if as_said else None
    return event_of(entry, shown.__getitem__) if told is None else told


def _told(said: Said, entry: SaidEntry) -> Said | None:
    """What `event_of` makes of an entry that holds every text as it was said; None: let it do so."""
    match said, entry:
        case Executed(), ExecutedEntry():
            return msgspec.structs.replace(
                said, step=entry.seq, at=entry.at, execution=entry.execution
            )
        case Guarded(gone="", document=str()), GuardedEntry():
            return msgspec.structs.replace(said, step=entry.seq, at=entry.at)
        case _:
            return None


def event_of(entry: SaidEntry, held: Held) -> Said:
    """The event of the entry; `held` gives the content behind a commitment.

    Raises:
        EncodingError: `names-malformed`: a list of names is none.
    """
    texts = {name: held(commitment) for name, commitment in entry.holds.items()}
    match entry:
        case ExecutedEntry():
            return _executed(entry, texts)
        case GuardedEntry():
            return _guarded(entry, texts)
        case PinnedEntry():
            return Pinned(
                step=entry.seq, at=entry.at, name=_text(texts, "name"), text=_text(texts, "text")
            )
        case ParkedEntry():
            return Parked(
                step=entry.seq,
                at=entry.at,
                group=_text(texts, "group"),
                tools=_names(texts["tools"]),
                parked=entry.parked,
            )
        case VouchedEntry():
            return Vouched(
                step=entry.seq,
                at=entry.at,
                value=_text(texts, "value"),
                source=_text(texts, "source"),
            )
        case AuthoredEntry():
            return Authored(
                step=entry.seq, at=entry.at, text=_text(texts, "text"), kind=entry.text_kind
            )
        case DeniedEntry():
            return Denied(step=entry.seq, at=entry.at, text=_text(texts, "text"))
        case ContinuedEntry():
            return Continued(
                step=entry.seq,
                at=entry.at,
                run=_text(texts, "run"),
                filed=_names(texts["filed"]),
            )


def _texts(said: Said) -> dict[str, str]:
    """What of it is content, by the name under which an entry holds it."""
    match said:
        case Executed():
            there = {
                "arguments": said.arguments,
                "call": said.call_id or None,
                "name": said.name,
                "rendered": said.rendered,
                "result": said.result,
                "structured": said.structured,
            }
            return {name: text for name, text in there.items() if text is not None}
        case Guarded():
            call = {"call": said.call_id} if said.call_id else {}
            document = {} if said.document is None else {"document": said.document}
            return {**call, **document, "name": said.name}
        case Pinned():
            return {"name": said.name, "text": said.text}
        case Parked():
            return {"group": said.group, "tools": jcs.encode(said.tools).decode()}
        case Vouched():
            return {"source": said.source, "value": said.value}
        case Authored() | Denied():
            return {"text": said.text}
        case Continued():
            return {"filed": jcs.encode(said.filed).decode(), "run": said.run}


def _entry(place: Place, said: Said, execution: int) -> SaidEntry:
    match said:
        case Executed():
            return ExecutedEntry(
                **place,
                exchange=said.exchange,
                execution=execution,
                lane=said.lane,
                link=said.link,
                outcome=said.outcome,
                reason=_known_reason(said.reason),
                rendering=said.rendering,
            )
        case Guarded():
            return GuardedEntry(
                **place,
                exchange=said.exchange,
                guarded=said.guarded,
                lane=said.lane,
                late=said.late,
                link=said.link,
                outcome=said.outcome,
                reason=said.reason,
                state=said.state,
            )
        case Pinned():
            return PinnedEntry(**place)
        case Parked():
            return ParkedEntry(**place, parked=said.parked)
        case Vouched():
            return VouchedEntry(**place)
        case Authored():
            return AuthoredEntry(**place, text_kind=said.kind)
        case Denied():
            return DeniedEntry(**place)
        case Continued():
            return ContinuedEntry(**place)


def _known_reason(reason: str) -> Literal["", "no-json", "no-text", "too-large"]:
    match reason:
        case "" | "no-json" | "no-text" | "too-large":
            return reason
        case _:
            raise AssertionError(reason)


def _executed(entry: ExecutedEntry, texts: Mapping[str, bytes | Missing]) -> Executed:
    gone = next((text.why for text in texts.values() if isinstance(text, Missing)), "")
    return Executed(
        step=entry.seq,
        at=entry.at,
        execution=entry.execution,
        call_id=_text(texts, "call"),
        link=entry.link,
        exchange=entry.exchange,
        lane=entry.lane,
        name=_text(texts, "name"),
        arguments=_there(texts, "arguments"),
        result=_there(texts, "result"),
        rendering=entry.rendering,
        structured=_there(texts, "structured"),
        rendered=_there(texts, "rendered"),
        outcome=entry.outcome,
        reason=gone or entry.reason,
    )


def _guarded(entry: GuardedEntry, texts: Mapping[str, bytes | Missing]) -> Guarded:
    document = texts.get("document", Missing("missing"))
    return Guarded(
        step=entry.seq,
        at=entry.at,
        guarded=entry.guarded,
        state=entry.state,
        call_id=_text(texts, "call"),
        link=entry.link,
        exchange=entry.exchange,
        lane=entry.lane,
        name=_text(texts, "name"),
        document=_there(texts, "document"),
        outcome=entry.outcome,
        reason=entry.reason,
        late=entry.late,
        gone=document.why if isinstance(document, Missing) else "",
    )


def _there(texts: Mapping[str, bytes | Missing], name: str) -> str | None:
    text = texts.get(name)
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else None


def _text(texts: Mapping[str, bytes | Missing], name: str) -> str:
    return _there(texts, name) or ""


def _names(data: bytes | Missing) -> tuple[str, ...]:
    return names_in(data) if isinstance(data, bytes) else ()


def names_in(data: bytes) -> tuple[str, ...]:
    """The names of tools in a content that is a JSON array of them.

    Raises:
        EncodingError: `names-malformed`.
    """
    try:
        return msgspec.json.decode(data, type=tuple[str, ...])
    except msgspec.DecodeError as error:
        raise EncodingError(
            "names-malformed",
            f"A list of tool names in the recording is no list of names ({error}); it was written "
            "by something else than this version of groundwire.",
        ) from error

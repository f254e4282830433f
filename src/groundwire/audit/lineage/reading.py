"""Manifests of recordings and logs: every request measured in the bytes that left, where those are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from groundwire.audit.logs import Imported, log_events
from groundwire.audit.replay import Splits, replay_segments
from groundwire.documents.entry import RequestEntry
from groundwire.documents.event import Requested
from groundwire.documents.manifest import Manifest, Source
from groundwire.documents.split import Split
from groundwire.lineage.manifest import Manifesting, Seals
from groundwire.recording.reader import Missing, Reader
from groundwire.wire.importers import ImportProblem, pieces, read_piece


class _Digests(msgspec.Struct, frozen=True):
    body: str


def manifest_of(reader: Reader) -> Manifest:
    """The manifest of the run in one recording. Says nothing about signatures: verify first.

    Raises:
        EncodingError: the recording is no whole document of this format.
    """
    return manifest_of_segments([reader])


def manifest_of_segments(readers: Sequence[Reader]) -> Manifest:
    """The manifest of a run that stands in several segments, given in their order.

    Raises: as `manifest_of`.
    """
    folded = Manifesting()
    for reader, events in zip(readers, replay_segments(readers), strict=True):
        splits = Splits(reader)
        for event in events:
            if isinstance(event, Requested):
                entry = reader.request(event.exchange)
                folded.see(event, exact_split(splits, entry), _seals(reader, entry))
            else:
                folded.see(event)
    return folded.manifest(readers[0].opening.run, _source(readers[0]))


def manifest_of_log(run: Imported) -> Manifest:
    """The manifest of an imported run. No byte position is claimed and no hash of a context."""
    folded = Manifesting()
    for event in log_events(run.steps):
        folded.see(event)
    return folded.manifest(run.run_id, "reconstructed")


def manifests_in_log(data: bytes, schemas: Mapping[str, str]) -> Iterator[Manifest | ImportProblem]:
    """A manifest for each run of a log, and the problem for each part that is no run.

    Raises:
        EncodingError: the bytes are no log that can be read.
    """
    for piece in pieces(data):
        for run in read_piece(piece, schemas):
            yield run if isinstance(run, ImportProblem) else manifest_of_log(run)


def exact_split(splits: Splits, entry: RequestEntry) -> Split | None:
    """The request taken apart; None where its bytes are not those that left.

    Where a mark stands in place of a secret, offsets would be those of another body.
    """
    split = splits.of(entry)
    if isinstance(split, str):
        return None
    joints = len(split.between) * max(0, len(split.messages) - 1)
    size = len(split.before) + sum(map(len, split.messages)) + joints + len(split.after)
    return split if size == entry.size else None


def _seals(reader: Reader, entry: RequestEntry) -> Seals:
    held = entry.holds.get("digests")
    content = Missing("missing") if held is None else reader.content(held)
    body = ""
    if not isinstance(content, Missing):
        body = msgspec.json.decode(content, type=_Digests).body
    return Seals(context=entry.context, frame=entry.frame, body=body)


def _source(reader: Reader) -> Source:
    return "recording" if reader.opening.source == "wire" else "reconstructed"

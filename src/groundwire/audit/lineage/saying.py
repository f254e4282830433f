"""What `groundwire lineage` says of a run: the native document, and the statement to be signed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from groundwire.documents.counts import counted
from groundwire.documents.lineage import LineageStatement, LineageVerdict
from groundwire.documents.manifest import CallRow, Manifest, Stretch
from groundwire.lineage.manifest import digest_of, without_texts
from groundwire.lineage.verdict import evaluate_lineage

FORMAT = "groundwire-lineage/1"


class Lineage(msgspec.Struct, frozen=True, kw_only=True):
    """A run's manifest, its digest, and the verdict on its answer by the default policy."""

    digest: str
    manifest: Manifest
    verdict: LineageVerdict


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The native document: a lineage for each run, and each part of a file that is no run."""

    format: str
    problems: tuple[str, ...]
    runs: tuple[Lineage, ...]


def document_of(manifests: Sequence[Manifest], problems: Sequence[str] = ()) -> Document:
    """The native document. Nothing maps the answers here, so no verdict rests on a mapping.

    Raises:
        EncodingError: a manifest has no canonical form.
    """
    runs = (
        Lineage(digest=digest_of(each), manifest=each, verdict=evaluate_lineage(each))
        for each in manifests
    )
    return Document(format=FORMAT, problems=tuple(problems), runs=tuple(runs))


def statement_of(
    manifest: Manifest, *, identity: str, at: str, root: str = "", size: int = 0
) -> LineageStatement:
    """What `identity` is to sign at `at`; `root` and `size` name the recording that was read.

    Raises:
        EncodingError: the manifest has no canonical form.
    """
    return LineageStatement(
        at=at,
        digest=digest_of(manifest),
        identity=identity,
        manifest=without_texts(manifest),
        root=root,
        size=size,
    )


def lines_of(lineage: Lineage) -> Iterator[str]:
    """The lineage in sentences, a line each: calls with their places, gaps, the verdict."""
    manifest = lineage.manifest
    calls, requests = (
        counted(len(manifest.calls), "call"),
        counted(len(manifest.boundaries), "request"),
    )
    yield f"run {manifest.run or '(not named)'}, {manifest.source}: {calls}, {requests}"
    for row in manifest.calls:
        yield from _row_lines(row)
    for gap in manifest.gaps:
        yield f"not seen: {gap.part} of exchange {gap.exchange} ({gap.why})"
    if manifest.unlinked:
        told = counted(manifest.unlinked, "execution")
        yield f"{told} that the host told of, of no call that was seen here"
    yield f"manifest {lineage.digest}"
    verdict = lineage.verdict
    yield f"{verdict.verdict}, {verdict.directive} ({verdict.why}): {verdict.message}"


def _row_lines(row: CallRow) -> Iterator[str]:
    chosen = "in no answer that was read" if row.chosen_in is None else f"in answer {row.chosen_in}"
    yield f"call {row.id} ({row.tool or 'tool not named'}), lane {row.lane}, chosen {chosen}: {row.standing}"
    yield from (f"  {_stretch_line(each)}" for each in row.injections)


def _stretch_line(each: Stretch) -> str:
    requests = f"request {each.first_request}"
    if each.last_request != each.first_request:
        requests = f"requests {each.first_request}-{each.last_request}"
    place = "no bytes known"
    if each.body_start >= 0:
        place = f"bytes {each.body_start}-{each.body_end} at {each.pointer}"
    return f"{requests}: {each.form}, {place}, {counted(each.text_end, 'character')}"

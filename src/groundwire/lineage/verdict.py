"""The verdict on where an answer comes from: one truth table, read from its first row down.

It believes the states of signatures that it is given: whoever checked them answers for that. It
looks at no text; that a mapping is right is the business of who made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec

from groundwire.canon import digest, jcs
from groundwire.documents.lineage import (
    BareRecord,
    Directive,
    LineagePolicy,
    LineageVerdict,
    Mapping,
    SignatureState,
    Standing,
    Word,
)
from groundwire.documents.manifest import MANIFEST, CallRow, Manifest, Stretch
from groundwire.errors import EncodingError
from groundwire.lineage.manifest import digest_of

Recorded: TypeAlias = Literal["no", "unsound", "gaps", "yes"]
Calls: TypeAlias = Literal["none", "one", "several"]
Signed: TypeAlias = Literal["all", "not-all"]
Mapped: TypeAlias = Literal["no", "wrong", "unsupported", "yes"]


_WORDS = ("result", "model", "user", "system", "unsupported")


class Situation(msgspec.Struct, frozen=True):
    """All that the table asks for.

    `calls` counts those whose result entered the context, `signed` says whether each of them has a
    signature that counts, `asked` whether the policy requires that.
    """

    recorded: Recorded
    calls: Calls
    asked: Literal["required", "reported"]
    signed: Signed
    mapped: Mapped


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One row: it is the first whose conditions hold; an empty condition always holds."""

    why: str
    recorded: tuple[Recorded, ...] = ()
    calls: tuple[Calls, ...] = ()
    asked: tuple[Literal["required", "reported"], ...] = ()
    signed: tuple[Signed, ...] = ()
    mapped: tuple[Mapped, ...] = ()
    verdict: Word
    directive: Directive
    output: Standing
    message: str

    def holds(self, at: Situation) -> bool:
        """Whether every condition of the row holds there."""
        return all(
            not wanted or found in wanted
            for wanted, found in (
                (self.recorded, at.recorded),
                (self.calls, at.calls),
                (self.asked, at.asked),
                (self.signed, at.signed),
                (self.mapped, at.mapped),
            )
        )


def _gap(why: str, message: str, **conditions: tuple[str, ...]) -> Row:
    row = {"verdict": "ATTRIBUTION_GAP", "directive": "HALT", "output": "NOT_ATTRIBUTED"}
    return msgspec.convert({"why": why, "message": message, **row, **conditions}, Row)


TABLE: tuple[Row, ...] = (
    _gap("no-manifest", "There is no manifest of the run's tool calls.", recorded=("no",)),
    _gap(
        "manifest-unsound",
        "The manifest contradicts itself, or is none: it cannot be relied on.",
        recorded=("unsound",),
    ),
    _gap(
        "manifest-with-gaps",
        "A part of the run was not seen, so there may be calls that the manifest does not list.",
        recorded=("gaps",),
    ),
    Row(
        why="self-contained",
        calls=("none",),
        verdict="NO_TOOL_CALLS",
        directive="PROCEED",
        output="ORDINARY",
        message="No tool call changed the context: the answer stands without lineage.",
    ),
    Row(
        why="signature-required",
        asked=("required",),
        signed=("not-all",),
        verdict="UNSIGNED_TOOL_RESULT",
        directive="HALT",
        output="UNVERIFIED",
        message="The policy requires signed results, and one has no signature that counts.",
    ),
    Row(
        why="single-verified-call",
        calls=("one",),
        signed=("all",),
        mapped=("no",),
        verdict="PROVENANCE_VERIFIED",
        directive="PROCEED",
        output="VERIFIED",
        message="All results come from one verified call, so nothing has to be told apart.",
    ),
    _gap("answer-not-mapped", "The answer is not mapped to the calls.", mapped=("no",)),
    _gap(
        "mapping-wrong",
        "The mapping is of another answer, leaves a part of it out, or names what is not there.",
        mapped=("wrong",),
    ),
    _gap(
        "unsupported-range",
        "A part of the answer holds values that nothing served.",
        mapped=("unsupported",),
    ),
    Row(
        why="signature-missing",
        signed=("not-all",),
        verdict="UNSIGNED_TOOL_RESULT",
        directive="PROCEED",
        output="UNVERIFIED",
        message="The answer is mapped; a result that it may rest on has no signature that counts.",
    ),
    Row(
        why="all-of-it",
        verdict="PROVENANCE_VERIFIED",
        directive="PROCEED",
        output="VERIFIED",
        message="Every call is recorded, every result signed, the whole answer mapped.",
    ),
)
"""The truth table. Its last row has no condition, so every situation has a row."""


class HasManifest(Protocol):
    """A run that can give its manifest: an opened recording, a live session."""

    def manifest(self) -> Manifest: ...


def evaluate_lineage(
    run: HasManifest | Manifest | Sequence[BareRecord] | None,
    policy: LineagePolicy | None = None,
    *,
    mapping: Mapping | None = None,
    signatures: Sequence[SignatureState] = (),
) -> LineageVerdict:
    """The verdict on the run's answer; there is one for whatever documents are given.

    `run` may be bare records of another recorder, whose own signature states are used; one without
    an offset is a gap. Without a mapping an answer that rests on several calls is `ATTRIBUTION_GAP`.
    Signatures are not checked here: `signatures` says what whoever checked them found. What
    `run.manifest()` raises is passed on.
    """
    rules = policy or LineagePolicy()
    manifest, states = _given(run, signatures)
    changed = () if manifest is None else changed_context(manifest)
    unsigned = tuple(row for row in changed if not is_signed(row, states, rules))
    recorded, name = _recorded(manifest)
    at = Situation(
        recorded=recorded,
        calls="none" if not changed else "one" if len(changed) == 1 else "several",
        asked="reported" if rules.signatures == "reported" else "required",
        signed="not-all" if unsigned else "all",
        mapped=_mapped(mapping, manifest),
    )
    row = row_for(at)
    spoken = unsigned if row.verdict == "UNSIGNED_TOOL_RESULT" else changed
    return LineageVerdict(
        calls=tuple(each.id for each in spoken),
        digest=_digest(name, mapping, states, rules),
        directive=row.directive,
        manifest=name,
        message=row.message,
        output=row.output,
        verdict=row.verdict,
        why=row.why,
    )


def row_for(at: Situation) -> Row:
    """The first row of the table whose conditions hold."""
    return next(row for row in TABLE if row.holds(at))


def changed_context(manifest: Manifest) -> tuple[CallRow, ...]:
    """The calls whose result entered the context, or may have where nobody could see it."""
    return tuple(row for row in manifest.calls if row.standing != "not-injected")


def is_signed(row: CallRow, states: Iterable[SignatureState], policy: LineagePolicy) -> bool:
    """Whether the row has a signature that counts, and no state that speaks against it.

    A state over another text than the row's output does not count. Neither does any where the
    result stood rewritten in a request: what the model read is not what was signed.
    """
    mine = [each for each in states if (each.call, each.lane) == (row.id, row.lane)]
    if not mine or not row.output or any(each.form == "rewritten" for each in row.injections):
        return False
    counted = ("service", "host") if policy.host == "counts" else ("service",)
    return all(
        each.state == "verified" and each.output == row.output and each.by in counted
        for each in mine
    )


def _given(
    run: HasManifest | Manifest | Sequence[BareRecord] | None,
    signatures: Sequence[SignatureState],
) -> tuple[Manifest | None, tuple[SignatureState, ...]]:
    if run is None or isinstance(run, Manifest):
        return run, tuple(signatures)
    if isinstance(run, Sequence):
        states = (
            SignatureState(
                by=each.signed_by, call=each.id, lane=0, output=each.output, state=each.signature
            )
            for each in run
        )
        return manifest_of_records(run), (*states, *signatures)
    return run.manifest(), tuple(signatures)


def manifest_of_records(records: Sequence[BareRecord]) -> Manifest:
    """Another recorder's records as a manifest; a record without an offset has no known position."""
    rows = (
        CallRow(
            chosen_in=None,
            executed_by="host",
            id=each.id,
            injections=() if each.offset is None else (_stretch(each, each.offset),),
            inputs=each.inputs,
            inputs_text=None,
            lane=0,
            output=each.output,
            output_from="stated",
            output_sha256="",
            position=-1,
            standing="not-observed" if each.offset is None else "injected",
            tool=each.tool,
        )
        for each in records
    )
    return Manifest(
        answers=(),
        boundaries=(),
        calls=tuple(rows),
        format=MANIFEST,
        gaps=(),
        run="",
        source="records",
        unlinked=0,
    )


def _stretch(record: BareRecord, offset: int) -> Stretch:
    return Stretch(
        body_end=-1,
        body_start=offset,
        compared_with="first-carried",
        first_request=0,
        form="whole",
        injected=record.output,
        lane=0,
        last_request=0,
        message=0,
        pointer="",
        returned=record.output,
        text_bytes=0,
        text_end=0,
        text_start=0,
    )


def _recorded(manifest: Manifest | None) -> tuple[Recorded, str]:
    if manifest is None:
        return "no", ""
    try:
        name = digest_of(manifest)
    except EncodingError:
        return "unsound", ""
    if not _is_sound(manifest):
        return "unsound", name
    unplaced = manifest.source == "records" and any(not row.injections for row in manifest.calls)
    return "gaps" if manifest.gaps or unplaced else "yes", name


def _is_sound(manifest: Manifest) -> bool:
    """Whether no call is listed twice, each has digests, and no result stands where it cannot."""
    seen: set[tuple[int, str, int | None, int]] = set()
    for row in manifest.calls:
        # A provider's calls and results may be told in no words; a call that nobody chose may be twice.
        key = (row.lane, row.id, row.chosen_in, row.position)
        if not row.id or key in seen:
            return False
        seen.add(key)
        if row.injections and not row.output:
            return False
        if manifest.source == "records" and not row.inputs:
            return False
        if row.standing == "not-injected" and row.injections:
            return False
    return True


def _mapped(mapping: Mapping | None, manifest: Manifest | None) -> Mapped:
    if mapping is None or manifest is None:
        return "no"
    answers = {answer.digest: answer.characters for answer in manifest.answers}
    size = answers.get(mapping.answer)
    if manifest.source == "records":
        # Another recorder's answer is known by its digest alone: it ends where its mapping does.
        size = max((each.end for each in mapping.segments), default=None)
    if size is None:
        return "wrong"
    covered = 0
    for each in sorted(mapping.segments, key=lambda segment: segment.start):
        named = all(0 <= place < len(manifest.calls) for place in each.calls)
        if each.start > covered or each.end < each.start or each.end > size or not named:
            return "wrong"
        served = each.word == "result"
        if bool(each.calls) != served or bool(each.method) != served or each.word not in _WORDS:
            return "wrong"
        covered = max(covered, each.end)
    if covered != size:
        return "wrong"
    words = {each.word for each in mapping.segments}
    return "unsupported" if "unsupported" in words else "yes"


def _digest(
    manifest: str,
    mapping: Mapping | None,
    states: tuple[SignatureState, ...],
    policy: LineagePolicy,
) -> str:
    try:
        parts = (manifest.encode(), *map(jcs.encode_document, (mapping, states, policy)))
    except EncodingError:
        return ""
    return digest.tagged("lineage", *parts) if manifest else ""

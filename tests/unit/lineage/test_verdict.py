from __future__ import annotations

from itertools import product
from typing import get_args

import msgspec
import pytest

from groundwire.documents.lineage import (
    BareRecord,
    LineagePolicy,
    LineageVerdict,
    Mapping,
    Segment,
    SignatureState,
    SignatureWord,
)
from groundwire.documents.manifest import Manifest
from groundwire.lineage.manifest import Manifesting, digest_of
from groundwire.lineage.verdict import (
    TABLE,
    Calls,
    Mapped,
    Recorded,
    Signed,
    Situation,
    evaluate_lineage,
    row_for,
)
from tests.stories import Story, call, frame, message, response, result

replace = msgspec.structs.replace
ASK = message("user", "Which host is full?")
REQUIRED = LineagePolicy(signatures="required")
ANSWER = "db-7 is full."


def run(*results: str, answer: str = ANSWER, wire: bool = True) -> Manifest:
    """A run that made a call for each result and then answered."""
    story, folded = Story(), Manifesting()
    shown = [ASK]
    story.request(frame(*shown), wire=wire)
    for number, text in enumerate(results):
        chosen = message("assistant", call("look", {"n": number}, f"c{number}"))
        story.respond(response(*chosen.parts))
        shown += [chosen, result(text, f"c{number}")]
        story.request(frame(*shown), wire=wire)
    story.respond(response(answer))
    for event in story.events:
        folded.see(event)
    return folded.manifest("r1", "recording")


def signed(manifest: Manifest, **changes: object) -> list[SignatureState]:
    return [
        replace(
            SignatureState(
                by="service", call=row.id, lane=row.lane, output=row.output, state="verified"
            ),
            **changes,
        )
        for row in manifest.calls
    ]


def mapped(manifest: Manifest, *segments: Segment) -> Mapping:
    [answer] = manifest.answers
    return Mapping(answer=answer.digest, segments=segments or (segment(0, answer.characters, 0),))


def segment(start: int, end: int, *calls: int, word: str = "result") -> Segment:
    method = "verbatim" if word == "result" else ""
    return msgspec.convert(
        {"start": start, "end": end, "calls": calls, "word": word, "method": method}, Segment
    )


def said(verdict: LineageVerdict) -> tuple[str, str, str, str]:
    return verdict.verdict, verdict.directive, verdict.output, verdict.why


VERIFIED = ("PROVENANCE_VERIFIED", "PROCEED", "VERIFIED", "all-of-it")


def oracle(at: Situation) -> tuple[str, str]:
    """The decision boundary of the specification, written as questions and not as a table."""
    if at.recorded != "yes":
        return "ATTRIBUTION_GAP", "HALT"
    if at.calls == "none":
        return "NO_TOOL_CALLS", "PROCEED"
    if at.asked == "required" and at.signed == "not-all":
        return "UNSIGNED_TOOL_RESULT", "HALT"
    alone = at.mapped == "no" and at.calls == "one" and at.signed == "all"
    if at.mapped != "yes" and not alone:
        return "ATTRIBUTION_GAP", "HALT"
    if at.signed == "not-all":
        return "UNSIGNED_TOOL_RESULT", "PROCEED"
    return "PROVENANCE_VERIFIED", "PROCEED"


def every_situation() -> list[Situation]:
    choices = (Recorded, Calls, None, Signed, Mapped)
    values = [("required", "reported") if each is None else get_args(each) for each in choices]
    return [msgspec.convert(list(each), SituationList).situation() for each in product(*values)]


class SituationList(msgspec.Struct, array_like=True):
    recorded: Recorded
    calls: Calls
    asked: str
    signed: Signed
    mapped: Mapped

    def situation(self) -> Situation:
        return msgspec.convert(msgspec.structs.asdict(self), Situation)


def test_the_table_is_total_and_says_what_the_specification_says() -> None:
    for row in TABLE:
        print(f"{row.why:<22} {row.verdict:<22} {row.directive:<8} {row.output}")
    used = set()
    situations = every_situation()
    assert len(situations) == 4 * 3 * 2 * 2 * 4
    for at in situations:
        row = row_for(at)
        used.add(row.why)
        assert (row.verdict, row.directive) == oracle(at), at
    assert used == {row.why for row in TABLE}


def test_all_of_it_is_provenance_verified() -> None:
    manifest = run("db-7", "91 %")
    verdict = evaluate_lineage(manifest, mapping=mapped(manifest), signatures=signed(manifest))
    assert said(verdict) == VERIFIED
    assert verdict.manifest == digest_of(manifest)


def test_no_manifest_is_a_gap() -> None:
    assert said(evaluate_lineage(None)) == (
        "ATTRIBUTION_GAP", "HALT", "NOT_ATTRIBUTED", "no-manifest"
    )  # fmt: skip


def test_a_run_without_calls_stands_on_its_own() -> None:
    assert said(evaluate_lineage(run(), REQUIRED)) == (
        "NO_TOOL_CALLS", "PROCEED", "ORDINARY", "self-contained"
    )  # fmt: skip


def test_a_call_whose_result_entered_no_request_changed_nothing() -> None:
    manifest = run("db-7")
    row = replace(manifest.calls[0], injections=(), standing="not-injected")
    assert evaluate_lineage(replace(manifest, calls=(row,))).verdict == "NO_TOOL_CALLS"


def test_without_a_mapping_several_calls_are_a_gap_however_well_signed() -> None:
    manifest = run("db-7", "91 %")
    verdict = evaluate_lineage(manifest, REQUIRED, signatures=signed(manifest))
    assert (verdict.verdict, verdict.why) == ("ATTRIBUTION_GAP", "answer-not-mapped")
    assert verdict.calls == ("c0", "c1")


def test_one_verified_call_needs_no_mapping_and_one_unverified_does() -> None:
    manifest = run("db-7")
    verdict = evaluate_lineage(manifest, signatures=signed(manifest))
    assert (verdict.verdict, verdict.why) == ("PROVENANCE_VERIFIED", "single-verified-call")
    assert evaluate_lineage(manifest).why == "answer-not-mapped"


def test_required_signatures_are_asked_for_before_the_mapping() -> None:
    manifest = run("db-7", "91 %")
    verdict = evaluate_lineage(manifest, REQUIRED, signatures=signed(manifest)[:1])
    assert said(verdict)[:3] == ("UNSIGNED_TOOL_RESULT", "HALT", "UNVERIFIED")
    assert verdict.calls == ("c1",)


def test_signatures_that_are_not_required_do_not_halt() -> None:
    manifest = run("db-7")
    verdict = evaluate_lineage(manifest, mapping=mapped(manifest))
    assert said(verdict)[:3] == ("UNSIGNED_TOOL_RESULT", "PROCEED", "UNVERIFIED")


def test_a_word_of_the_policy_that_is_none_asks_for_signatures() -> None:
    policy = LineagePolicy(signatures="requird")  # type: ignore[arg-type] -- what a caller may do
    assert evaluate_lineage(run("db-7"), policy).directive == "HALT"
    assert evaluate_lineage(run("db-7"), policy).verdict == "UNSIGNED_TOOL_RESULT"


@pytest.mark.parametrize("word", [each for each in get_args(SignatureWord) if each != "verified"])
def test_of_six_states_one_counts(word: str) -> None:
    manifest = run("db-7")
    verdict = evaluate_lineage(manifest, REQUIRED, signatures=signed(manifest, state=word))
    assert verdict.verdict == "UNSIGNED_TOOL_RESULT"


def test_a_string_that_is_no_state_counts_for_nothing() -> None:
    manifest = run("db-7")
    verdict = evaluate_lineage(manifest, REQUIRED, signatures=signed(manifest, state="signed!"))
    assert verdict.verdict == "UNSIGNED_TOOL_RESULT"


def test_a_signature_by_the_host_counts_only_where_the_policy_says_so() -> None:
    manifest = run("db-7")
    by_host = signed(manifest, by="host")
    assert evaluate_lineage(manifest, REQUIRED, signatures=by_host).directive == "HALT"
    allowed = LineagePolicy(host="counts", signatures="required")
    assert evaluate_lineage(manifest, allowed, signatures=by_host).why == "single-verified-call"


def test_a_signature_by_nobody_known_counts_under_no_policy() -> None:
    manifest = run("db-7")
    allowed = LineagePolicy(host="counts", signatures="required")
    by_none = signed(manifest, by="someone")
    assert evaluate_lineage(manifest, allowed, signatures=by_none).directive == "HALT"


@pytest.mark.parametrize("change", [{"output": "gw1:other"}, {"call": "c9"}, {"lane": 1}])
def test_a_signature_over_another_text_or_call_does_not_count(change: dict[str, object]) -> None:
    manifest = run("db-7")
    assert evaluate_lineage(
        manifest, REQUIRED, signatures=signed(manifest, **change)
    ).directive == ("HALT")


def test_a_second_state_that_speaks_against_a_result_is_not_outvoted() -> None:
    manifest = run("db-7")
    both = [*signed(manifest), *signed(manifest, state="mismatch")]
    assert evaluate_lineage(manifest, REQUIRED, signatures=both).directive == "HALT"


def test_a_result_that_stood_rewritten_is_not_what_was_signed() -> None:
    manifest = run("db-7")
    row = manifest.calls[0]
    other = replace(row, injections=(replace(row.injections[0], form="rewritten"),))
    manifest = replace(manifest, calls=(other,))
    assert evaluate_lineage(manifest, REQUIRED, signatures=signed(manifest)).directive == "HALT"


def test_a_gap_in_what_was_seen_is_a_gap_even_where_no_call_was_seen() -> None:
    story, folded = Story(), Manifesting()
    story.request(frame(ASK, held="previous_response_id"))
    story.respond(response(ANSWER))
    for event in story.events:
        folded.see(event)
    verdict = evaluate_lineage(folded.manifest("r1", "recording"))
    assert (verdict.verdict, verdict.why) == ("ATTRIBUTION_GAP", "manifest-with-gaps")


def test_a_manifest_that_contradicts_itself_is_relied_on_for_nothing() -> None:
    manifest = run("db-7")
    row = manifest.calls[0]
    for broken in (
        replace(manifest, calls=(row, row)),
        replace(manifest, calls=(replace(row, id=""),)),
        replace(manifest, calls=(replace(row, inputs_text="{}"),)),
        replace(manifest, calls=(replace(row, standing="not-injected"),)),
        replace(manifest, calls=(replace(row, output=""),)),
    ):
        verdict = evaluate_lineage(broken, mapping=mapped(manifest), signatures=signed(broken))
        assert (verdict.directive, verdict.why) == ("HALT", "manifest-unsound")


SIZE = len(ANSWER)


@pytest.mark.parametrize(
    ("segments", "why"),
    [
        ([segment(0, SIZE, 0)], "all-of-it"),
        ([segment(0, 4, 0), segment(4, SIZE, word="model")], "all-of-it"),
        ([segment(0, SIZE, 0), segment(2, 5, 1)], "all-of-it"),
        ([segment(0, 4, 0)], "mapping-wrong"),
        ([segment(1, SIZE, 0)], "mapping-wrong"),
        ([segment(0, 4, 0), segment(5, SIZE, 0)], "mapping-wrong"),
        ([segment(0, SIZE + 1, 0)], "mapping-wrong"),
        ([segment(0, SIZE, 7)], "mapping-wrong"),
        ([segment(0, SIZE)], "mapping-wrong"),
        ([segment(0, SIZE, 0), segment(5, 4, 0)], "mapping-wrong"),
        ([segment(0, SIZE, 0, word="model")], "mapping-wrong"),
        ([segment(0, 4, 0), segment(4, SIZE, word="unsupported")], "unsupported-range"),
    ],
)
def test_a_mapping_covers_the_whole_answer_and_names_calls_that_there_are(
    segments: list[Segment], why: str
) -> None:
    manifest = run("db-7", "91 %")
    mapping = mapped(manifest, *segments)
    assert evaluate_lineage(manifest, mapping=mapping, signatures=signed(manifest)).why == why


def test_a_mapping_of_another_answer_is_wrong() -> None:
    manifest = run("db-7", "91 %")
    other = replace(mapped(manifest), answer="gw1:other")
    assert evaluate_lineage(manifest, mapping=other, signatures=signed(manifest)).why == (
        "mapping-wrong"
    )


def test_the_digest_covers_signatures_mapping_and_policy() -> None:
    manifest = run("db-7", "91 %")
    states, mapping = signed(manifest), mapped(manifest)
    verdicts = [
        evaluate_lineage(manifest, mapping=mapping, signatures=states),
        evaluate_lineage(manifest, REQUIRED, mapping=mapping, signatures=states),
        evaluate_lineage(manifest, mapping=mapping, signatures=states[:1]),
        evaluate_lineage(manifest, mapping=mapping, signatures=signed(manifest, by="host")),
        evaluate_lineage(manifest, signatures=states),
        evaluate_lineage(run("db-7", "92 %"), mapping=mapping, signatures=states),
    ]
    assert len({verdict.digest for verdict in verdicts}) == len(verdicts)


RECORDS = [
    BareRecord(id="a", inputs="in-a", output="out-a", offset=10, signature="verified"),
    BareRecord(id="b", inputs="in-b", output="out-b", offset=90, signature="verified"),
]
WHOLE = Mapping(answer="theirs", segments=(segment(0, 9, 0, 1),))


def test_records_of_another_recorder_get_the_same_verdicts() -> None:
    assert evaluate_lineage(RECORDS, REQUIRED, mapping=WHOLE).why == "all-of-it"
    assert evaluate_lineage(RECORDS).why == "answer-not-mapped"
    assert evaluate_lineage(RECORDS[:1]).why == "single-verified-call"
    assert evaluate_lineage([]).verdict == "NO_TOOL_CALLS"
    unsigned = [RECORDS[0], replace(RECORDS[1], signature="unsigned")]
    verdict = evaluate_lineage(unsigned, REQUIRED)
    assert (verdict.directive, verdict.calls) == ("HALT", ("b",))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"offset": None}, "manifest-with-gaps"),
        ({"inputs": ""}, "manifest-unsound"),
        ({"output": ""}, "manifest-unsound"),
        ({"id": "a"}, "manifest-unsound"),
        ({"id": ""}, "manifest-unsound"),
    ],
)
def test_a_record_that_lacks_something_halts(change: dict[str, object], why: str) -> None:
    verdict = evaluate_lineage([RECORDS[0], replace(RECORDS[1], **change)], mapping=WHOLE)
    assert (verdict.directive, verdict.why) == ("HALT", why)


def test_two_runs_that_differ_in_inputs_or_signatures_alone_have_two_digests() -> None:
    changed = [
        [replace(RECORDS[0], inputs="in-c"), RECORDS[1]],
        [replace(RECORDS[0], signature="unsigned"), RECORDS[1]],
        [replace(RECORDS[0], offset=11), RECORDS[1]],
        RECORDS,
    ]
    assert len({evaluate_lineage(each).digest for each in changed}) == len(changed)

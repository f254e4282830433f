from __future__ import annotations

import msgspec
import pytest

from groundwire.audit.logs import audit_log, log_events
from groundwire.audit.report import (
    Problem,
    Report,
    audit_events,
    exit_code,
    merged,
    problem_report,
)
from groundwire.audit.summary import Document, document, summary
from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.registry import ALL_CHECKS
from groundwire.documents.event import Requested
from groundwire.documents.frame import Frame, Response
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

USER = message("user", "Restart db-7.")
BAD = call("restart", {"host": "db-9"})
SAID = message("assistant", BAD)


class Log:
    """A run as an importer gives it."""

    model, format, notes = "model-1", "runs", ("No clock.",)

    def __init__(self, *steps: Frame | Response, run_id: str = "run-1") -> None:
        self.run_id, self.steps = run_id, steps


TOLD = Log(frame(USER), response(BAD), frame(USER, SAID, result("no such host")))


def audited(*steps: Frame | Response, arm_all: bool = True, run_id: str = "run-1") -> Report:
    return audit_log(Log(*steps, run_id=run_id), arm_all=arm_all)


def of_arguments(*steps: Frame | Response) -> Report:
    """What the check of arguments alone says, whatever other checks there are."""
    events = log_events(steps, arm_all=True)
    return audit_events(events, run="run-1", checks=[UnsupportedArgument()])


def test_a_log_is_a_run_without_wire_bytes_or_a_clock() -> None:
    events = list(log_events(TOLD.steps, arm_all=True))
    assert [type(event).__name__ for event in events] == [
        "Declared",
        "Requested",
        "Responded",
        "Requested",
        "Ended",
    ]
    requests = [event for event in events if isinstance(event, Requested)]
    assert [event.exchange for event in requests] == [0, 1]
    assert not any(event.wire for event in requests)
    assert {event.at for event in events} == {""}
    assert [event.step for event in events] == [0, 1, 2, 3, 4]


def test_a_report_names_run_model_and_source_and_counts_what_happened() -> None:
    report = audited(*TOLD.steps)
    (run,) = report.runs
    assert (run.run, run.model, run.source, run.notes) == (
        "run-1",
        "model-1",
        "runs",
        ("No clock.",),
    )
    assert (run.requests, run.responses, run.defects, run.advisories) == (2, 1, 1, 0)
    assert report.by_kind == {"unsupported-argument nowhere": 1}
    assert [(filed.run, filed.request) for filed in report.findings] == [("run-1", 0)]
    assert any(", request 0, step " in line for line in summary(report))
    assert len(report.rows) == len(ALL_CHECKS)


def test_every_support_grade_is_stated_even_where_nothing_has_it() -> None:
    assert audited(*TOLD.steps).grades == {"exact": 0, "fragment": 0, "self": 0, "nowhere": 1}
    assert audited().grades == {"exact": 0, "fragment": 0, "self": 0, "nowhere": 0}


def test_declarations_arm_a_log_like_a_live_run() -> None:
    armed = ToolDeclaration(name="restart", arguments_from=("list_hosts",))
    report = audit_log(TOLD, declarations=[armed])
    assert report.totals.defects == 1
    assert audit_log(TOLD).totals.defects == 0


def test_live_and_offline_make_the_same_of_the_same_events() -> None:
    story = Story()
    story.declare(arm_all=True)
    story.request(frame(USER))
    story.respond(response(BAD))
    report = audit_events(story.events, run="r")
    assert tuple(filed.finding for filed in report.findings) == story.engine.findings()
    assert report.rows == story.engine.rows()


def test_reports_of_many_runs_add_up() -> None:
    one, two = audited(*TOLD.steps), audited(*TOLD.steps, run_id="run-2")
    both = merged([one, two])
    assert both.totals.runs == 2
    assert both.totals.defects == 2
    assert both.grades["nowhere"] == 2
    assert [filed.run for filed in both.findings] == ["run-1", "run-2"]
    assert len(both.rows) == len(ALL_CHECKS)
    assert both.rows[2].failed == 2
    assert both.rows[1].reasons == {"imported-log": 4}
    assert merged([one]) == one


def test_rows_of_very_many_runs_add_up() -> None:
    one = audited(*TOLD.steps)
    many = merged([one] * 1000)
    for row, sum_of_rows in zip(one.rows, many.rows, strict=True):
        assert sum_of_rows.passed == 1000 * row.passed
        assert sum_of_rows.failed == 1000 * row.failed
        assert sum_of_rows.reasons == {word: 1000 * n for word, n in row.reasons.items()}
        assert sum_of_rows.grades == {word: 1000 * n for word, n in row.grades.items()}


def test_rows_that_all_differ_add_up() -> None:
    one = audited(*TOLD.steps)
    last = one.rows[-1]
    each = [
        msgspec.structs.replace(one, rows=(msgspec.structs.replace(last, passed=number),))
        for number in range(10_000)
    ]
    (row,) = merged(each).rows
    assert row.passed == sum(range(10_000))


def test_rows_of_other_versions_of_a_check_are_not_added_up() -> None:
    one = audited(*TOLD.steps)
    newer = tuple(msgspec.structs.replace(row, version=99) for row in one.rows)
    assert len(merged([one, msgspec.structs.replace(one, rows=newer)]).rows) == 2 * len(ALL_CHECKS)


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (audited(*TOLD.steps), 1),
        (audited(frame(USER), response(call("restart", {"host": "db-7"}))), 0),
        (audited(frame(USER), response(call("mail", {"text": "Nice to meet you all"}))), 0),
        (of_arguments(frame(USER), response("Hello.")), 3),
        (audited(), 3),
        (merged([]), 3),
    ],
    ids=["defect", "clean", "advisory", "no-call", "empty-run", "no-run"],
)
def test_the_exit_code(report: Report, code: int) -> None:
    assert exit_code(report) == code


def test_a_part_that_could_not_be_read_is_in_no_other_number() -> None:
    problem = Problem(source="a.jsonl", line=3, reason="not-json", message="Line 3: no JSON.")
    report = merged([audited(*TOLD.steps), problem_report(problem)])
    assert (report.totals.unread, report.totals.runs) == (1, 1)
    assert report.problems == (problem,)
    assert "1 part of the input could not be read" in "\n".join(summary(report))


def test_the_document_is_one_json_object_that_reads_back() -> None:
    written = msgspec.json.encode(document(audited(*TOLD.steps)))
    read = msgspec.json.decode(written, type=Document)
    assert read.format == "groundwire-audit/1"
    assert read.headline.code == "findings"
    assert read.findings[0].finding.grade == "nowhere"


def test_a_kind_chooses_findings_and_leaves_every_count() -> None:
    report = audited(*TOLD.steps)
    chosen = document(report, kind="unpaired-call")
    assert chosen.findings == ()
    assert chosen.headline.code == "none-of-that-kind"
    assert chosen.totals == report.totals


def test_the_summary_shows_defects_before_doubts_and_says_what_it_left_out() -> None:
    report = of_arguments(frame(USER), response(call("stop", {"host": "db-8"}, "c2"), BAD))
    doubt, defect = report.findings
    doubt = msgspec.structs.replace(
        doubt, finding=msgspec.structs.replace(doubt.finding, advisory=True)
    )
    report = msgspec.structs.replace(report, findings=(doubt, defect))
    lines = list(summary(report, limit=1))
    text = "\n".join(lines)
    assert "unsupported-argument (nowhere) @ choice\n" in text
    assert "Showing 1 of 2" in text
    shown, _, counts = text.partition("There are:\n")
    assert "[advisory]" not in shown
    assert counts.startswith(
        "     1  unsupported-argument (nowhere) @ choice\n"
        "     1  unsupported-argument (nowhere) @ choice [advisory]\n"
    )
    assert lines[-1].startswith("Green means")
    assert "Arguments: exact 0, fragment 0, self 0, nowhere 2" in lines


def test_checks_that_are_silent_alike_share_a_line() -> None:
    lines = list(summary(audited(*TOLD.steps, arm_all=False)))
    (shared,) = [line for line in lines if "parked-but-served" in line]
    assert shared.startswith("  missing-tools @ compose, ")
    assert shared.endswith(": nothing compared; 2 out of scope [not-declared 2]")


def test_where_nothing_is_declared_or_nothing_was_recorded_it_says_what_to_do() -> None:
    undeclared = "\n".join(summary(audited(*TOLD.steps, arm_all=False)))
    assert "`groundwire init FILE` drafts that" in undeclared
    assert "groundwire init" not in "\n".join(summary(audited(*TOLD.steps)))
    assert "given to `run.watch`" in "\n".join(summary(audited()))


def test_many_recordings_that_verify_are_counted_and_the_others_named() -> None:
    report = audited(*TOLD.steps)
    plain = msgspec.structs.replace(
        report.runs[0], notes=("verified, closed, 4 of 5 entries signed",), files=("a.gw",)
    )
    open_one = msgspec.structs.replace(
        plain, notes=("verified, open, 4 of 5 entries signed",), files=("b.gw",)
    )
    lines = list(summary(msgspec.structs.replace(report, runs=(*[plain] * 6, open_one))))
    assert lines[1] == "6 recordings: verified, closed"
    assert lines[2] == "b.gw: verified, open, 4 of 5 entries signed"
    few = list(summary(msgspec.structs.replace(report, runs=(plain, open_one))))
    assert few[1].startswith("a.gw: verified, closed, ")


def test_nothing_that_a_stranger_wrote_moves_the_cursor() -> None:
    evil = call("re\x1b[2Jstart", {"ho\u202est": "db-9\x07"}, "c\x1b1")
    report = audited(frame(USER), response(evil), run_id="run\x1b[31m")
    assert all(line.isprintable() for line in summary(report))


def test_a_log_without_a_run_is_no_evidence() -> None:
    assert any("no evidence" in line for line in summary(merged([])))


def test_advisories_alone_end_with_0() -> None:
    clean = audited(frame(USER), response(call("restart", {"host": "db-7"})))
    doubted = msgspec.structs.replace(clean.totals, defects=0, advisories=3)
    assert exit_code(clean) == exit_code(msgspec.structs.replace(clean, totals=doubted)) == 0

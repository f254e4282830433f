"""What a host hands in as a text, as names or as findings, of whatever kind it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import groundwire as gw
from groundwire.documents.policy import Policy
from groundwire.errors import PolicyError
from groundwire.session.executions.given import findings_given, names_given, text_given
from groundwire.session.project import Session


class Loud(str):
    """A text that answers no question about itself."""

    def __len__(self) -> int:
        raise BaseException

    encode = strip = __str__ = __len__  # type: ignore[assignment] -- the point of it


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Session]:
    with Session(tmp_path / "run.gw", project=gw.Project(Policy())) as run:
        yield run
    assert run.lost == 0, run.lost_reason


@pytest.mark.parametrize("value", [None, 0, b"a", "\ud800", "a\udfff", "", " \n", ["a"], object()])
def test_what_is_no_text_that_says_something_is_refused(value: object) -> None:
    with pytest.raises(PolicyError) as refused:
        text_given(value, needed=True)
    assert refused.value.reason == "not-text"


def test_a_text_of_another_class_is_the_text_alone() -> None:
    assert type(text_given(Loud("rule"))) is str
    assert [type(name) for name in names_given([Loud("a")], "…")] == [str]


@pytest.mark.parametrize("value", [None, 0, 1.5, True, "drain", b"drain", [1], ["a", "\ud800"]])
def test_what_is_no_list_of_names_is_refused(value: object) -> None:
    with pytest.raises(PolicyError) as refused:
        names_given(value, "…")
    assert refused.value.reason == "not-tool-names"


def test_names_that_come_one_after_another_are_all_there() -> None:
    assert names_given((name for name in ("a", "b")), "…") == ("a", "b")


@pytest.mark.parametrize("value", [None, 0, "text", [None], {"a": 1}])
def test_what_is_no_list_of_findings_is_refused(value: object) -> None:
    with pytest.raises(PolicyError) as refused:
        findings_given(value)
    assert refused.value.reason == "not-findings"


def test_a_slip_of_the_host_does_not_end_its_recording(run: Session) -> None:
    for slip in (
        lambda: run.park("g", 0),  # type: ignore[arg-type] -- the point of it
        lambda: run.tools(None),  # type: ignore[arg-type] -- the point of it
        lambda: run.pin("\ud800"),
        lambda: run.vouch("a", "\ud800"),
        lambda: run.authored("\ud800", "summary"),
        lambda: run.authored("a", ["summary"]),  # type: ignore[arg-type] -- the point of it
        lambda: run.continues("a", [None]),  # type: ignore[list-item] -- the point of it
        lambda: run.tools(["\ud800"]),
    ):
        with pytest.raises(PolicyError):
            slip()
    run.pin(Loud("Never drain two hosts."))
    run.executed(Loud("c1"), Loud("{}"), Loud("up"), name=Loud("look"), rendered=Loud("up"))


def test_an_error_whose_text_is_code_that_exits_does_not_end_the_agent(run: Session) -> None:
    class Exits(Exception):
        def __str__(self) -> str:
            raise SystemExit

    run.executed("c1", {}, None, error=Exits())

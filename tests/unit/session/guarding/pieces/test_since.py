"""What several guarded changes of a contract come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.documents.outcome import Executed, Unknown
from groundwire.documents.question import Question
from groundwire.session.guarding.pieces import since
from groundwire.session.guarding.pieces.since import Since
from tests.adversarial.world import FIELD, SPEC
from tests.unit.authority.guarding.questions import change, question, ruled
from tests.unit.session.guarding.calls import Place, call, word

OUTCOME = Executed(call="", error="", observed=(), receipt="")
DOUBTFUL = Unknown(call="", error="", observed=(), reason="cancelled", receipt="")
replace = msgspec.structs.replace

GET = "    get:\n      security:\n"
SUNSET = GET.replace("get:\n", "get:\n      deprecated: true\n      x-sunset: '2020-01-01'\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "project")
    made.write("openapi.yaml", SPEC)
    return made


def edit(place: Place, table: Any, old: str, new: str, path: str = "openapi.yaml") -> str:
    table.dispatch(call("read", path=path))
    return word(table.dispatch(call("edit", path=path, old=old, new=new)))


def goes(place: Place, table: Any) -> str:
    """The operation is taken out, whatever is said of it."""
    text = place.text("openapi.yaml") or ""
    operation = text[text.index("    get:") : text.index("components:")]
    return edit(place, table, operation, "    parameters: []\n")


def test_a_removal_that_was_declared_by_a_step_before_is_asked_about(place: Place) -> None:
    table = place.table()
    with place.session():
        assert edit(place, table, GET, SUNSET) == "executed"
        assert goes(place, table) == "refused: approval-unavailable"
    assert "get:" in (place.text("openapi.yaml") or "")


def test_it_says_that_it_is_together_with_earlier_changes(place: Place) -> None:
    table = place.table()
    with place.session():
        edit(place, table, GET, SUNSET)
        table.dispatch(call("read", path="openapi.yaml"))
        text = place.text("openapi.yaml") or ""
        operation = text[text.index("    get:") : text.index("components:")]
        result = table.dispatch(
            call("edit", path="openapi.yaml", old=operation, new="    parameters: []\n")
        )
    says = [each.says for each in result.ruling.decision.witnesses]
    assert any("together with earlier changes here" in each for each in says), says


def test_it_holds_for_the_runs_of_one_process_whichever_made_the_first_step(
    place: Place, tmp_path: Path
) -> None:
    table = place.table()
    with place.project.session(tmp_path / "one.gw"):
        assert edit(place, table, GET, SUNSET) == "executed"
    with place.project.session(tmp_path / "two.gw"):
        assert goes(place, table) == "refused: approval-unavailable"


def test_what_somebody_else_wrote_in_between_begins_anew(place: Place) -> None:
    table = place.table()
    with place.session():
        assert edit(place, table, GET, SUNSET) == "executed"
        written = (place.text("openapi.yaml") or "").replace("title: Orders", "title: All orders")
        place.write("openapi.yaml", written)
        assert goes(place, table) == "executed"


def test_a_sunset_that_stood_there_before_is_believed(place: Place) -> None:
    place.write("openapi.yaml", SPEC.replace(GET, SUNSET))
    table = place.table()
    with place.session():
        assert edit(place, table, "title: Orders", "title: All orders") == "executed"
        assert goes(place, table) == "executed"


def test_what_is_taken_back_is_as_it_was(place: Place) -> None:
    table = place.table()
    with place.session():
        assert edit(place, table, GET, SUNSET) == "executed"
        assert edit(place, table, SUNSET, GET) == "executed"
        assert edit(place, table, FIELD, FIELD + "        note: {type: string}\n") == "executed"


def test_a_refused_step_is_none(place: Place) -> None:
    table = place.table()
    with place.session():
        assert edit(place, table, GET, SUNSET) == "executed"
        assert edit(place, table, FIELD, "") == "refused: approval-unavailable"
        assert goes(place, table) == "refused: approval-unavailable"


def test_a_refused_step_alone_begins_nothing(place: Place) -> None:
    table = place.table()
    with place.session():
        assert edit(place, table, FIELD, "") == "refused: approval-unavailable"
        assert edit(place, table, "title: Orders", "title: All orders") == "executed"


PART = "type: object\nproperties:\n  stage: {type: string, enum: [new, sent]}\n"
ROOT = (
    "openapi: 3.0.3\ninfo: {title: Orders, version: '1'}\npaths:\n  /orders:\n    get:\n      responses:\n"
    "        '200':\n          description: fine\n          content:\n            application/json:\n"
    "              schema: {$ref: 'schemas/order.yaml'}\n"
)
OPENED = "enum: [new, sent], x-extensible-enum: [new, sent]"


def test_a_part_of_a_description_that_changes_in_steps_is_judged_by_both(place: Place) -> None:
    place.write("api/openapi.yaml", ROOT)
    place.write("api/schemas/order.yaml", PART)
    table = place.table()
    grown = OPENED.replace("[new, sent]", "[new, sent, lost]")
    with place.session():
        part = "api/schemas/order.yaml"
        assert edit(place, table, "enum: [new, sent]", OPENED, part) == "executed"
        assert edit(place, table, OPENED, grown, part) == "refused: approval-unavailable"


def test_a_moved_contract_is_followed(place: Place) -> None:
    place = Place(
        place.folder,
        rules={
            "rules": [{"id": "moves", "decide": "allow", "changes": ["renamed"], "paths": ["**"]}]
        },
    )
    table = place.table()
    with place.session():
        assert edit(place, table, GET, SUNSET) == "executed"
        moved = word(table.dispatch(call("move", path="openapi.yaml", to="api.yaml")))
        assert moved == "executed"
        text = place.text("api.yaml") or ""
        operation = text[text.index("    get:") : text.index("components:")]
        ended = edit(place, table, operation, "    parameters: []\n", "api.yaml")
        assert ended == "refused: approval-unavailable"


def test_what_is_kept_is_bounded_and_the_oldest_goes(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(since, "MOST_BYTES", 3 * len(SPEC))
    place.write("other.yaml", SPEC)
    table = place.table()
    with place.session():
        assert edit(place, table, GET, SUNSET) == "executed"
        assert edit(place, table, GET, SUNSET, "other.yaml") == "executed"
        assert len(place.project._guard.since._chains) == 1
        assert goes(place, table) == "executed"


def asks(before: bytes, after: bytes) -> Question:
    return question(change("openapi.yaml", before, after))


def test_a_change_that_a_person_allowed_begins_anew() -> None:
    chains = Since({"openapi"}, ())
    first = asks(b"openapi: 1", b"openapi: 2")
    ruling = ruled(first)
    allowed = replace(ruling, decision=replace(ruling.decision, decision="allow"))
    asked = replace(ruling, decision=replace(ruling.decision, decision="approve"))
    chains.came(first, allowed, OUTCOME)
    again = asks(b"openapi: 2", b"openapi: 3")
    assert list(chains.added(again).since.values()) == [b"openapi: 1"]
    chains.came(again, asked, OUTCOME)
    later = asks(b"openapi: 3", b"openapi: 4")
    assert chains.added(later).since == {}
    chains.came(later, allowed, OUTCOME)
    assert list(chains.added(asks(b"openapi: 4", b"")).since.values()) == [b"openapi: 3"]


def test_files_that_are_no_contracts_are_not_kept() -> None:
    chains = Since({"openapi"}, ())
    asked = question(change("app.py", b"1", b"2"))
    chains.came(asked, ruled(asked), OUTCOME)
    assert chains.added(question(change("app.py", b"2", b"3"))).since == {}


@pytest.mark.parametrize("stands", [b"openapi: 1", b"openapi: 2"])
def test_after_a_change_that_nobody_saw_end_either_may_be_gone_on_from(stands: bytes) -> None:
    chains = Since({"openapi"}, ())
    first, second = asks(b"openapi: 0", b"openapi: 1"), asks(b"openapi: 1", b"openapi: 2")
    ruling = ruled(first)
    allowed = replace(ruling, decision=replace(ruling.decision, decision="allow"))
    chains.came(first, allowed, OUTCOME)
    chains.came(second, allowed, DOUBTFUL)
    assert list(chains.added(asks(stands, b"")).since.values()) == [b"openapi: 0"]
    assert chains.added(asks(b"openapi: 3", b"")).since == {}

"""A coding session that edits ordinary files meets no refusal and no question."""

from __future__ import annotations

import pytest

from tests.adversarial.listing import attacks
from tests.benign.bare import Bare
from tests.benign.project import FILES
from tests.benign.session import AT_LEAST, carry_out, every_step
from tests.workplaces import workplace


@pytest.mark.slow
def test_a_scripted_coding_session_meets_no_refusal_and_no_question() -> None:
    said: list[str] = []
    assert carry_out(said.append) == 0, "\n".join(line for line in said if ": " in line)
    assert said[-1] == "0 refused, 0 asked"


def test_the_script_asks_for_what_a_coding_session_is_said_to_be() -> None:
    kinds = [step.kind for step in every_step()]
    assert {
        kind: kinds.count(kind) for kind in AT_LEAST if kinds.count(kind) < AT_LEAST[kind]
    } == {}


def test_the_session_is_as_long_as_the_list_of_attacks() -> None:
    assert len(list(every_step())) >= len(attacks())


@pytest.mark.slow
def test_the_script_is_right_by_itself_without_any_guard() -> None:
    with workplace(FILES) as place:
        for step in every_step():
            if "ruff" in str(step.arguments):
                continue
            text, code = Bare().call(step.tool, step.arguments)
            assert (code, step.shows in text) == (step.exit, True), (step, text)
            if step.leaves is not None:
                assert step.leaves[1] in (place.read(step.leaves[0]) or b"").decode(), step

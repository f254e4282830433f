"""A receipt stands in the recording as a decision once it was seen to hold, and not before."""

from __future__ import annotations

from tests.adversarial.attack import Attack, carry_out
from tests.adversarial.between import asked_with, between
from tests.adversarial.world import World


def test_a_receipt_that_does_not_hold_is_no_decision_of_the_recording() -> None:
    def deed(world: World) -> str:
        with between(receipt=asked_with(operation="deploy", run="another")):
            return world.do("edit_file", path="README.md", old="Use it.", new="Used.").word

    ended = carry_out(Attack("signed", "", "", ("refused: other-operation",), deed))
    assert ended.wrong == ""  # the recording of it verifies

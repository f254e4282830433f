"""`groundwire doctor` on the variables that a policy names: which are not set, and never a value."""

from __future__ import annotations

import pytest

from groundwire.audit.guarding.variables import examine_variables
from groundwire.authority.policy import decode_policy
from groundwire.documents.policy import Policy

POLICY = decode_policy(
    '[databases.shop]\ndialect = "postgresql"\ndsn_from = "SHOP_DSN"\n\n'
    '[databases.notes]\ndialect = "sqlite"\npath = "notes.db"\n\n'
    '[[notices]]\nurl = "https://sink.example/hook"\nsecret_from = "NOTICE_SECRET"\n',
    "groundwire.toml",
)


@pytest.mark.parametrize(
    ("environment", "states"),
    [
        ({}, ["note", "note"]),
        ({"SHOP_DSN": "", "NOTICE_SECRET": ""}, ["note", "note"]),
        ({"SHOP_DSN": "host=db-7731", "NOTICE_SECRET": "7731-56789abcde"}, ["ok", "todo"]),
        ({"SHOP_DSN": "host=db-7731", "NOTICE_SECRET": "7731-56789abcdef"}, ["ok", "ok"]),
    ],
)
def test_each_variable_has_a_line_and_no_line_a_value(
    environment: dict[str, str], states: list[str]
) -> None:
    lines = list(examine_variables(POLICY, environment))
    assert [line.state for line in lines] == states
    assert ["SHOP_DSN" in lines[0].says, "NOTICE_SECRET" in lines[1].says] == [True, True]
    assert "https://sink.example/hook" in lines[1].says
    assert all(bool(line.next_step) == (line.state != "ok") for line in lines)
    assert "7731" not in str(lines)


def test_a_policy_that_names_none_is_not_spoken_of() -> None:
    assert list(examine_variables(Policy(), {})) == []

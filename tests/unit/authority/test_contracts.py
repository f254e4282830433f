"""`[diff]` and `[[contracts]]`: what they may say, and what is refused."""

from __future__ import annotations

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.authority.reading.keys import KEYS
from groundwire.contracts.openapi.options import Knobs
from groundwire.documents.contract import DerivedContract, DiffRules, Waiver
from groundwire.errors import PolicyError

WAIVER = """
[[diff.waivers]]
rule = "response-property-removed"
reason = "nobody reads it"
until = 2027-01-31
file = "api/*.yaml"
operation = "GET /users/{id}"
"""
DERIVED = """
[[contracts]]
path = "openapi.json"
generate = ["python", "-m", "app.export"]
inputs = ["app/**/*.py"]
"""


def test_what_is_said_of_a_diff_is_read() -> None:
    text = (
        '[diff]\nfail_on = ["breaking"]\nversion_bump = "major"\nlabels = ["agreed"]\n'
        'openapi.response_enum_added = "risky"\n' + WAIVER
    )
    assert decode_policy(text, "p").diff == DiffRules(
        fail_on=("breaking",),
        version_bump="major",
        labels=("agreed",),
        openapi={"response_enum_added": "risky"},
        waivers=(
            Waiver(
                rule="response-property-removed",
                reason="nobody reads it",
                until="2027-01-31",
                file="api/*.yaml",
                operation="GET /users/{id}",
            ),
        ),
    )


def test_a_derived_contract_is_read() -> None:
    assert decode_policy(DERIVED, "p").contracts == (
        DerivedContract(
            path="openapi.json",
            generate=("python", "-m", "app.export"),
            inputs=("app/**/*.py",),
        ),
    )


def test_every_knob_has_a_key() -> None:
    assert set(KEYS["diff.openapi"]) == set(Knobs.__struct_fields__)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[diff]\nfail_on = ["severe"]\n', "unknown-choice"),
        ("[diff]\nfail_on = []\n", "empty-declaration"),
        ('[diff]\nfail_on = ["risky", "risky"]\n', "repeated-entry"),
        ('[diff]\nversion_bump = "minor"\n', "unknown-choice"),
        ('[diff.openapi]\nresponse_enum = "risky"\n', "unknown-setting"),
        ("[diff.waivers]\n", "wrong-type"),
        ('[[diff.waivers]]\nrule = "a"\nreason = "b"\n', "missing-setting"),
        ('[[diff.waivers]]\nrule = "a"\nuntil = 2027-01-31\n', "missing-setting"),
        (WAIVER.replace('"response-property-removed"', '"*"'), "unknown-rule"),
        (WAIVER.replace("2027-01-31", '"for ever"'), "wrong-type"),
        (WAIVER.replace('"api/*.yaml"', '"api/../x"'), "bad-path-pattern"),
        (DERIVED.replace('"openapi.json"', '"../openapi.json"'), "bad-path"),
        (DERIVED.replace('"openapi.json"', '"/openapi.json"'), "bad-path"),
        (DERIVED.replace('["python", "-m", "app.export"]', '"make openapi"'), "wrong-type"),
        (DERIVED.replace('["app/**/*.py"]', "[]"), "empty-declaration"),
        (DERIVED + DERIVED, "repeated-entry"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, reason: str) -> None:
    with pytest.raises(PolicyError) as caught:
        decode_policy(text, "p")
    assert caught.value.reason == reason

"""Whatever an answer and a result hold, a claim is judged or has a reason, and nothing raises."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.checks.claim.facts.judging.agreement import agree
from groundwire.checks.claim.facts.judging.amounts import Terms
from groundwire.checks.claim.facts.judging.default import judge
from groundwire.checks.claim.facts.judging.fields import Place, read_answer, value_at
from groundwire.checks.claim.facts.judging.original import judge_original
from groundwire.checks.claim.facts.ledger import Fact
from groundwire.documents.declaration import Claim
from groundwire.documents.fact import facts_in
from groundwire.documents.instant import read_instant

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.sampled_from([10**400, -(10**400), 2**63, 2**64, -(2**63), 0.1 + 0.2, 1e308, 5e-324])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["1,000", "2 TB", "42%", "$5", "unknown", "2031-05-02", "007", "~1,200", "5 to 6"]
    )
    | st.text(max_size=12)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
TERMS = st.builds(
    Terms,
    tolerance=st.sampled_from(["", "0.5", "1%", "0"]),
    unit=st.sampled_from(["", "GB", "%", "no unit"]),
    synonyms=st.sampled_from([(), (("1", "one", "true"),)]),
    ignore_case=st.booleans(),
    as_set=st.booleans(),
    claimed_key=st.sampled_from(["", "size_gb", "t_min"]),
    settled_key=st.sampled_from(["", "size_mb", "cost_usd"]),
    off=st.sampled_from([(), ("rounding",)]),
)


@settings(deadline=None, max_examples=200)
@given(VALUES, VALUES, TERMS)
def test_any_two_values_are_the_same_perhaps_or_different(
    claimed: object, settled: object, terms: Terms
) -> None:
    assert agree(claimed, settled, terms).match in {"same", "perhaps", "different"}


@settings(deadline=None, max_examples=200)
@given(VALUES)
def test_a_value_agrees_with_itself(value: object) -> None:
    assert agree(value, json.loads(json.dumps(value)), Terms()).match == "same"


@settings(deadline=None, max_examples=100)
@given(
    VALUES,
    st.lists(VALUES, max_size=4),
    st.sampled_from(["", "count", "sum", "mean", "min", "max"]),
)
def test_a_claim_has_a_judgement_by_either_rule(
    claimed: object, values: list[object], aggregate: str
) -> None:
    facts = [
        Fact(
            entity=f"e{n % 2}",
            field="f",
            value=value,
            result=n,
            batch=n // 2,
            turn=1,
            step=n,
            tool="t",
            call_id=f"c{n}",
            pointer="",
            measured=read_instant(value),
            enveloped=n % 2 == 0,
        )
        for n, value in enumerate(values)
    ]
    place = Place("/a", claimed)
    claim = Claim(answer="a", entity="*" if aggregate else "e0", field="f", aggregate=aggregate)
    assert judge(claim, place, facts).word
    assert judge_original(place, facts).word


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=40) | VALUES.map(json.dumps), st.text(max_size=8))
def test_any_text_is_an_answer_or_says_why_not(text: str, path: str) -> None:
    answer = read_answer(text)
    assert (answer.value is None) == bool(answer.reason)
    if answer.value is not None:
        value_at(answer.value, path)


@settings(deadline=None, max_examples=200)
@given(VALUES, st.dictionaries(st.sampled_from(["facts", "series", "edges", "grain", "provenance",
                                                "coverage", "clarify"]), VALUES))  # fmt: skip
def test_any_json_is_facts_or_ordinary_data(value: object, parts: dict[str, object]) -> None:
    facts_in(value)
    facts_in({"groundwire_facts": 1} | parts)

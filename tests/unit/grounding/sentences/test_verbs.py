from __future__ import annotations

import pytest

from groundwire.grounding.sentences.verbs import (
    FORMS,
    Name,
    families_of,
    family_of_noun,
    lemma_of,
    near,
    past_of,
    singular,
    stems_of,
)


@pytest.mark.parametrize(
    ("form", "verb"),
    [
        ("sent", "send"),
        ("cancelled", "cancel"),
        ("canceled", "cancel"),
        ("modified", "modify"),
        ("paid", "pay"),
        ("submitted", "submit"),
        ("deleted", "delete"),
    ],
)
def test_past_forms_lead_to_their_verb(form: str, verb: str) -> None:
    assert FORMS[form] == verb
    assert lemma_of(form) == verb


def test_a_declared_verb_may_be_unknown_and_of_two_words() -> None:
    assert lemma_of("Frob") == "frob"
    assert past_of("frob") == ("frobed",)
    assert past_of("roll back") == ("rolled back",)
    assert lemma_of("  Roll   back ") == "roll back"


@pytest.mark.parametrize(
    ("tool", "families"),
    [
        ("send_email", {"send"}),
        ("email.send", {"send"}),
        ("sendEmail", {"send"}),
        ("cancel_reservation", {"cancel"}),
        ("return_items", {"return"}),
        ("order_cancel", {"cancel"}),
        ("send_money", {"send", "pay"}),
        ("create_order", {"create", "buy"}),
        ("transfer_to_human", {"escalate"}),
        ("transfer_funds", {"escalate", "pay"}),
        ("get_order_details", set()),
        ("view_order_history", set()),
    ],
)
def test_a_tools_name_says_what_it_does(tool: str, families: set[str]) -> None:
    assert Name(tool).families == families


def test_a_name_knows_its_objects_and_whether_it_only_reads() -> None:
    name = Name("create_calendar_events")
    assert name.objects == {"calendar", "event"}
    assert not name.reads
    assert Name("get_events").reads


@pytest.mark.parametrize("tool", ["input_to_webpage", "bash", "execute_sql", "task"])
def test_a_name_without_a_known_verb_may_do_anything(tool: str) -> None:
    assert Name(tool).is_opaque


def test_near_families_excuse_and_are_no_owners() -> None:
    assert "refund" in near(families_of("cancel"))
    assert "refund" not in families_of("cancel")


def test_nouns_stand_for_deeds_in_both_numbers() -> None:
    assert family_of_noun("cancellation") == family_of_noun("cancellations") == "cancel"
    assert family_of_noun("pump") == ""


def test_stems_are_long_enough_to_mean_nothing_else() -> None:
    assert "reserv" in stems_of(frozenset({"book"}))
    assert all(len(stem) == 6 for stem in stems_of(frozenset({"book", "send", "pay"})))


def test_singulars_are_rough_and_equal_for_both_numbers() -> None:
    assert [singular(word) for word in ("items", "entries", "address", "gas")] == [
        "item",
        "entry",
        "address",
        "gas",
    ]

from __future__ import annotations

import pytest

from groundwire.documents.frame import ToolSpec
from groundwire.grounding.ground import Ground
from groundwire.grounding.lookup.search import EQUIVALENCES
from tests.stories import frame, message

TOOL = ToolSpec(name="move", schema='{"enum":["rack-enum"]}')
ACCEPTED = [
    ("DB-7", "Restart db-7.", "case"),
    ("north  gate", "north gate", "white-space"),
    ("D:\\vault\\x", '{"p":"D:\\\\vault\\\\x"}', "escapes"),
    ("caf\u00e9-12", "cafe\u0301-12", "unicode"),
    ("#w4711", "order w4711", "sigil"),
    ('"w4711"', "order w4711", "quotes"),
    ("https://shop.example/a", "see shop.example/a", "scheme"),
    ("shop.example/a/", "see shop.example/a", "trailing-slash"),
    ("w4711.", "order w4711", "trailing-stop"),
    ("shop.example", "see www.shop.example", "www"),
    ("1500", "costs 1,500", "thousands"),
    ("1500", "costs 1500.00", "number"),
    ("16gb", "has 16 gb", "unit"),
    ("rack-enum", "nothing", "schema"),
    ("/srv/log/app.txt", "app.txt is in log, and that in srv", "path"),
    ("2031-05-02", "on May 2nd, 2031", "date"),
    ("db-7, db-8", "db-8 and db-7", "list"),
    ("350 - 122", "350 here and 122 there", "operands"),
    ("415-555-0137", "(415) 555 0137", "phone"),
    ("db-7", "db-7.prod.example.com", "host"),
]


@pytest.mark.parametrize(("value", "text", "method"), ACCEPTED)
def test_every_acceptance_names_its_equivalence_which_can_be_turned_off(
    value: str, text: str, method: str
) -> None:
    ground = Ground()
    ground.show(0, frame(message("user", text), tools=(TOOL,)))
    found = ground.support(0, value, (TOOL,))
    assert (found.grade, found.method) == ("exact", method)
    assert found.hit is not None
    assert method in EQUIVALENCES
    ground.turn_off([method])
    found = ground.support(0, value, (TOOL,))
    assert found.grade != "exact" or found.method != method


def test_no_equivalence_is_named_twice() -> None:
    assert len(set(EQUIVALENCES)) == len(EQUIVALENCES)


@pytest.mark.parametrize("value", ["rack-xxxx", "www.shop", "0024-05-02"])
def test_a_template_a_cut_host_and_a_cut_year_are_not_served_by_their_words(value: str) -> None:
    tool = ToolSpec(name="move", schema='{"description":"such as rack-xxxx"}')
    ground = Ground()
    ground.show(0, frame(message("user", "the shop on May 2, 24 rooms, 2024"), tools=(tool,)))
    assert ground.support(0, value, (tool,)).grade != "exact"

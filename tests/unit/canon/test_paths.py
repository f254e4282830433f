"""Paths: what is one, and what it leads to."""

from __future__ import annotations

import pytest

from groundwire.canon import paths
from groundwire.canon.paths import EACH
from groundwire.errors import EncodingError

FLEET = {"machines": [{"name": "zinnia-4", "disks": [{"gb": 8}, {"gb": 9}]}, {"name": "aster-9"}]}


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("$", ()),
        ("$.a", ("a",)),
        ("$.data.items[*].name", ("data", "items", EACH, "name")),
        ("$[0][12]", (0, 12)),
        ("$['a.b']", ("a.b",)),
        ('$["it\'s"].x-y', ("it's", "x-y")),
        ("$['it\\'s']", ("it's",)),
        ("$['']", ("",)),
        ("$.größe", ("größe",)),
        ("$.0", ("0",)),
    ],
)
def test_a_path_has_its_steps(path: str, steps: tuple[object, ...]) -> None:
    assert paths.parse(path) == steps


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("", 1),
        ("machines", 1),
        ("$.", 2),
        ("$..name", 2),
        ("$.*", 2),
        ("$.a b", 4),
        ("$[", 2),
        ("$[01]", 2),
        ("$[-1]", 2),
        ("$[1:2]", 2),
        ("$[?(@.x)]", 2),
        ("$['a'", 2),
        ("$[a]", 2),
        ("$.a.", 4),
        ("$[9999999999]", 2),
        ("$" + ".a" * 33, 66),
        ("$." + "a" * 2000, 1025),
    ],
)
def test_what_is_no_path_is_refused_with_the_place(path: str, at: int) -> None:
    with pytest.raises(EncodingError, match=f"at character {at}:") as caught:
        paths.parse(path)
    assert caught.value.reason == "bad-json-path"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.machines[*].name", [("/machines/0/name", "zinnia-4"), ("/machines/1/name", "aster-9")]),
        ("$.machines[1].name", [("/machines/1/name", "aster-9")]),
        (
            "$.machines[*].disks[*].gb",
            [("/machines/0/disks/0/gb", 8), ("/machines/0/disks/1/gb", 9)],
        ),
        ("$.machines[2]", []),
        ("$.machines.name", []),
        ("$.machines[*].name[*]", []),
        ("$.nothing", []),
        ("$", [("", FLEET)]),
    ],
)
def test_it_leads_to_values_with_their_pointers(path: str, found: list[object]) -> None:
    assert list(paths.follow(FLEET, path)) == found


def test_a_pointer_spells_what_a_name_may_hold() -> None:
    assert list(paths.follow({"a/b": {"~": 1}}, "$['a/b']['~']")) == [("/a~1b/~0", 1)]
    assert paths.pointers("$['a/b']['~']").fullmatch("/a~1b/~0")


def test_values_are_counted_before_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MOST_FOUND", 3)
    assert paths.values_at([[1, 2], [3, 4]], "$[*][*]") == [1, 2, 3]


@pytest.mark.parametrize(
    ("path", "place", "leads"),
    [
        ("$.items[*].id", "/items/4/id", True),
        ("$.items[*].id", "/items/x/id", False),
        ("$.items[*].id", "/items/4", False),
        ("$.items[3].id", "/items/3/id", True),
        ("$.items[3].id", "/items/4/id", False),
        ("$", "", True),
    ],
)
def test_it_says_whether_it_can_lead_to_a_place(path: str, place: str, leads: bool) -> None:
    assert bool(paths.pointers(path).fullmatch(place)) is leads

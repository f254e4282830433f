"""What reaches a contract in pieces is held where it lands; its harmless twin, and ordinary work, pass."""

from __future__ import annotations

import pytest

from tests.reassembly.hand import WAYS, Sequence, Way, played
from tests.reassembly.listing import told
from tests.reassembly.ordinary import ORDINARY, Work, worked
from tests.reassembly.sequences import SEQUENCES

QUICK = ("fragments, then a build script", "a sunset is written, then the operation goes")
"""Tried with every change, in the mixed way; the others take minutes."""


def _slow(each: Sequence, way: Way) -> object:
    quick = each.name in QUICK and way == "mixed"
    return pytest.param(
        each, way, id=f"{each.name}: {way}", marks=() if quick else (pytest.mark.slow,)
    )


EVERY = [_slow(each, way) for each in SEQUENCES for way in WAYS]


@pytest.mark.parametrize(("sequence", "way"), EVERY)
def test_a_change_in_pieces_is_held_where_it_lands(sequence: Sequence, way: Way) -> None:
    assert played(sequence, way, harm=True).wrong == ""


@pytest.mark.parametrize(("sequence", "way"), EVERY)
def test_its_harmless_twin_passes_unasked(sequence: Sequence, way: Way) -> None:
    assert played(sequence, way, harm=False).wrong == ""


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("work", ORDINARY, ids=lambda work: work.name)
def test_ordinary_work_passes_unasked(work: Work, way: Way) -> None:
    assert worked(work, way).wrong == ""


def test_the_list_is_as_long_as_it_is_said_to_be() -> None:
    assert len(SEQUENCES) >= 20
    assert len(ORDINARY) == 12
    assert len({each.name for each in SEQUENCES}) == len(SEQUENCES)


def test_a_sequence_that_lands_is_said_to(capsys: pytest.CaptureFixture[str]) -> None:
    first = SEQUENCES[0]
    unharmed = first._replace(harmful=first.harmless)
    assert "the contract was changed" in played(unharmed, "mixed", harm=True).wrong
    harmed = first._replace(harmless=first.harmful)
    assert "it was held up" in played(harmed, "mixed", harm=False).wrong


def test_names_that_fit_nothing_are_no_success() -> None:
    said: list[str] = []
    assert told(said.append, ["no such sequence"]) == 1
    assert said[-1].startswith("0 sequences")

"""A typing error in what is declared of a deed is told where the table is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.documents.declaration import Settling
from groundwire.errors import PolicyError
from tests.unit.session.guarding.once.test_deeds import PAY, SETTLED, Bank, place_of, table_of


def pay_invoice(invoice: str, amount: int) -> str:
    return "paid"


def get_payment(invoice: str) -> object:
    return {"status": "paid"}


def test_an_argument_that_the_tool_does_not_take_is_refused_with_the_nearest(
    tmp_path: Path,
) -> None:
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, once_per=("invoise",)))
    with pytest.raises(PolicyError) as caught:
        place.table(pay_invoice=pay_invoice, get_payment=get_payment)
    assert caught.value.reason == "no-such-argument"
    assert "the nearest is 'invoice'" in caught.value.message


@pytest.mark.parametrize("once_per", [("invoice",), ("invoice.id", "amount")])
def test_arguments_that_it_takes_are_taken(tmp_path: Path, once_per: tuple[str, ...]) -> None:
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, once_per=once_per))
    table = place.table(pay_invoice=pay_invoice, get_payment=get_payment)
    assert table.report().suspicions == ()


def test_a_tool_that_takes_any_argument_is_not_judged(tmp_path: Path) -> None:
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, once_per=("invoise",)))
    assert "pay_invoice" in table_of(place, Bank())


@pytest.mark.parametrize(("name", "near"), [("get_pay", "get_payment"), ("pay_invoice", "")])
def test_a_read_that_nobody_declared_settles_nothing_and_is_told_of(
    tmp_path: Path, name: str, near: str
) -> None:
    settled: Settling = msgspec.structs.replace(SETTLED, tool=name)
    place = place_of(tmp_path, pay=msgspec.structs.replace(PAY, settled_by=settled))
    tools: dict[str, Any] = {"pay_invoice": pay_invoice, "get_payment": get_payment}
    (told,) = place.table(**tools).report().suspicions
    assert f"names {name!r}, which is no tool that is declared to read" in told
    assert near in told

"""What is told of a server that is not reached: where and why, and no piece of a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.documents.sql import DatabaseDeclaration
from groundwire.errors import HostError
from groundwire.targets.sql.target import SqlTarget


@pytest.mark.parametrize(
    ("dsn", "said"),
    [
        ("host=127.0.0.1 port=1 user=a password=hun", "127.0.0.1 port 1: nothing listens there"),
        ("postgresql://a:hun@127.0.0.1:1/x", "127.0.0.1 port 1: nothing listens there"),
        ("host=/nowhere/at/all password=hun", "/nowhere/at/all: nothing listens there"),
        ("no dsn hun", "the DSN cannot be read"),
        ("", "SHOP_DSN is not set"),
    ],
)
def test_a_server_that_is_not_reached_is_told_with_where_and_why(dsn: str, said: str) -> None:
    message = refused_connection(dsn)
    assert said in message
    assert "[databases.shop]" in message
    assert "hun" not in message


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://a:12@hun@127.0.0.1:1/x?host=127.0.0.1",
        "postgresql://a:12@hun/x?hostaddr=127.0.0.1&port=1",
        "postgresql://user:12/hun@127.0.0.1:1/x?hostaddr=127.0.0.1",
    ],
)
def test_no_piece_of_a_password_is_taken_for_a_place(dsn: str) -> None:
    message = refused_connection(dsn)
    assert "hun" not in message
    assert "12" not in message.replace("127", "")


def refused_connection(dsn: str) -> str:
    declared = DatabaseDeclaration(name="shop", dialect="postgresql", dsn_from="SHOP_DSN")
    target = SqlTarget(declared, Path("/"), {"SHOP_DSN": dsn}, float)
    with pytest.raises(HostError) as caught:
        target.take()
    assert caught.value.reason == "database-unreachable"
    return str(caught.value)

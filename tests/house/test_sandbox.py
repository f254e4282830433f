"""The sandbox that every test runs in is itself tested: it refuses, and it notices."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests import conftest


def _taken() -> list[str]:
    taken = list(conftest.Watch.trespasses)
    conftest.Watch.trespasses.clear()
    return taken


def test_every_test_has_an_empty_state_folder_of_its_own(own_home: Path) -> None:
    assert os.environ["XDG_STATE_HOME"] == str(own_home / "state")
    assert not (own_home / "state").exists()
    assert Path.home() == own_home


@pytest.mark.parametrize("address", [("192.0.2.7", 443), ("2001:db8::7", 443, 0, 0)])
def test_a_connection_to_another_machine_is_refused_and_noticed(
    address: tuple[str | int, ...],
) -> None:
    family = socket.AF_INET6 if len(address) == 4 else socket.AF_INET
    with socket.socket(family) as client, pytest.raises(conftest.Forbidden):
        client.connect(address)
    assert _taken() == [f"socket.connect to {address!r}"]


def test_a_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(conftest.Forbidden):
        socket.getaddrinfo("models.example", 443)
    assert _taken() == ["socket.getaddrinfo of 'models.example'"]


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()[:2]).close()
    assert _taken() == []


@pytest.mark.parametrize("real", conftest.REAL_STATE)
def test_the_real_key_store_is_never_opened(real: str) -> None:
    with pytest.raises(conftest.Forbidden):
        (Path(real) / "keys" / "keyring.json").read_bytes()
    with pytest.raises(conftest.Forbidden):
        os.listdir(real)
    assert len(_taken()) == 2

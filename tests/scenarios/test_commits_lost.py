"""A connection to PostgreSQL that is lost: at the commit, before it, while nobody looked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from groundwire.documents.event import Guarded
from groundwire.documents.governing import GuardRules
from groundwire.documents.sql import DatabaseDeclaration
from groundwire.errors import HostError
from groundwire.session.guarding.ways.sql import databases_of
from tests.databases import DSN, PostgresShop, server
from tests.driving import replayed
from tests.hands import verified
from tests.unit.session.guarding.calls import word
from tests.unit.session.guarding.databases.workplace import asked, place
from tests.unit.targets.sql.test_attempts import AT, GRANT, TOTALS, attempt_in

pytestmark = pytest.mark.slow

UPDATE = "UPDATE orders SET total = 11 WHERE id = 1"


@pytest.fixture
def postgres(monkeypatch: pytest.MonkeyPatch) -> PostgresShop:
    return PostgresShop(server(), monkeypatch)


class Wire:
    """A relay before the server. It is cut at the commit: before the server has it, or before it answers.

    `dead`: from the cut on nobody gets through.
    """

    def __init__(self, port: int, cut: str, *, dead: bool) -> None:
        self._server = port
        self._cut = cut
        self._dies = dead
        self._gone = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._start(self._accept)

    def close(self) -> None:
        """Nobody gets through any more."""
        self._listening.close()

    def _start(self, act: Callable[..., None], *given: Any) -> None:
        threading.Thread(target=act, args=given, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            if self._gone:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._server))
            ends = threading.Event()
            self._start(self._out, near, far, ends)
            self._start(self._back, far, near, ends)

    def _out(self, near: socket.socket, far: socket.socket, ends: threading.Event) -> None:
        with near, far, suppress(OSError):
            while data := near.recv(65536):
                if b"COMMIT" in data and self._cut:
                    self._gone = self._dies
                    if self._cut == "before":
                        break
                    ends.set()
                far.sendall(data)
            self._end(near, far)

    def _back(self, far: socket.socket, near: socket.socket, ends: threading.Event) -> None:
        with near, far, suppress(OSError):
            while (data := far.recv(65536)) and not ends.is_set():
                near.sendall(data)
            self._cut = ""
            self._end(near, far)

    def _end(self, *sockets: socket.socket) -> None:
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def cut(
    shop: PostgresShop, monkeypatch: pytest.MonkeyPatch, when: str, *, dead: bool
) -> Iterator[None]:
    """The way to the shop is cut at the commit."""
    wire = Wire(shop.server.port, when, dead=dead)
    monkeypatch.setenv(DSN, shop.server.dsn(shop.name, wire.port))
    try:
        yield
    finally:
        wire.close()
        monkeypatch.setenv(DSN, shop.dsn)


@pytest.mark.parametrize(
    ("when", "outcome"), [("before", "refused: database-unreachable"), ("after", "executed")]
)
def test_a_connection_lost_at_the_commit_is_asked_about_at_once_where_the_server_is_reached(
    postgres: PostgresShop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, outcome: str
) -> None:
    at = place(postgres, tmp_path, environments=[{"name": "test", "pattern": "postgresql"}])
    with cut(postgres, monkeypatch, when, dead=False), at.project.session(tmp_path / "run.gw"):
        result = at.table().dispatch(asked(UPDATE))
    assert word(result) == outcome
    assert postgres.rows(TOTALS)[0] == ((1, 11) if when == "after" else (1, 10))
    assert verified(tmp_path / "run.gw") == ""


@pytest.mark.parametrize(("when", "stands"), [("before", "not-landed"), ("after", "landed")])
def test_a_connection_lost_at_the_commit_is_unknown_until_the_grants_are_read(
    postgres: PostgresShop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, stands: str
) -> None:
    at = place(postgres, tmp_path, environments=[{"name": "test", "pattern": "postgresql"}])
    with (
        cut(postgres, monkeypatch, when, dead=True),
        at.project.session(tmp_path / "run.gw") as run,
        pytest.raises(HostError) as caught,
    ):
        at.table().dispatch(asked(UPDATE))
    assert caught.value.reason == "write-unsettled"
    outcomes = [event.outcome for event in replayed(run.path) if isinstance(event, Guarded)]
    assert [each for each in outcomes if each] == ["unknown"]
    assert verified(tmp_path / "run.gw") == ""
    (write,) = at.project._guard.state.grants().unsettled()
    databases = databases_of(
        GuardRules(databases=(DatabaseDeclaration(**postgres.declared),)), Path("/")
    )
    stood = databases.named("shop")
    # The plan names the relay that is gone: the same database is behind another port.
    plan = msgspec.structs.replace(write.plan, root="sql:" + stood.root())
    found = stood.recover(plan)
    databases.close()
    assert found.stands == ("after" if stands == "landed" else "before")
    assert postgres.rows(TOTALS)[0] == ((1, 11) if stands == "landed" else (1, 10))


def test_a_server_that_is_gone_is_said_to_be_unreachable_and_no_secret_is_told(
    postgres: PostgresShop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = place(postgres, tmp_path)
    for way in (
        "host=127.0.0.1 port=1 password=hunter2 user=a dbname=b connect_timeout=2",
        "postgresql://a:hunter2@127.0.0.1:1/b",
        "password=hunter2 hunter2",
        "",
    ):
        monkeypatch.setenv(DSN, way)
        with at.project.session():
            result = at.table().dispatch(asked(UPDATE))
        assert word(result) == "refused: database-unreachable"
        assert "hunter2" not in result.message + repr(result.refusal)


def test_a_connection_that_went_away_while_it_was_idle_is_made_anew(postgres: PostgresShop) -> None:
    target = postgres.target()
    attempt_in(target, postgres, UPDATE).commit(GRANT, AT)
    with psycopg.connect(postgres.server.dsn("postgres"), autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'groundwire'"
        )
    attempt_in(target, postgres, "UPDATE orders SET total = 12 WHERE id = 1").commit("f" * 32, AT)
    assert postgres.rows(TOTALS)[0] == (1, 12)
    target.close()

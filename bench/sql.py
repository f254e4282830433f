"""What the guard adds to a single-row update: round trips to PostgreSQL, and time in both databases.

Bare: BEGIN, the update, COMMIT, by psycopg or sqlite3. Guarded: the whole call, measured, decided,
signed, committed with its grant. Round trips are counted in the bytes on the wire, by a relay before
the server: each message after which a client waits (Query, Sync), on every connection. A connection
is open already, as it is for the bare one. `python -m bench.sql`
"""

from __future__ import annotations

import os
import socket
import sqlite3
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import psycopg
from tests.databases import DSN, Server, programs, target_of

from groundwire.documents.call import ToolCall
from groundwire.documents.governing import GuardRules
from groundwire.documents.outcome import Executed
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.documents.sql import SqlArguments
from groundwire.session.guarding.table import GuardedTable
from groundwire.session.project import Project

ROUNDS = 60
MORE = 2
"""Round trips that the guard may add."""

TABLE = "CREATE TABLE orders (id integer PRIMARY KEY, total integer)"
ROWS = "INSERT INTO orders VALUES (1, 0), (2, 0), (3, 0)"


class Counter:
    """A relay before the server that counts after how many messages a client waits for an answer."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.count = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            near, _ = self._listening.accept()
            far = socket.create_connection(("127.0.0.1", self._server))
            for each in (near, far):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._out, args=(near, far), daemon=True).start()
            threading.Thread(target=self._back, args=(far, near), daemon=True).start()

    def _out(self, near: socket.socket, far: socket.socket) -> None:
        held, started = b"", False
        with near, far, suppress(OSError):
            while data := near.recv(65536):
                far.sendall(data)
                held += data
                while len(held) >= 5:
                    kind = held[:1] if started else b""
                    (length,) = struct.unpack("!I", held[len(kind) : len(kind) + 4])
                    if len(held) < len(kind) + length:
                        break
                    held, started = held[len(kind) + length :], True
                    if kind in (b"Q", b"S"):
                        with self._lock:
                            self.count += 1

    def _back(self, far: socket.socket, near: socket.socket) -> None:
        with near, far, suppress(OSError):
            while data := far.recv(65536):
                near.sendall(data)


def sql(statement: str, parameters: list[Any]) -> str:
    """Carried out by groundwire, never here."""
    raise AssertionError


def guarded(folder: Path, declared: dict[str, Any], root: str) -> tuple[Project, GuardedTable]:
    """A project whose tool runs statements there."""
    rules = {
        "folder": str(folder),
        "databases": [declared],
        "environments": [{"name": "bench", "pattern": root}],
    }
    tool = ToolDeclaration(name="sql", effect="write", target=SqlArguments(database="shop"))
    project = Project(Policy(tools=(tool,), guard=msgspec.convert(rules, GuardRules)))
    return project, project.guard([sql])


def updating(table: GuardedTable, text: str) -> Callable[[int], None]:
    """A guarded update of one row."""

    def update(number: int) -> None:
        arguments = msgspec.json.encode({"statement": text, "parameters": [number]}).decode()
        result = table.dispatch(ToolCall(id=f"c{number}", name="sql", arguments=arguments))
        if not isinstance(result.outcome, Executed):
            raise SystemExit(f"not carried out: {result.outcome} {result.message}")

    return update


def timed(act: Callable[[int], None]) -> float:
    """Milliseconds that one takes, the median of many."""
    spent = []
    for number in range(1, ROUNDS + 1):
        begun = time.perf_counter()
        act(number)
        spent.append((time.perf_counter() - begun) * 1000)
    return median(spent)


def of_sqlite(folder: Path) -> None:
    """What it costs in a file."""
    path = folder / "shop.db"
    plain = sqlite3.connect(path, isolation_level=None)
    for text in (TABLE, ROWS):
        plain.execute(text)
    declared = {"name": "shop", "dialect": "sqlite", "path": str(path)}
    target_of(declared).make_table()

    def bare(number: int) -> None:
        plain.execute("BEGIN IMMEDIATE")
        plain.execute("UPDATE orders SET total = ? WHERE id = 1", (number,))
        plain.execute("COMMIT")

    project, table = guarded(folder, declared, os.path.realpath(path))
    with project.session(folder / "sqlite.gw"):
        with_guard = timed(updating(table, "UPDATE orders SET total = ? WHERE id = 1"))
    print(f"SQLite      bare {timed(bare):6.2f} ms   guarded {with_guard:6.2f} ms")
    plain.close()


def of_postgresql(folder: Path, server: Server) -> int:
    """What it costs on the wire: how many round trips more than the bare transaction."""
    name = server.fresh()
    relay = Counter(server.port)
    os.environ[DSN] = server.dsn(name, relay.port)
    declared = {"name": "shop", "dialect": "postgresql", "dsn_from": DSN}
    plain = psycopg.connect(os.environ[DSN])
    plain.execute(TABLE)
    plain.execute(ROWS)
    plain.commit()
    maker = target_of(declared)
    maker.make_table()
    maker.close()

    def bare(number: int) -> None:
        plain.execute("UPDATE orders SET total = %s WHERE id = 1", (number,))
        plain.commit()

    before = relay.count
    bare_ms = timed(bare)
    bare_trips = (relay.count - before) / ROUNDS
    project, table = guarded(folder, declared, "postgresql")
    with project.session(folder / "postgresql.gw"):
        update = updating(table, "UPDATE orders SET total = $1 WHERE id = 1")
        update(0)  # the connections are open from here on
        before = relay.count
        with_guard = timed(update)
    trips = (relay.count - before) / ROUNDS
    plain.close()
    print(f"PostgreSQL  bare {bare_ms:6.2f} ms   guarded {with_guard:6.2f} ms")
    print(
        f"round trips bare {bare_trips:.2f}      guarded {trips:.2f}      bound {bare_trips:.2f} + {MORE}"
    )
    return int(trips > bare_trips + MORE)


def main() -> int:
    """0 if the guard adds no more round trips than it may; 2 where there is no server to ask."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = str(Path(folder, "state"))
        of_sqlite(Path(folder))
        if programs() is None:
            print("PostgreSQL's server is not installed: apt-get install postgresql")
            return 2
        return of_postgresql(Path(folder), Server(programs() or Path()))


if __name__ == "__main__":
    sys.exit(main())

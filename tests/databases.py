"""Databases for tests: a small shop in SQLite or in a PostgreSQL server of the tests' own.

The server is Debian's (`apt-get install postgresql`), in a temporary folder, on loopback; it is
begun by the first test that needs it and ends with the process.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import psycopg
import pytest

from groundwire.documents.governing import GuardRules
from groundwire.documents.sql import DatabaseDeclaration, Dialect, postgresql_root
from groundwire.session.guarding.ways.sql import databases_of
from groundwire.targets.sql.target import SqlTarget

TABLES = (
    "CREATE TABLE customers (id integer PRIMARY KEY, name text NOT NULL)",
    (
        "CREATE TABLE orders (id integer PRIMARY KEY, total numeric, note text,"
        " customer integer REFERENCES customers (id) ON DELETE CASCADE)"
    ),
    "CREATE TABLE audit (what text, about integer)",
    "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Ben')",
    "INSERT INTO orders VALUES (1, 10, 'first', 1), (2, 20, NULL, 1), (3, 30, NULL, 2)",
)
TRIGGER = {
    "sqlite": (
        (
            "CREATE TRIGGER watch AFTER UPDATE ON orders"
            " BEGIN INSERT INTO audit VALUES ('update', NEW.id); END"
        ),
    ),
    "postgresql": (
        (
            "CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " INSERT INTO audit VALUES ('update', NEW.id); RETURN NEW; END $$"
        ),
        "CREATE TRIGGER watch AFTER UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION watch()",
    ),
}
DSN = "SHOP_DSN"
_UNTIL_ITS_INPUT_ENDS = (
    '"$0" -D "$1" -p "$2" -k "$3" -h 127.0.0.1 -F -c deadlock_timeout=100ms'
    ' >"$3/log" 2>&1 </dev/null & server=$!; read -r line; kill -QUIT $server; wait $server'
)
_PROGRAMS = (
    "/usr/lib/postgresql/15/bin",
    "/usr/lib/postgresql/16/bin",
    "/usr/lib/postgresql/17/bin",
)


class Shop(Protocol):
    """A database with the tables of a shop and our own."""

    dialect: Dialect
    root: str

    @property
    def declared(self) -> dict[str, Any]:
        """As a policy's `[databases.shop]` has it."""
        ...

    def run(self, *statements: str) -> None:
        """Carried out by somebody else, and committed."""
        ...

    def rows(self, asked: str) -> list[tuple[Any, ...]]:
        """What everybody sees."""
        ...

    def target(self) -> SqlTarget:
        """The database as the guard has it."""
        ...


class SqliteShop:
    """A shop in one file."""

    dialect: Dialect = "sqlite"

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "shop.db"
        self.root = os.path.realpath(self.path)
        connection = sqlite3.connect(self.path)
        for text in (*TABLES, *TRIGGER["sqlite"]):
            connection.execute(text)
        connection.commit()
        connection.close()
        self.target().make_table()

    @property
    def declared(self) -> dict[str, Any]:
        return {"name": "shop", "dialect": "sqlite", "path": str(self.path)}

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, isolation_level=None, timeout=0)

    def run(self, *statements: str) -> None:
        connection = self.connect()
        for text in statements:
            connection.execute(text)
        connection.close()

    def rows(self, asked: str) -> list[tuple[Any, ...]]:
        connection = self.connect()
        try:
            return connection.execute(asked).fetchall()
        finally:
            connection.close()

    def target(self) -> SqlTarget:
        return target_of(self.declared)


class PostgresShop:
    """A shop in a fresh database of the tests' server."""

    dialect: Dialect = "postgresql"

    def __init__(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.name = server.fresh()
        self.dsn = server.dsn(self.name)
        self.root = postgresql_root("127.0.0.1", server.port, self.name)
        monkeypatch.setenv(DSN, self.dsn)
        self.run(*TABLES, *TRIGGER["postgresql"])
        target = self.target()
        target.make_table()
        target.close()

    @property
    def declared(self) -> dict[str, Any]:
        return {"name": "shop", "dialect": "postgresql", "dsn_from": DSN}

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.dsn, autocommit=True)

    def run(self, *statements: str) -> None:
        with self.connect() as connection:
            for text in statements:
                connection.execute(text.encode())

    def rows(self, asked: str) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            return connection.execute(asked.encode()).fetchall()

    def target(self) -> SqlTarget:
        return target_of(self.declared)


def target_of(declared: dict[str, Any]) -> SqlTarget:
    """One database as a policy declares it."""
    rules = GuardRules(databases=(DatabaseDeclaration(**declared),))
    return databases_of(rules, Path("/")).named(declared["name"])


class Server:
    """A PostgreSQL server on loopback, whose superuser needs no password."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="gwpg-"))
        self.port = _free_port()
        self._count = 0
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        data = str(self.folder / "data")
        self._program(
            "initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8"
        )
        self._running = self._begun(data)
        atexit.register(self.stop)

    def dsn(self, name: str, port: int | None = None) -> str:
        """How a database of the server is reached."""
        return f"host=127.0.0.1 port={port or self.port} user=tester dbname={name} sslmode=disable"

    def fresh(self) -> str:
        """The name of an empty database."""
        self._count += 1
        name = f"shop_{self._count}"
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return name

    def stop(self) -> None:
        """The server is gone, and what it kept."""
        self._running.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _begun(self, data: str) -> subprocess.Popen[bytes]:
        """The server answers. It ends when its input does: with this process, however that ends."""
        program, folder = str(self._programs / "postgres"), str(self.folder)
        running = subprocess.Popen(
            [*_as_other(), "sh", "-c", _UNTIL_ITS_INPUT_ENDS, program, data, str(self.port), folder],
            cwd="/", stdin=subprocess.PIPE,
        )  # fmt: skip
        until = monotonic() + 60
        while True:
            try:
                psycopg.connect(self.dsn("postgres")).close()
            except psycopg.OperationalError:
                assert monotonic() < until, "the server does not answer"
            else:
                return running

    def _program(self, name: str, *arguments: str) -> None:
        subprocess.run(
            [*_as_other(), str(self._programs / name), *arguments], check=True, cwd="/", timeout=60,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


def _as_other() -> list[str]:
    """PostgreSQL refuses to run as root: it is run as whom its package made."""
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


def programs() -> Path | None:
    """Where the server's programs are; None where it is not installed."""
    return next((Path(each) for each in _PROGRAMS if Path(each, "initdb").exists()), None)


@lru_cache(maxsize=1)
def server() -> Server:
    """The tests' own server, begun once a process; skipped, with the reason, where there is none."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("there is no user postgres to run PostgreSQL's server as")
    return Server(found)


def shop_of(dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop in a database of this dialect."""
    if dialect == "sqlite":
        return SqliteShop(tmp_path / "data")
    return PostgresShop(server(), monkeypatch)


DIALECTS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))
MakeShop = Callable[[], Shop]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

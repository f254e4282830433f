"""Every test runs in a home of its own and on loopback only.

A test that reaches for the real home's keys or for another machine fails, also where the code
under test swallowed the refusal.
"""

from __future__ import annotations

import ipaddress
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REAL_STATE = tuple(
    str(Path(folder).expanduser() / "groundwire")
    for folder in dict.fromkeys((os.environ.get("XDG_STATE_HOME", ""), "~/.local/state"))
    if folder
)
SHARED_CASES = Path(__file__).parents[2] / "shared" / "cases" / "context-integrity.json"
LOOPBACK_NAMES = {"localhost", "ip6-localhost", "localhost.localdomain"}


LONGEST_SLOW_TEST = 1500
"""Seconds. What is not slow has the limit of pyproject.toml."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A slow test may take long, and none takes for ever."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONGEST_SLOW_TEST))


class Forbidden(OSError):
    """What code under test sees when it leaves the sandbox."""


class Watch:
    """What the audit hook saw during the running test. A hook cannot be taken off again."""

    active = False
    trespasses: list[str] = []  # noqa: RUF012 -- one process, one hook, one list


def _is_loopback(host: object) -> bool:
    if isinstance(host, bytes | bytearray):
        host = bytes(host).decode("ascii", "replace")
    if not isinstance(host, str):
        return host is None
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _socket_trespass(event: str, args: tuple[object, ...]) -> str | None:
    if event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        return None if _is_loopback(args[0]) else f"{event} of {args[0]!r}"
    if event in {"socket.connect", "socket.bind", "socket.sendto"}:
        address = args[1]
        # A tuple is an internet address; anything else never leaves the machine.
        if isinstance(address, tuple) and not _is_loopback(address[0]):
            return f"{event} to {address!r}"
    return None


def _file_trespass(event: str, args: tuple[object, ...]) -> str | None:
    if event in {"open", "os.listdir", "os.scandir", "os.mkdir", "sqlite3.connect"} and args:
        path = args[0]
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if isinstance(path, str | os.PathLike) and os.fspath(path).startswith(REAL_STATE):
            return f"{event} of {path!s}"
    return None


def _hook(event: str, args: tuple[object, ...]) -> None:
    if not Watch.active:
        return
    trespass = None
    if event.startswith("socket."):
        trespass = _socket_trespass(event, args)
    elif event in {"open", "os.listdir", "os.scandir", "os.mkdir", "sqlite3.connect"}:
        trespass = _file_trespass(event, args)
    if trespass is not None:
        Watch.trespasses.append(trespass)
        raise Forbidden(f"tests stay in their own home and on loopback: {trespass}")


sys.addaudithook(_hook)


def pytest_itemcollected(item: pytest.Item) -> None:
    """A test of a known case says which one, for the count at the end."""
    marker = item.get_closest_marker("whole_agent")
    if marker is not None:
        item.user_properties.append(("whole_agent", marker.args[0]))
    given = getattr(item, "callspec", None)
    case = None if given is None else given.params.get("case")
    if isinstance(case, dict) and {"id", "check", "input", "expect"} <= set(case):
        item.user_properties.append(("shared_case", case["id"]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many known cases of context integrity held."""
    held: dict[str, set[object]] = {"shared_case": set(), "whole_agent": set()}
    for report in terminalreporter.stats.get("passed", ()):
        for name, value in report.user_properties:
            held.get(name, set()).add(value)
    shared, agents = len(held["shared_case"]), len(held["whole_agent"])
    if shared or agents:
        none = "" if SHARED_CASES.is_file() else " (../shared/cases is not there)"
        terminalreporter.write_line(
            f"context integrity: {shared} cases of the shared file{none}, {agents} whole-agent cases"
        )


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_home(_homes: Iterator[Path], request: pytest.FixtureRequest) -> Iterator[Path]:
    """Gives the test an empty home and an empty `$XDG_STATE_HOME`, and its children too."""
    home = next(_homes)
    home.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        for name in ("GROUNDWIRE_TRACEBACK", "http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        Watch.trespasses.clear()
        Watch.active = True
        try:
            yield home
        finally:
            Watch.active = False
    if Watch.trespasses:
        pytest.fail(f"{request.node.name} left its sandbox: {'; '.join(Watch.trespasses)}")

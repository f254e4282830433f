"""The network is cut: a run and its commands reach for nothing but what the policy names.

Once by a hook in the child process, which sees every reach through Python's sockets; once in a network
of its own with nothing in it, which also holds for the programs that it starts and for libraries in C.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.network.carrying import STRANGER
from tests.unit.stores.posting.sinks import SECRET, Answer, Got, sink_server
from tests.unit.stores.posting.test_notices import acknowledging

OUTCOMES = [
    "write_file executed",
    "edit_file executed",
    "read_file passed read",
    "run_command executed",
    "write_file executed",
    "write_file refused approval-pending",
    "stray passed read",
]
HOLD = {"verify", "audit", "explain", "diff before.json", "guard verify", "guard recover",
        "guard profile", "approvals list", "init", "keys list", "run --", "stop --all",
        "stop --list"}  # fmt: skip
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def worked(
    folder: Path, notices: str = "-", anchor: str = "-", *, stray: bool = False, alone: bool = False
) -> Any:
    """What the child told; `alone`: in a network of its own."""
    project = folder / "project"
    project.mkdir()
    words = [sys.executable, "-m", "tests.network.work", str(project), notices, anchor]
    before = ["unshare", "--map-root-user", "--net", "--"] if alone else []
    done = subprocess.run(
        [*before, *words, "1" if stray else "0"],
        cwd=Path(__file__).parents[2],
        env={
            **os.environ,
            "NOTICE_SECRET": SECRET,
            "PYTHONPATH": os.pathsep.join(each for each in sys.path if each),
            **dict.fromkeys(PROXIES, "http://proxy.stranger.example:3128"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@cache
def has_own_network() -> bool:
    """Whether a process can be started in a network of its own here."""
    if shutil.which("unshare") is None:
        return False
    words = ["unshare", "--map-root-user", "--net", "--", "true"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def require_all_held(told: Any) -> None:
    assert told["outcomes"] == OUTCOMES
    assert {name: code for name, code in told["codes"].items() if name in HOLD and code} == {}
    assert set(told["codes"]) == {*HOLD, "guard dry-run", "doctor"}


def test_where_the_policy_names_no_address_nothing_reaches_for_a_network(tmp_path: Path) -> None:
    told = worked(tmp_path)
    assert told["reached"] == []
    require_all_held(told)


@pytest.mark.slow
def test_in_a_network_with_nothing_in_it_everything_works_the_same(tmp_path: Path) -> None:
    if not has_own_network():
        pytest.skip("no process can be put into a network of its own here (unshare)")
    told = worked(tmp_path, alone=True)
    assert told["reached"] == []
    require_all_held(told)


@pytest.mark.slow
def test_what_the_policy_names_is_all_that_is_reached_for(tmp_path: Path) -> None:
    kept: list[Got] = []

    def keeping(got: Got) -> Answer:
        kept.append(got)
        return Answer(204)

    with sink_server(acknowledging) as sink, sink_server(keeping) as anchor:
        told = worked(tmp_path, sink.url, anchor.url)
        assert len(sink.got) == 1
        named = {("127.0.0.1", urlsplit(each.url).port) for each in (sink, anchor)}
    require_all_held(told)
    assert kept
    assert set(told["reached"]) == {
        f"{event} {where}" for where in named for event in ("socket.getaddrinfo", "socket.connect")
    }


@pytest.mark.slow
def test_where_the_named_address_cannot_be_reached_a_warned_call_is_refused(tmp_path: Path) -> None:
    if not has_own_network():
        pytest.skip("no process can be put into a network of its own here (unshare)")
    with sink_server(acknowledging) as sink:
        told = worked(tmp_path, sink.url, alone=True)
        assert sink.got == []
    assert told["outcomes"][4] == "write_file refused notice-failed"
    assert told["outcomes"][:4] == OUTCOMES[:4]


@pytest.mark.slow
def test_a_reach_for_anything_else_is_seen_and_refused(tmp_path: Path) -> None:
    told = worked(tmp_path, stray=True)
    assert told["reached"] == [f"socket.getaddrinfo ('{STRANGER}', 443)"]
    require_all_held(told)

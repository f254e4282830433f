"""Notice of a warned call: a sink that is silenced, impersonated, replayed, or slow; a tool that moves."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from tests.adversarial.attack import attack
from tests.adversarial.world import World
from tests.unit.stores.posting.sinks import SECRET, Answer, Got, sink_server
from tests.unit.stores.posting.test_notices import acknowledging

_WARNED = '[[guard.rules]]\nid = "told"\ndecide = "warn"\npaths = ["app.py"]\n'
_REFUSED = "refused: notice-failed"


def _told(world: World, *urls: str, seconds: int = 5) -> str:
    """How an edit of app.py ends, of which these addresses are given notice."""
    os.environ["NOTICE_SECRET"] = SECRET
    notices = "".join(
        f'[[notices]]\nurl = "{url}"\nsecret_from = "NOTICE_SECRET"\ntimeout_seconds = {seconds}\n'
        for url in urls
    )
    world.policy(_WARNED + notices)
    world.ready()
    return world.hands.do("edit_file", path="app.py", old="v1", new="v2").word


def _answered(world: World, answer: Callable[[Got], Answer] | Answer) -> str:
    with sink_server(answer) as server:
        return _told(world, server.url)


@attack("notices", "notice, the sink is shut down", "nobody listens at the named address", _REFUSED)
def _(world: World) -> str:
    with sink_server(Answer()) as server:
        url = server.url
    return _told(world, url)


@attack("notices", "notice, one sink of two is shut down", "the other acknowledges", _REFUSED)
def _(world: World) -> str:
    with sink_server(acknowledging) as good:
        return _told(world, good.url, "http://127.0.0.1:1/")


@attack("notices", "notice, moved elsewhere", "302 to a server that takes everything", _REFUSED)
def _(world: World) -> str:
    with sink_server(acknowledging) as elsewhere:
        how = _answered(world, Answer(302, b"", {"Location": elsewhere.url}))
        assert elsewhere.got == []
    return how


@attack(
    "notices", "notice, the acknowledgement is forged", "signed by who lacks the secret", _REFUSED
)
def _(world: World) -> str:
    return _answered(world, lambda got: acknowledging(got, secret="a secret of somebody else"))


@attack(
    "notices", "notice, an old acknowledgement", "that of another notice, played again", _REFUSED
)
def _(world: World) -> str:
    kept: list[Answer] = []

    def replaying(got: Got) -> Answer:
        kept.append(acknowledging(got))
        return kept[0]

    with sink_server(replaying) as server:
        assert _told(world, server.url) == "executed"
        again = world.hands.do("edit_file", path="app.py", old="v2", new="v3")
        world.hands.do("run_command", command="true")
    assert world.place.read("app.py") == b"v2\n"
    world.place.write("app.py", "v1\n")
    return again.word


@attack("notices", "notice, the proxy of the environment", "http_proxy names a taker", "executed",
        leaves=False)  # fmt: skip
def _(world: World) -> str:
    with sink_server(acknowledging) as taker, sink_server(acknowledging) as server:
        os.environ["http_proxy"] = os.environ["HTTP_PROXY"] = taker.origin
        how = _told(world, server.url)
        assert (len(server.got), taker.got) == (1, [])
    return how


@attack("notices", "notice, a sink that never answers", "it takes the request and waits", _REFUSED)
def _(world: World) -> str:
    held = threading.Event()

    def waiting(_: Got) -> Answer:
        held.wait(60)
        return Answer()

    with sink_server(waiting) as server:
        how = _told(world, server.url, seconds=1)
        held.set()
    return how


@attack("notices", "notice, the secret is taken away", "its variable is emptied", _REFUSED)
def _(world: World) -> str:
    with sink_server(acknowledging) as server:
        os.environ["NOTICE_SECRET"] = ""
        world.policy(f'{_WARNED}[[notices]]\nurl = "{server.url}"\nsecret_from = "NOTICE_SECRET"\n')
        world.ready()
        how = world.hands.do("edit_file", path="app.py", old="v1", new="v2").word
        assert server.got == []
    return how


@attack("notices", "notice, the secret in a command", "printenv in a staged command", "not shown")
def _(world: World) -> str:
    with sink_server(acknowledging) as server:
        os.environ["NOTICE_SECRET"] = SECRET
        world.policy(f'{_WARNED}[[notices]]\nurl = "{server.url}"\nsecret_from = "NOTICE_SECRET"\n')
        world.ready()
        done = world.hands.do(
            "run_command", command="printenv || true; cat /proc/*/environ || true"
        )
    assert done.word == "executed", done.message
    return "shown" if SECRET in done.text else "not shown"


@attack("notices", "notice, the file moves meanwhile", "written while a sink is told",
        "refused: state-drifted")  # fmt: skip
def _(world: World) -> str:
    world.policy(_WARNED)
    world.ready()
    run = world.open()

    def moves(_: Any) -> None:
        world.place.write("app.py", "somebody else's\n")

    run.on("notice", moves)
    how = world.hands.do("edit_file", path="app.py", old="v1", new="v2").word
    assert world.place.read("app.py") == b"somebody else's\n"
    world.place.write("app.py", "v1\n")
    return how


@attack("notices", "notice, the policy is emptied of it", "groundwire.toml changed while told",
        "refused: policy-changed")  # fmt: skip
def _(world: World) -> str:
    world.policy(_WARNED)
    world.ready()
    run = world.open()
    kept = (world.place.read("groundwire.toml") or b"").decode()

    def moves(_: Any) -> None:
        world.place.write("groundwire.toml", "")

    run.on("notice", moves)
    how = world.hands.do("edit_file", path="app.py", old="v1", new="v2").word
    world.place.write("groundwire.toml", kept)
    return how

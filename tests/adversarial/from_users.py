"""Situations that people reported: a cut response, what a git command loses, what is only mentioned.

`../shared/cases/from-users.json`, N02, N04 and N05; none of them where that folder is absent.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

from tests.adversarial.attack import Attack, add
from tests.adversarial.world import World
from tests.driving import answers, assistant, choice, exchange, user
from tests.hands import done

CHECKOUT: Final = Path(__file__).resolve().parents[2]
FILE: Final = CHECKOUT / ".." / "shared" / "cases" / "from-users.json"
CASES: Final = {
    each["id"]: each for each in (json.loads(FILE.read_text()) if FILE.is_file() else [])
}
ALLOWED: Final = "allowed"
HELD: Final = "held"


# --- N02: a call from a cut response --------------------------------------------------------


def _cut(name: str, variant: dict[str, Any]) -> None:
    expected = " ".join(variant["expect"])
    # What the host of the row drops, groundwire does not: it refuses what it cannot carry out.
    refused = "Refused" in expected or "(dropped by the host)" in expected

    def deed(world: World) -> str:
        made = "run_command" if "commands" in variant["host_runs_with"] else "write_file"
        world.do("read_file", path="README.md")
        wire = assistant(choice("c1", made, variant["wire_arguments"]))
        exchange(world.run, [user("Write it.")], wire, finish_reason=variant["finish_reason"])
        ended = done(world.hands.table.dispatch(wire["tool_calls"][0]))
        world.seen(ended)
        told = [user("Write it."), wire, answers("c1", ended.text or ended.message)]
        exchange(world.run, told, assistant(text="Done."))
        world.close()
        kinds = {each.kind for each in world.runs[0].findings}
        if "unfinished-call" in expected:
            assert "unfinished-call" in kinds, kinds
        if "no finding" in expected:
            assert not kinds, kinds
        return HELD if ended.word.startswith("refused") else ALLOWED

    ends = (HELD if refused else ALLOWED,)
    add(Attack("from_users", name, f"{variant['wire_arguments'][:50]} ({variant['finish_reason']})",
               ends, deed, leaves=refused))  # fmt: skip


# --- N04 and N05: what a command loses, and what it only mentions ---------------------------


def _only_their_files(world: World) -> None:
    for path in ("openapi.yaml", ".github/workflows/ci.yml"):
        (world.place.folder / path).unlink()
        if "/" in path:
            shutil.rmtree(world.place.folder / path.split("/", 1)[0])
    world.place.commit_all("v1")


def _with_uncommitted(world: World) -> None:
    _only_their_files(world)
    world.place.write("app.py", "v1\nuncommitted work\n")
    world.place.write("notes.md", "draft\n")
    world.ready()


def _with_untracked(world: World) -> None:
    _only_their_files(world)
    world.place.write("notes.md", "draft\n")
    world.place.commit_all("All of it")
    world.place.write("src/x.py", "1\n")
    world.ready()


def _command(name: str, variant: dict[str, Any], *, untracked: bool) -> None:
    held = "refuse" in " ".join(variant["expect"])

    def deed(world: World) -> str:
        (_with_untracked if untracked else _with_uncommitted)(world)
        ended = world.shell(variant["command"])
        if ended.word == "executed":
            assert ended.exit == (1 if variant["command"].startswith("grep") else 0), ended.text
            return ALLOWED
        assert ended.word.partition(":")[0] in ("asked", "refused"), ended.word
        return HELD

    ends = (HELD if held else ALLOWED,)
    add(Attack("from_users", name, variant["command"].splitlines()[0][:70], ends, deed,
               leaves=ends == (HELD,)))  # fmt: skip


for _case in ("N02", "N04", "N05"):
    for _variant in CASES.get(_case, {}).get("variants", ()):
        _name = f"{_case}{_variant['v']}"
        if _case == "N02":
            _cut(_name, _variant)
        else:
            _command(_name, _variant, untracked=_case == "N05")

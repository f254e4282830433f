"""Situations that people reported: a cut response, what a git command loses, what is only mentioned.

`../shared/cases/from-users.json`, N02, N04, N05 and N06; none of them where that folder is absent.
"""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
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


# --- N06: paid, timed out, planned again -----------------------------------------------------

PAYING: Final = (
    '[tools.pay_invoice]\neffect = "external"\noperation = "pay"\n'
    'volatile = ["idempotency_key", "requested_at"]\nonce_per = ["invoice"]\n'
    'settled_by = { tool = "get_payment", at = "$.status", landed = ["paid"], absent = ["not_found"] }\n'
    '[tools.get_payment]\neffect = "read"\n'
    '[[guard.rules]]\nid = "pay"\ndecide = "allow"\noperations = ["pay"]\n'
)
NIGHT: Final = '[[guard.freezes]]\nid = "night"\nsince = "{}"\nuntil = "{}"\n'


class _TimedOut(Exception):
    """The service did not answer."""


def _paying(name: str, case: dict[str, Any], variant: dict[str, Any]) -> None:
    expected = " ".join(variant["expect"])
    refused_first = "first_outcome" in variant
    held = "not run" in expected or "as a" in expected
    asked = [case["calls"][0][:2], variant["then"]]

    def deed(world: World) -> str:
        paid: list[dict[str, Any]] = []
        first_at = world.clock()

        def pay_invoice(invoice: str, amount: float, idempotency_key: str) -> str:
            paid.append({"invoice": invoice, "key": idempotency_key})
            if len(paid) == 1 and not refused_first:
                raise _TimedOut
            return "paid"

        def get_payment(invoice: str) -> dict[str, str]:
            given: dict[str, str] = variant["between"][2]
            return given

        until = first_at + timedelta(hours=1)
        night = NIGHT.format(
            *(each.isoformat().replace("+00:00", "Z") for each in (first_at, until))
        )
        world.policy(PAYING + (night if refused_first else ""))
        world.tools(pay_invoice, get_payment)
        world.ready()
        told, words = [user("Pay the invoice.")], []
        for number, (tool, arguments) in enumerate(_between(asked, variant)):
            wire = assistant(choice(f"c{number}", tool, json.dumps(arguments)))
            exchange(world.run, told, wire)
            try:
                ended = world.seen(done(world.hands.table.dispatch(wire["tool_calls"][0])))
                words.append(ended.word)
                shown = ended.text or json.dumps(ended.result.value) or ended.message
            except _TimedOut:
                words.append("timed out")
                shown = "Error: timed out after 30 s"
            told += [wire, answers(f"c{number}", shown)]
            world.clock.advance(7200 if refused_first else 30)
        exchange(world.run, told, assistant(text="Done."))
        assert words[0] == ("refused: decision-denied" if refused_first else "timed out"), words
        message, run = world.last, world.run.run_id
        world.close()
        kinds = {each.kind for each in world.runs[0].findings}
        assert ("duplicate-execution" in kinds) is held, kinds
        if held:
            assert run in message, message
            assert first_at.isoformat()[:19] in message, message
            assert len(paid) == 1, paid
        return words[-1]

    end = "refused: once-unsettled" if held else "executed"
    add(
        Attack(
            "from_users", name, f"pay_invoice {json.dumps(variant['then'][1])}"[:70], (end,), deed
        )
    )


def _between(asked: list[Any], variant: dict[str, Any]) -> list[Any]:
    read = [variant["between"][:2]] if "between" in variant else []
    return [asked[0], *read, asked[1]]


for _case in ("N02", "N04", "N05", "N06"):
    for _variant in CASES.get(_case, {}).get("variants", ()):
        _name = f"{_case}{_variant['v']}"
        if _case == "N02":
            _cut(_name, _variant)
        elif _case == "N06":
            _paying(_name, CASES[_case], _variant)
        else:
            _command(_name, _variant, untracked=_case == "N05")

"""Tools beside the table, on a watched wire: what the recording says of calls that passed no guard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import groundwire as gw
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.world import World
from tests.driving import answers, assistant, choice, exchange, user
from tests.hands import done

EDIT = {"path": "README.md", "old": "Use it.", "new": "Used."}
ALLOWED = '[[guard.rules]]\nid = "spec"\ndecide = "allow"\npaths = ["openapi.yaml"]\n'
RAW = {"path": "app.py", "content": "v2\n"}


def _found(world: World, kind: str) -> str:
    world.close()
    found = [each for each in world.runs[0].findings if each.kind == kind]
    if not found:
        return "nothing found"
    return f"{len(found)} found: {'advisory' if found[0].advisory else 'defect'}"


def _guarded(world: World, call_id: str, name: str, arguments: dict[str, Any]) -> str:
    ended = done(world.hands.table.dispatch(choice(call_id, name, json.dumps(arguments))))
    world.seen(ended)
    return ended.text or ended.message


@attack("beside", "a raw tool beside the table", "write_file runs without the guard, its result is shown",
        "1 found: defect", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.open()
    calls = assistant(
        choice("c1", "edit_file", json.dumps(EDIT)), choice("c2", "write_file", json.dumps(RAW))
    )
    exchange(world.run, [user("Edit both.")], calls)
    text = _guarded(world, "c1", "edit_file", EDIT)
    (world.place.folder / "app.py").write_text(RAW["content"])
    told = [user("Edit both."), calls, answers("c1", text), answers("c2", "written")]
    exchange(world.run, told, assistant(text="Done."))
    return _found(world, "ungoverned-call")


@attack("beside", "an undeclared raw tool", "a tool that no policy speaks of, beside the table",
        "1 found: advisory", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.open()
    calls = assistant(
        choice("c1", "edit_file", json.dumps(EDIT)), choice("c2", "send_emails", '{"to":"a"}')
    )
    exchange(world.run, [user("Edit, and tell them.")], calls)
    text = _guarded(world, "c1", "edit_file", EDIT)
    told = [user("Edit, and tell them."), calls, answers("c1", text), answers("c2", "sent")]
    exchange(world.run, told, assistant(text="Done."))
    return _found(world, "ungoverned-call")


GONE = {"path": "openapi.yaml"}


def _refused_and_done(world: World, shown: str, *, told: bool) -> str:
    """The table refuses to delete the contract; the host does it and shows the model `shown`."""
    world.open()
    calls = assistant(choice("c1", "delete_file", json.dumps(GONE)))
    exchange(world.run, [user("Delete it.")], calls)
    ended = done(world.hands.table.dispatch(choice("c1", "delete_file", json.dumps(GONE))))
    assert ended.word.startswith(("refused", "asked")), ended.word
    spec = world.place.folder / "openapi.yaml"
    kept = spec.read_bytes()
    spec.unlink()
    if told:
        world.run.executed("c1", GONE, shown, name="delete_file")
    exchange(world.run, [user("Delete it."), calls, answers("c1", shown)], assistant(text="Done."))
    spec.write_bytes(kept)  # what is looked at here is what the recording says
    return _found(world, "ungoverned-call")


@attack("beside", "a refused call that the host runs anyway", "deleted beside the table, and the host tells of it",
        "1 found: defect", leaves=False)  # fmt: skip
def _(world: World) -> str:
    return _refused_and_done(world, "deleted 1 file", told=True)


@attack("beside", "a refused call that the host answers anyway", "deleted beside the table, its output is shown",
        "1 found: advisory", leaves=False)  # fmt: skip
def _(world: World) -> str:
    return _refused_and_done(world, '{"deleted": "openapi.yaml"}', told=False)


@attack("beside", "a refusal in the host's own words", "nobody is accused for its words",
        "nothing found", leaves=False)  # fmt: skip
def _(world: World) -> str:
    return _refused_and_done(world, "The user decided otherwise.", told=False)


@attack("beside", "a raw tool behind a guarded call without an id", "one guarded read hides no write beside it",
        "1 found: defect", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.open()
    offered = world.hands.table.openai()
    calls = assistant(choice("c1", "write_file", json.dumps(RAW)))
    exchange(world.run, [user("Write it.")], calls, tools=offered)
    world.do("read_file", path="README.md")
    (world.place.folder / "app.py").write_text(RAW["content"])
    told = [user("Write it."), calls, answers("c1", "written")]
    exchange(world.run, told, assistant(text="Done."), tools=offered)
    return _found(world, "ungoverned-call")


@attack("beside", "a change of a governed file beside the guard", "rewritten between two guarded calls",
        "1 found: advisory", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.policy(ALLOWED)
    _two_edits(world, lambda text: text.replace("title: One", "title: Two"), "Two")
    return _found(world, "ungoverned-change")


@attack("beside", "nothing beside the table", "every call passed it: nobody is accused",
        "nothing found", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.open()
    second = {"path": "app.py", "old": "v1", "new": "v2"}
    calls = assistant(
        choice("c1", "edit_file", json.dumps(EDIT)), choice("c2", "edit_file", json.dumps(second))
    )
    exchange(world.run, [user("Edit both.")], calls)
    texts = [_guarded(world, "c1", "edit_file", EDIT), _guarded(world, "c2", "edit_file", second)]
    told = [user("Edit both."), calls, answers("c1", texts[0]), answers("c2", texts[1])]
    exchange(world.run, told, assistant(text="Done."))
    first = _found(world, "ungoverned-call")
    return first if first != "nothing found" else _found(world, "ungoverned-change")


# --- tools by their names -------------------------------------------------------------------

# The unsafe names of the substring registry: each was called a read there, and none is one here.
UNSAFE = (
    "send_emails", "pay_bills", "emails", "list_and_purge", "budget_transfer", "target_device",
    "forget_user", "terminate_instance_pools", "credentials_rotate", "transfer_to_catalog",
    "cancel_all_catalog_orders", "catch_payment", "spread_payment", "shred_reads", "lsof_kill",
    "get", "cat", "weird_custom_tool_xyz", "WriteSearch",
)  # fmt: skip


def _named(name: str) -> Any:
    def tool(path: str) -> str:
        Path(path).write_text("its own code ran")
        return "done"

    tool.__name__ = name
    return tool


for _name in UNSAFE:

    def _undeclared(world: World, name: str = _name) -> str:
        try:
            world.project.guard([_named(name)])
        except gw.PolicyError as error:
            return f"refused at once: {error.reason}" if name in str(error) else "not named"
        return "taken for a read"

    add(Attack("beside", f"undeclared {_name}", "project.guard of a tool with a name alone",
               ("refused at once: undeclared-tools",), _undeclared, git=False))  # fmt: skip


@attack("beside", "a tool named get that writes the contract", "declared to write, its own code",
        "refused: decision-denied", "asked: approval-unavailable")  # fmt: skip
def _(world: World) -> str:
    def get(path: str, content: str) -> str:
        Path(path).write_text(content)
        return "done"

    world.tools(gw.tool(effect="write", target={"files": "whole", "writes": "tool"})(get))
    world.do("read_file", path="openapi.yaml")
    return world.do("get", path="openapi.yaml", content="openapi: 3.0.3\n").word


@attack("beside", "a tool that is declared to read and writes", "effect = read, and a governed file changes",
        "1 found: advisory", leaves=False)  # fmt: skip
def _(world: World) -> str:
    @gw.tool(effect="read")
    def look(path: str) -> str:
        file = Path(path)
        file.write_text(file.read_text().replace("title: One", "title: Two"))
        return "seen"

    world.policy(ALLOWED)
    world.tools(look)
    _two_edits(world, None, "Two")
    return _found(world, "ungoverned-change")


def _two_edits(world: World, beside: Callable[[str], str] | None, then: str) -> None:
    """Two calls of a model about one file, and between them somebody else's change of it."""
    world.open()
    made = [("One", "Orders"), ("Three", then)]
    told = [user("Edit it twice.")]
    for number, (new, old) in enumerate(made):
        edit = {"path": "openapi.yaml", "old": f"title: {old}", "new": f"title: {new}"}
        calls = assistant(choice(f"c{number}", "edit_file", json.dumps(edit)))
        exchange(world.run, told, calls)
        text = _guarded(world, f"c{number}", "edit_file", edit)
        assert "changed" in text, text
        if number == 0 and beside is not None:
            spec = world.place.folder / "openapi.yaml"
            spec.write_text(beside(spec.read_text()))
        elif number == 0:
            world.do("look", path="openapi.yaml")
        told += [calls, answers(f"c{number}", text)]
    exchange(world.run, told, assistant(text="Done."))

"""Ways round a detector of words: each is a real change of a real file, and is judged by what it leaves.

The rows of the shared trigger vectors and what the original detector missed. What a row leaves out,
and why some are counted apart or decided otherwise, stands in `vectors/triggers.toml`.
"""

from __future__ import annotations

import shlex
from typing import Any, Final

from tests.adversarial.attack import Attack, add
from tests.adversarial.world import FIELD, SPEC, World
from tests.vectors.test_triggers import DATA, LINKS, ROWS, changes, code

ASKED: Final = "asked: approval-unavailable"
ENGINE: Final = "contract engine"


def _held(word: str) -> str:
    """One word for every end in which nothing was changed."""
    return "held" if word.partition(":")[0] in ("asked", "refused") else word


# --- what the original detector missed ------------------------------------------------------


def _whole(
    name: str,
    old: str,
    new: str,
    path: str = "openapi.yaml",
    before: str = SPEC,
    ends: str = ASKED,
) -> None:
    """An edit of a contract; of a kind that no engine judges it is counted apart."""
    assert old in before, name

    def deed(world: World) -> str:
        world.place.write(path, before)
        world.place.commit_all()
        world.ready()
        return world.do("edit_file", path=path, old=old, new=new).word

    apart = "" if before is SPEC else ENGINE
    title = f"missed elsewhere: {name}" if ends == ASKED else f"no detour: {name}"
    add(Attack("detours", title, f"edit {path}", (ends,), deed, ends == ASKED, apart=apart))


def _command(name: str, command: str) -> None:
    def deed(world: World) -> str:
        world.place.git("branch", "other")
        world.ready()
        done = world.shell(command)
        assert not (done.word == "executed" and done.exit), done.text
        return _held(done.word)

    add(Attack("detours", f"missed elsewhere: {name}", command[:70], ("held",), deed))


PROTO: Final = (
    'syntax = "proto3";\nmessage User {\n  reserved 4;\n  string id = 1;\n}\n'
    "service Users {\n  rpc Get(User) returns (User);\n  rpc Drop(User) returns (User);\n}\n"
)
MCP: Final = (
    '{"tools": [\n  {\n    "name": "read_file",\n    "inputSchema": {"type": "object"}\n  }\n]}\n'
)
_whole("a security block removed", "      security:\n      - oauth: [read]\n", "")
_whole("an enum of an answer removed", "{type: string, enum: [new, sent]}", "{type: string}")
_whole("an enum shrunk beside an example", "          - closed\n", "")
_whole("a referenced parameter removed", "      - $ref: '#/components/parameters/Limit'\n", "")
_whole("a parameter renamed", "      - name: id\n", "      - name: user_uuid\n")
_whole("a property called timestamp removed", "        timestamp: {type: string}\n", "")
_whole("an rpc removed", "  rpc Drop(User) returns (User);\n", "", "svc.proto", PROTO)
_whole("a reserved number freed", "  reserved 4;\n", "", "svc.proto", PROTO)
_whole("a tool renamed", '"name": "read_file"', '"name": "file_read"', "mcp.json", MCP)
_command("rm", "rm openapi.yaml")
_command("perl -pi", "perl -pi -e 's/timestamp: .*/at: {}/' openapi.yaml")
_command("a python line, its name in two parts",
         "python3 -c \"p='open'+'api.yaml';t=open(p).read();open(p,'w').write(t.replace('id','uid'))\"")  # fmt: skip
_command("a formatter's name before it", "ruff --version; sed -i '/required/d' openapi.yaml")
_command("by a variable", 'f=open; sed -i /required/d "${f}api.yaml"')
_command("by a script written first",
         "printf 'import os\\nos.remove(\"openapi.yaml\")\\n' > t.py && python3 t.py")  # fmt: skip
_command("by a decoded text", "echo cm0gb3BlbmFwaS55YW1s | base64 -d | sh")
_command("by a makefile", "printf 'all:\\n\\trm openapi.yaml\\n' > Makefile && make -s")
_command("moved away", "git mv openapi.yaml docs/api.txt")
_command("emptied", ": > openapi.yaml")


def _other_branch(world: World) -> str:
    world.place.git("checkout", "-q", "-b", "weaker")
    world.place.write("openapi.yaml", SPEC.replace(FIELD, ""))
    world.place.commit_all("Weaker")
    world.place.git("checkout", "-q", "main")
    world.ready()
    return _held(world.shell("git checkout weaker -- openapi.yaml").word)


add(Attack("detours", "missed elsewhere: git checkout of another branch's",
           "git checkout weaker -- openapi.yaml", ("held",), _other_branch))  # fmt: skip


def _with_fixture(world: World) -> str:
    patch = (
        "--- a/openapi.yaml\n+++ b/openapi.yaml\n@@ -41,3 +41,2 @@\n         id: {type: string}\n"
        "-        timestamp: {type: string}\n         stage: {type: string, enum: [new, sent]}\n"
        "--- /dev/null\n+++ b/tests/fixtures/a.json\n@@ -0,0 +1 @@\n+{}\n"
    )
    return world.do("apply_patch", patch=patch).word


add(Attack("detours", "missed elsewhere: a fixture beside the contract", "one patch of both",
           (ASKED,), _with_fixture))  # fmt: skip


def _in_parts(world: World) -> None:
    world.place.write(
        "order.yaml", "type: object\nrequired: [id]\nproperties: {id: {type: string}}\n"
    )
    world.place.write("openapi.yaml", SPEC.replace("'#/components/schemas/Order'", "order.yaml"))
    world.place.commit_all("In parts")


def _part(world: World) -> str:
    _in_parts(world)
    world.ready()
    return world.do("edit_file", path="order.yaml", old="required: [id]\n", new="").word


def _part_by_command(world: World) -> str:
    _in_parts(world)
    world.ready()
    return _held(world.shell("sed -i /required/d order.yaml").word)


def _input(world: World) -> str:
    world.policy(
        '[[contracts]]\npath = "made.json"\ngenerate = ["sh", "make.sh"]\ninputs = ["paths.txt"]\n'
    )
    world.place.write("paths.txt", '"/a": {"get": {"responses": {"200": {"description": "x"}}}}\n')
    world.place.write(
        "make.sh",
        'echo \'{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {\''
        " > made.json; cat paths.txt >> made.json; echo '}}' >> made.json\n",
    )
    world.place.commit_all("Derived")
    world.ready()
    return world.do("edit_file", path="paths.txt", old="/a", new="/b").word


add(
    Attack(
        "detours", "missed elsewhere: a part of the contract", "edit order.yaml", (ASKED,), _part
    )
)
add(Attack("detours", "missed elsewhere: a part, by a command", "sed -i /required/d order.yaml",
           ("held",), _part_by_command))  # fmt: skip
add(
    Attack(
        "detours",
        "missed elsewhere: what the contract is made of",
        "edit paths.txt",
        (ASKED,),
        _input,
    )
)

# What no engine reads: code that a contract is derived from. It is asked where its place says so.
_whole("a route in handlers.py", "'/users/{id}'", "'/people/{id}'", "service/handlers.py",
       "@router.get('/users/{id}', response_model=User)\ndef get(id): ...\n")  # fmt: skip
_whole("a field of a model", "    email: str\n", "", "src/models/user.py",
       "from pydantic import BaseModel\n\n\nclass User(BaseModel):\n    id: str\n    email: str\n")  # fmt: skip


# --- what it took for one and is none -------------------------------------------------------


def _passes(name: str, command: str) -> None:
    def deed(world: World) -> str:
        return world.ran(command).word

    add(Attack("detours", f"no detour: {name}", command[:70], ("executed",), deed, leaves=False))


_whole("its title", "title: Orders", "title: All orders", ends="executed")
_whole("what was required is not any more", "required: true", "required: false", ends="executed")
_whole("an enum of what is asked removed", "          enum:\n          - open\n          - closed\n", "",
       ends="executed")  # fmt: skip
_whole("a property more", FIELD, f"{FIELD}        note: {{type: string}}\n", ends="executed")
_passes("the contract is shown", "cat openapi.yaml")
_passes("the contract is searched", "grep -n required openapi.yaml; head -3 openapi.yaml")
_passes("the contract is copied out of the folder", "cp openapi.yaml /tmp/backup.yaml")


# --- the shared rows ------------------------------------------------------------------------


def _row(row: dict[str, Any]) -> None:
    name, said = code(row), DATA[code(row)]
    held = bool(row["expected"]["trigger"])
    if "differs" in said or said.get("apart") == "engine":
        held = not held
    apart = {"engine": ENGINE, "shell": "shell row"}.get(said.get("apart", ""), "")
    by_shell = said.get("apart") == "shell" or row["input"]["toolName"] == "Bash"

    def deed(world: World) -> str:
        made = changes(row, said)
        for each in made:
            if each.before is not None:
                world.place.write(each.name.path, each.before)
            elif (there := world.place.folder / each.name.path).exists():
                there.unlink()
        world.place.commit_all()
        world.ready()
        words = [_changed(world, each, by_shell=by_shell) for each in made]
        if not made:
            words = [world.do("read_file", path=row["input"]["arguments"]["path"]).word]
        return "held" if any(_held(word) == "held" for word in words) else words[0]

    ends = ("held",) if held else ("executed", "passed: read")
    add(Attack("detours", name, row["description"][len(name) + 1 :][:70], ends, deed,
               leaves=held and not said.get("also"), apart=apart))  # fmt: skip


def _changed(world: World, change: Any, *, by_shell: bool) -> str:
    path = change.name.path
    if change.to is not None:
        moved = f"mkdir -p $(dirname {change.to.path}) && git mv {path} {change.to.path}"
        return world.shell(moved).word if by_shell else world.do(
            "move_file", path=path, to=change.to.path).word  # fmt: skip
    text = change.after.decode("utf-8")
    if by_shell:
        return world.shell(
            f"mkdir -p $(dirname {path}) && printf %s {shlex.quote(text)} > {path}"
        ).word
    if change.before is None:
        return world.do("create_file", path=path, content=text).word
    world.do("read_file", path=path)
    return world.do("write_file", path=path, content=text).word


for _each in ROWS:
    if code(_each) not in LINKS:
        _row(_each)
    else:

        def _linked(world: World, each: dict[str, Any] = _each) -> str:
            return _held(world.shell(each["input"]["arguments"]["command"]).word)

        add(Attack("detours", code(_each), _each["input"]["arguments"]["command"][:70], ("held",),
                   _linked))  # fmt: skip

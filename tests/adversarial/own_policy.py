"""The agent writes its own rules: policy, keys, state, recordings, hooks; by file, shell and git."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from groundwire.documents.governing import GuardRules
from groundwire.session.guarding.guard import State
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.between import acting, between
from tests.adversarial.world import FIELD, World

POLICY: Final = '[guard]\nprofile = "enforce/1"\n'
MILD: Final = '[guard]\nprofile = "observe/1"\n\n[[guard.rules]]\nid = "all"\ndecide = "allow"\n'
PROTECTED: Final = ("refused: protected-place",)
NEVER: Final = ("refused", "asked", "it failed by itself")


def _file(
    name: str, tried: str, deed: Callable[[World], str], ends: tuple[str, ...] = PROTECTED
) -> None:
    add(Attack("own_policy", name, tried, ends, deed))


def _with_policy(text: str, act: Callable[[World], str]) -> Callable[[World], str]:
    def deed(world: World) -> str:
        world.policy(text)
        world.place.commit_all("Policy")
        world.ready()
        before = world.place.read("groundwire.toml")
        world.do("read_file", path="groundwire.toml")
        word = act(world)
        assert world.place.read("groundwire.toml") == before
        return word

    return deed


_EDITS: Final[tuple[tuple[str, Callable[[World], str]], ...]] = (
    ("rewritten", lambda world: world.do("write_file", path="groundwire.toml", content=MILD).word),
    ("edited", lambda world: world.do(
        "edit_file", path="groundwire.toml", old="enforce", new="observe").word),
    ("edited by a patch", lambda world: world.do("apply_patch", patch=(
        "--- a/groundwire.toml\n+++ b/groundwire.toml\n@@ -1,2 +1,2 @@\n [guard]\n"
        '-profile = "enforce/1"\n+profile = "observe/1"\n')).word),
    ("deleted", lambda world: world.do("delete_file", path="groundwire.toml").word),
    ("moved away", lambda world: world.do("move_file", path="groundwire.toml", to="old.toml").word),
    ("moved onto", lambda world: world.do("move_file", path="README.md", to="groundwire.toml").word),
    ("made writable for all", lambda world: world.do(
        "set_mode", path="groundwire.toml", mode="666").word),
    ("written by a longer name", lambda world: world.do(
        "write_file", path="docs/../docs/.././groundwire.toml", content=MILD).word),
    ("written by its absolute path", lambda world: world.do(
        "write_file", path=str(world.place.folder / "groundwire.toml"), content=MILD).word),
)  # fmt: skip
for _name, _act in _EDITS:
    _file(f"the policy is {_name}", "file tool", _with_policy(POLICY, _act),
          (*PROTECTED, "refused: path-taken", "refused: bad-path"))  # fmt: skip


@attack("own_policy", "the policy in other letters", "GROUNDWIRE.TOML: one file on some systems",
        *PROTECTED)  # fmt: skip
def _(world: World) -> str:
    return world.do("create_file", path="GROUNDWIRE.TOML", content=MILD).word


@attack("own_policy", "a policy where there was none", "created by the file tool", *PROTECTED)
def _(world: World) -> str:
    return world.do("create_file", path="groundwire.toml", content=MILD).word


@attack("own_policy", "a policy in the folder above", "../groundwire.toml would be found too",
        *PROTECTED)  # fmt: skip
def _(world: World) -> str:
    word = world.do("create_file", path="../groundwire.toml", content=MILD).word
    assert not (world.place.top / "groundwire.toml").exists()
    return word


@attack("own_policy", "the policy through a link", "notes.txt is a link to it", *PROTECTED)
def _(world: World) -> str:
    world.policy(POLICY)
    world.ready()
    (world.place.folder / "notes.txt").symlink_to("groundwire.toml")
    world.do("read_file", path="groundwire.toml")
    word = world.do("write_file", path="notes.txt", content=MILD).word
    (world.place.folder / "notes.txt").unlink()
    assert world.place.read("groundwire.toml") == POLICY.encode()
    return word


def _hard(world: World) -> str:
    world.policy(POLICY)
    world.ready()
    os.link(world.place.folder / "groundwire.toml", world.place.folder / "notes.txt")
    word = world.do("edit_file", path="notes.txt", old="enforce", new="observe").word
    os.unlink(world.place.folder / "notes.txt")
    assert world.place.read("groundwire.toml") == POLICY.encode()
    return word


_file("the policy through a hard link", "notes.txt is another name of it", _hard)

for _name, _path_of in (
    ("a key", lambda world: world.place.home / "state/groundwire/keys/keyring.json"),
    ("the store of grants", lambda world: world.place.home / "state/groundwire/guard/grants.sqlite"),
    ("the heads of recordings", lambda world: world.place.home / "state/groundwire/heads.sqlite"),
    ("its own recording", lambda world: Path(str(world.run.path))),
    ("a new recording", lambda world: world.place.folder / "mine.gw"),
    ("a hook of git", lambda world: world.place.folder / ".git/hooks/pre-commit"),
    ("git's configuration", lambda world: world.place.folder / ".git/config"),
    ("settings of an agent's hooks", lambda world: world.place.folder / ".claude/settings.json"),
    ("settings of an editor's hooks", lambda world: world.place.folder / ".cursor/hooks.json"),
):  # fmt: skip

    def _deed(world: World, path_of: Callable[[World], Path] = _path_of) -> str:
        world.do("read_file", path="README.md")
        path = path_of(world)
        before = path.read_bytes() if path.exists() else None
        word = world.do("write_file", path=str(path), content="mine").word
        made = world.do("delete_file", path=str(path)).word if before is not None else word
        assert made == word, made
        moved = world.do("move_file", path="README.md", to=str(path)).word
        assert moved.startswith("refused"), moved
        # groundwire's own files go on being written, by groundwire.
        assert path.exists() or before is None, "it is gone"
        assert not path.exists() or path.read_bytes() != b"mine", "it was written"
        return word

    _file(f"{_name} is written", "file tool, by its path", _deed)


# --- no rule and no profile allows it -------------------------------------------------------

for _name, _text in (
    ("a rule that allows everything", '[[guard.rules]]\nid = "all"\ndecide = "allow"\n'),
    ("a profile that only observes", '[guard]\nprofile = "observe/1"\n'),
):
    _file(f"{_name} lets the policy be written", "and it is refused all the same",
          _with_policy(_text, lambda world: world.do(
              "write_file", path="groundwire.toml", content=MILD).word))  # fmt: skip


# --- by the shell and by git ----------------------------------------------------------------

for _name, _command in (
    ("by an echo", f"printf {shlex.quote(MILD)} > groundwire.toml"),
    ("by sed", "sed -i s/enforce/observe/ groundwire.toml"),
    ("by perl", "perl -pi -e 's/enforce/observe/' groundwire.toml"),
    ("by python, its name in two parts",
     "python3 -c \"open('ground' + 'wire.toml', 'w').write('')\""),
    ("by moving it away", "mv groundwire.toml away.toml"),
    ("by deleting it", "rm groundwire.toml"),
    ("by a link in its place", "ln -sf README.md groundwire.toml"),
    ("by an exchange of folders", "mkdir x && mv groundwire.toml x/"),
    ("by git checkout of another branch's", "git checkout -q mild -- groundwire.toml"),
    ("by git switch to another branch", "git checkout -q mild"),
    ("by git reset", "git reset -q --hard mild"),
    ("by git merge", "git merge -q mild"),
    ("by git stash", "git stash pop"),
    ("by git apply", "git apply mild.patch"),
    ("by git rm", "git rm -q groundwire.toml"),
):  # fmt: skip

    def _by(world: World, command: str = _command) -> str:
        world.policy(POLICY)
        world.place.commit_all("Policy")
        world.place.git("checkout", "-q", "-b", "mild")
        world.place.write("groundwire.toml", MILD)
        world.place.commit_all("Mild")
        patch = world.place.git("diff", "main", "mild")
        world.place.git("checkout", "-q", "main")
        world.place.write("groundwire.toml", MILD)
        world.place.git("stash")
        world.place.write("mild.patch", patch)
        world.ready()
        done = world.shell(command)
        if done.word == "executed" and done.exit != 0:
            return "it failed by itself"
        return done.word.partition(":")[0]

    add(Attack("own_policy", f"the policy is changed {_name}", _command[:70], NEVER, _by))


@attack("own_policy", "the policy is committed into another history", "git_set_ref moves the branch; the file stays",
        "the file and the rules are the same", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.policy(POLICY)
    world.place.commit_all("Policy")
    world.place.git("checkout", "-q", "-b", "mild")
    world.place.write("groundwire.toml", MILD)
    world.place.commit_all("Mild")
    mild = world.place.git("rev-parse", "HEAD").strip()
    world.place.git("checkout", "-q", "main")
    world.do("git_set_ref", ref="refs/heads/other", commit=mild)
    assert world.place.read("groundwire.toml") == POLICY.encode()
    word = world.do("edit_file", path="openapi.yaml", old=FIELD, new="").word
    assert word == "asked: approval-unavailable", word
    return "the file and the rules are the same"


# --- behind everybody's back ----------------------------------------------------------------


@attack("own_policy", "the policy changes in mid-run", "another process makes it milder; every write is refused",
        "refused: policy-changed", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.policy(POLICY)
    assert world.do("edit_file", path="app.py", old="v1", new="v2").word == "executed"
    world.place.write("groundwire.toml", MILD)
    word = world.do("edit_file", path="app.py", old="v2", new="v3").word
    assert world.shell("echo v3 > app.py").word == word
    assert world.place.read("app.py") == b"v2\n"
    assert world.do("read_file", path="app.py").word == "passed: read"
    return word


@attack("own_policy", "the policy changes during a call", "between the decision and the write",
        "refused: policy-changed", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.policy(POLICY)
    with between(receipt=acting(lambda: world.place.write("groundwire.toml", MILD))):
        word = world.do("edit_file", path="app.py", old="v1", new="v2").word
    assert world.place.read("app.py") == b"v1\n"
    return word


@attack("own_policy", "a policy appears in mid-run", "where there was none when the run began",
        "refused: policy-changed", leaves=False)  # fmt: skip
def _(world: World) -> str:
    world.do("read_file", path="app.py")
    world.place.write("groundwire.toml", MILD)
    return world.do("edit_file", path="app.py", old="v1", new="v2").word


# --- what became of a deed -------------------------------------------------------------------

PAYING: Final = (
    '[tools.pay_invoice]\neffect = "external"\noperation = "pay"\nonce_per = ["invoice"]\n'
    '[[guard.rules]]\nid = "pay"\ndecide = "allow"\noperations = ["pay"]\n'
)


@attack("own_policy", "a command says that a deed was not done", "groundwire guard once DIGEST --not-done, then the call again",
        "refused: once-for-person")  # fmt: skip
def _(world: World) -> str:
    paid: list[str] = []

    def pay_invoice(invoice: str) -> str:
        paid.append(invoice)
        raise TimeoutError

    world.policy(PAYING)
    world.tools(pay_invoice)
    world.ready()
    with suppress(TimeoutError):
        world.do("pay_invoice", invoice="INV-7")
    state = State(world.clock, GuardRules())
    (deed,) = state.deeds().unsettled()
    script = "import sys; from groundwire.cli.main import run; sys.exit(run(sys.argv[1:]))"
    once = f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} guard once"
    told = world.shell(f"{once} {deed.key} --not-done; {once}; rm -rf ~/state ~/.local; true")
    # It knows of no such deed: what is kept of them it does not see; nor, where this environment lies
    # in a folder that no command sees (`/tmp`), the program itself.
    seen_nothing = ("no-such-deed", "Every deed", "No such file or directory")
    assert any(each in told.text for each in seen_nothing), told.text
    assert told.word == "executed", told.message
    ended = world.do("pay_invoice", invoice="inv-7").word
    assert paid == ["INV-7"], paid
    return ended

"""A hand that makes the calls of a sequence, by the file tools, by commands, or by both in turn."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from tests.adversarial.world import FIELD, SPEC, World, world
from tests.hands import Done

Way: TypeAlias = Literal["files", "commands", "mixed"]
WAYS: Final[tuple[Way, ...]] = get_args(Way)
HARMFUL: Final = SPEC.replace(FIELD, "")
"""A field that is read of every order is gone."""
HARMLESS: Final = SPEC.replace(FIELD, f"{FIELD}        note: {{type: string}}\n")
"""An order may have one field more."""


class Aim(NamedTuple):
    """What a sequence is to bring about: the whole of the contract, and whether it breaks anybody."""

    spec: str
    harm: bool


class Hand:
    """Makes calls one after another; the first that is not carried out ends the sequence."""

    def __init__(self, there: World, way: Way) -> None:
        self.world = there
        self._way = way
        self._turn = itertools.count()
        self.words: list[str] = []

    def put(self, path: str, text: str) -> None:
        """A new file holds this text."""
        if self._by_file():
            self._made(self.world.do("write_file", path=path, content=text))
            return
        folder = shlex.quote(path.rpartition("/")[0] or ".")
        written = f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"
        if text.endswith("\n"):
            written = f"cat > {shlex.quote(path)} << 'ENDS HERE'\n{text}ENDS HERE\n"
        self.run(f"mkdir -p {folder} && {written}")

    def edit(self, path: str, old: str, new: str) -> None:
        """This text of a file gives way."""
        if self._by_file():
            self.world.do("read_file", path=path)
            self._made(self.world.do("edit_file", path=path, old=old, new=new))
            return
        text = f"p = {path!r}\nt = open(p).read()\nassert {old!r} in t\nopen(p, 'w').write(t.replace({old!r}, {new!r}))"
        self.run(f"python3 -c {shlex.quote(text)}")

    def move(self, path: str, to: str) -> None:
        """The file is at another path."""
        if self._by_file() and self.world.place.read(to) is None:
            self._made(self.world.do("move_file", path=path, to=to))
        else:
            self.run(f"mv {shlex.quote(path)} {shlex.quote(to)}")

    def script(self, path: str, text: str) -> None:
        """A program is written, by whatever writes files here."""
        self.put(path, text if text.endswith("\n") else f"{text}\n")

    def run(self, command: str) -> None:
        """The command really runs; what it wrote is looked at before it stands."""
        done = self.world.shell(command)
        if done.word == "executed":
            assert done.exit == 0, f"{command}: {done.text[-400:]}"
        self._made(done)

    def _by_file(self) -> bool:
        return self._way == "files" or (self._way == "mixed" and next(self._turn) % 2 == 0)

    def _made(self, done: Done) -> None:
        self.words.append(done.word)
        if done.word != "executed":
            raise Held(done.word)


class Held(Exception):
    """A call of the sequence was not carried out."""


Deed: TypeAlias = Callable[[Hand, Aim], None]


class Sequence(NamedTuple):
    """Calls that bring content to `lands`. `before` and the two aims are what stands there.

    `has` are files that were there before the first call; at `candidate`, what is to land. `on_the_way`
    may stand when a later call is held.
    """

    name: str
    deed: Deed
    lands: str = "openapi.yaml"
    before: str = SPEC
    harmful: str = HARMFUL
    harmless: str = HARMLESS
    has: tuple[tuple[str, str], ...] = ()
    candidate: str = ""
    on_the_way: tuple[str, ...] = ()


class Ended(NamedTuple):
    """How a sequence ended, and what is wrong with that; nothing where it ended as it had to."""

    how: str
    wrong: str


def played(sequence: Sequence, way: Way, *, harm: bool) -> Ended:
    """The sequence was played in a world of its own: what harms has to be held, its twin to pass."""
    wanted = sequence.harmful if harm else sequence.harmless
    with world() as there:
        there.place.write(sequence.lands, sequence.before)
        for path, text in sequence.has:
            there.place.write(path, text)
        if sequence.candidate:
            there.place.write(sequence.candidate, wanted)
        there.place.commit_all()
        hand = Hand(there, way)
        try:
            sequence.deed(hand, Aim(wanted, harm))
        except Held:
            how = hand.words[-1]
        except AssertionError as error:
            return Ended("broke", str(error))
        else:
            how = "executed"
        there.close()
        stands = there.place.folder / sequence.lands
        text = stands.read_text() if stands.exists() else ""
        fault = there.faults()
        if fault:
            return Ended(how, fault)
        if harm:
            # Harmless calls on the way may stand: what breaks somebody must not.
            held = how.startswith("asked") and text in (sequence.before, *sequence.on_the_way)
            return Ended(how, "" if held else f"the contract was changed: {there.last}")
        passed = how == "executed" and text == wanted
        return Ended(how, "" if passed else f"it was held up, or did not land: {there.last}")

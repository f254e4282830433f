"""Commands that carry out a plan, told by their words: `terraform apply` and `terraform destroy`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

import msgspec

PROGRAM: Final = "terraform"
_QUOTED: Final = re.compile(r"""'[^']*'|"[^"$`\\!]*\"""")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_ \t./=:,@%+-]*")
_CHDIR: Final = "-chdir="
_OF_LOOKS: Final = frozenset({"auto-approve", "input", "no-color", "compact-warnings"})
"""They change what is asked and printed. Nobody is asked here: the plan that was judged is applied."""
_OF_BOTH: Final = frozenset({"parallelism", "lock-timeout"})
_OF_PLANS: Final = frozenset({"var", "var-file", "target", "replace"})
_SWITCHES: Final = frozenset({"destroy", "refresh"})


class Applying(msgspec.Struct, frozen=True, kw_only=True):
    """A command that applies: in which folder, which saved plan, or by which options one is made.

    `folder` and `file` are as the command spells them; `file` None: a plan is to be made.
    `options` are those of the applying itself.
    """

    folder: str
    file: str | None
    planning: tuple[str, ...]
    options: tuple[str, ...]


def applying_of(command: str) -> Applying | None:
    """What the command applies; None where it is another, or says anything that is not known here.

    It is one simple command as a shell reads it: nothing before it, behind it or to be expanded.
    """
    if _PLAIN.fullmatch(_QUOTED.sub("", command)) is None:
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    folder = "."
    if len(words) > 1 and words[1].startswith(_CHDIR):
        folder = words.pop(1).removeprefix(_CHDIR)
    if len(words) < 2 or words[0] != PROGRAM or words[1] not in {"apply", "destroy"} or not folder:
        return None
    return _read(folder, words[1], iter(words[2:]))


def _read(folder: str, verb: str, words: Iterator[str]) -> Applying | None:
    planning = ["-destroy"] if verb == "destroy" else []
    options: list[str] = []
    files: list[str] = []
    for word in words:
        if not word.startswith("-"):
            files.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if name in _OF_LOOKS:
            continue
        if name in _OF_BOTH and value:
            options.append(f"-{name}={value}")
        elif name in _SWITCHES:
            planning.append(f"-{name}={value}" if equals else f"-{name}")
        elif name in _OF_PLANS:
            given = value if equals else next(words, "")
            if not given:
                return None
            planning.append(f"-{name}={given}")
        else:
            return None
    if len(files) > 1 or (files and planning):
        return None
    file = files[0] if files else None
    return Applying(folder=folder, file=file, planning=tuple(planning), options=tuple(options))

"""A stand-in for terraform: a program of that name that plans, shows and applies as it is told.

No terraform was on the machines that these tests were written on. The stand-in is started as
terraform is, reads its arguments as terraform's pages have them (`-chdir`, `plan -out`, `show -json
FILE`, `apply FILE`), and shows plans in the documented format, version 1.2. It has no providers, no
state and no network, and says nothing of what a real one does beside.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

VERSION = "1.9.8"
_PROGRAM = """#!{python} -IS
import json, os, sys
words = sys.argv[1:]
folder = "."
if words and words[0].startswith("-chdir="):
    folder = words.pop(0).partition("=")[2]
os.chdir(folder)
verb, rest = words[0], words[1:]
told = json.load(open("{told}"))
try:
    open("{asked}", "a").write(json.dumps([verb, *rest]) + "\\n")
except OSError:
    pass  # beside the working folder nothing of its own is there
files = [word for word in rest if not word.startswith("-")]
if verb == "plan":
    print("Terraform used the selected providers to generate the following execution plan.")
    if told["plan"]:
        print("Error: Failed to query available provider packages", file=sys.stderr)
        sys.exit(told["plan"])
    variables = [word for word in rest if word.startswith(("-var", "-target", "-destroy"))]
    shown = open("main.tf.json").read()
    out = next(word.partition("=")[2] for word in rest if word.startswith("-out="))
    open(out, "w").write(json.dumps({{"tfplan": shown, "options": variables}}))
elif verb == "show":
    if told["show"]:
        sys.exit(told["show"])
    sys.stdout.write(json.load(open(files[0]))["tfplan"])
elif verb == "apply":
    held = json.load(open(files[0]))
    if told["apply"]:
        open("{applied}", "a").write("half\\n")
        print("Error: creating: quota exceeded", file=sys.stderr)
        sys.exit(told["apply"])
    open("{applied}", "a").write(json.dumps(held) + "\\n")
    print("Apply complete!")
"""


class StandIn:
    """The program at `folder/bin/terraform`; what it is told, was asked and applied lies beside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        (folder / "conda-meta").mkdir()  # with $CONDA_PREFIX staged commands see it
        self.program = folder / "bin" / "terraform"
        self.told, self.asked = folder / "told.json", folder / "asked"
        self.applied = folder / "applied"
        self.program.write_text(
            _PROGRAM.format(
                python=Path(sys.executable).resolve(),
                told=self.told,
                asked=self.asked,
                applied=self.applied,
            )
        )
        self.program.chmod(0o755)
        self.ends()

    def ends(self, *, plan: int = 0, show: int = 0, apply: int = 0) -> None:
        """With which codes its commands end from here on."""
        self.told.write_text(json.dumps({"plan": plan, "show": show, "apply": apply}))

    @property
    def landed(self) -> list[str]:
        """What was applied, in order."""
        return self.applied.read_text().splitlines() if self.applied.exists() else []

    def calls(self, verb: str) -> list[list[str]]:
        """The arguments of each start with this command, of those outside of an overlay."""
        lines = self.asked.read_text().splitlines() if self.asked.exists() else []
        return [words[1:] for words in map(json.loads, lines) if words[0] == verb]


def change(address: str, actions: list[str], before: Any, after: Any, **more: Any) -> Any:
    """One element of `resource_changes`, as terraform writes it."""
    kind, _, name = address.partition(".")
    made = {
        "actions": actions, "before": before, "after": after, "after_unknown": {},
        "before_sensitive": False, "after_sensitive": {},
    }  # fmt: skip
    made |= {key: more.pop(key) for key in ("after_unknown", "importing") if key in more}
    return {
        "address": address, "mode": "managed", "type": kind, "name": name,
        "provider_name": "registry.terraform.io/hashicorp/aws", "change": made, **more,
    }  # fmt: skip


def shown(*changes: Any, **more: Any) -> dict[str, Any]:
    """A whole plan, as `terraform show -json` has it."""
    return {
        "format_version": "1.2", "terraform_version": VERSION,
        "planned_values": {"root_module": {}}, "resource_changes": list(changes),
        "configuration": {"root_module": {"resources": []}},
        "timestamp": "2026-01-01T00:00:00Z", "applyable": True, "complete": True, "errored": False,
        **more,
    }  # fmt: skip


def saved(document: Any) -> str:
    """A saved plan of the stand-in's that shows this."""
    return json.dumps({"tfplan": json.dumps(document), "options": []})

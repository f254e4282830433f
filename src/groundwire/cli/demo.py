"""`groundwire demo`: the main job, end to end, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where the recordings are left.")
    ] = Path("runs"),
) -> None:
    """Run four small agents on the real SDKs against a stand-in provider, and tell what happened.

    Nothing leaves this machine: the provider is a script on 127.0.0.1. Leaves demo.gw,
    demo-attentive.gw, demo-guarded.gw and demo-asked.gw in the folder, in place of those of an earlier
    demo, and the retired key of the demo's own approver in your keyring, until it is played again.

    Example: groundwire demo --out runs
    """
    from groundwire.errors import PolicyError

    try:
        from groundwire.demo.acts import run
    except ImportError as error:
        raise PolicyError(
            "demo-not-installed",
            "The demo needs the OpenAI and Anthropic SDKs: pip install 'groundwire[demo]'.",
        ) from error
    for line in run(out):
        print(line, flush=True)

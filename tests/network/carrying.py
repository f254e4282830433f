"""The run that is carried out while the network is cut, and the commands over its recording."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import openai

import groundwire as gw
from groundwire.cli import main as frame
from tests.approving import ADA, enrol

STRANGER: Final = "stranger.example"
POLICY = """\
approvers = [{{ name = "ada", key = "{ada}" }}]
approvals = {{ wait_seconds = 0 }}
notices = [{notices}]
anchors = [{anchors}]

[[guard.rules]]
id = "told"
decide = "warn"
paths = ["told.txt"]

[[guard.rules]]
id = "asked"
decide = "approve"
paths = ["asked.txt"]
"""
BEFORE = '{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{}}'
AFTER = BEFORE.replace('"title":"t"', '"title":"other"')


def calls() -> Iterator[tuple[str, dict[str, object]]]:
    """What is asked of the guarded tools, in order."""
    yield "write_file", {"path": "notes.txt", "content": "one\n"}
    yield "edit_file", {"path": "notes.txt", "old": "one", "new": "two"}
    yield "read_file", {"path": "notes.txt"}
    yield "run_command", {"command": "cat notes.txt > copied.txt"}
    yield "write_file", {"path": "told.txt", "content": "one\n"}
    yield "write_file", {"path": "asked.txt", "content": "one\n"}
    yield "stray", {}


def carry_out(folder: Path, notices: str, anchor: str, stray: bool) -> dict[str, object]:
    """The run, then the commands over its recording."""
    enrol(ADA.key())
    told = f'{{ url = "{notices}", secret_from = "NOTICE_SECRET" }}' if notices else ""
    kept = f'{{ kind = "http", target = "{anchor}" }}' if anchor else ""
    text = POLICY.format(ada=ADA.signer.key_id, notices=told, anchors=kept)
    (folder / "groundwire.toml").write_text(text, encoding="utf-8")
    project = gw.Project("groundwire.toml")

    @gw.tool(effect="read", name="stray")
    def reach() -> str:
        """A tool's own code, which may reach for a network."""
        if not stray:
            return "nothing"
        try:
            socket.create_connection((STRANGER, 443), timeout=5).close()
        except OSError as error:
            return f"refused: {error}"
        return "connected"

    client = project.watch(watched())
    table = project.guard([*project.coding_tools(), reach])
    outcomes: list[str] = []
    recording = folder / "runs" / "work.gw"
    with project.session(recording):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Go."}])
        for number, (tool, arguments) in enumerate(calls()):
            result = table.dispatch((tool, arguments, f"call_{number}"))
            reason = getattr(result.outcome, "reason", "")
            outcomes.append(f"{tool} {type(result.outcome).__name__.lower()} {reason}".strip())
    for name, spec in (("before.json", BEFORE), ("after.json", AFTER)):
        (folder / name).write_text(spec, encoding="utf-8")
    commands = (
        ["verify", str(recording)],
        ["audit", str(recording)],
        ["explain", str(recording), "--boundary", "0"],
        ["diff", "before.json", "after.json"],
        ["guard", "verify", f"{recording}#0"],
        ["guard", "dry-run", str(recording)],
        ["guard", "recover"],
        ["guard", "profile", "strict/1"],
        ["approvals", "list"],
        ["init", str(recording)],
        ["keys", "list"],
        ["doctor"],
        ["run", "--", "true"],
        ["stop", "--all"],
        ["stop", "--list"],
    )
    codes = {
        " ".join(words[:2]).removesuffix(str(recording)).strip(): frame.run(words)
        for words in commands
    }
    return {"outcomes": outcomes, "codes": codes}


def watched() -> Any:
    """A client of a provider that answers in this process."""
    body = {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": "Done."}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=body))
    http = openai.DefaultHttpxClient(transport=transport)
    return openai.OpenAI(api_key="none", base_url="https://provider.example/v1", http_client=http)

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest

import groundwire as gw
from groundwire.audit.lineage.unverified import manifest_of_file
from groundwire.documents.policy import Policy
from groundwire.errors import HostError
from groundwire.lineage.manifest import digest_of
from groundwire.testing.standin import StandIn
from groundwire.testing.turns import Call, Turn

KEY = "sk-test-0123456789abcdefghijklmnopqrstuv"
SCRIPT = [Turn(calls=(Call("look", '{"host": "petrel-7"}'),)), Turn(text="It is up.")]


def test_a_run_gives_while_it_goes_on_what_its_recording_gives_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with StandIn(SCRIPT) as here, gw.Session("a.gw", project=gw.Project(Policy())) as run:
        client = run.watch(openai.OpenAI(base_url=f"{here.url}/v1", api_key=KEY))
        messages: list[Any] = [{"role": "user", "content": "Is petrel-7 up?"}]
        said = client.chat.completions.create(model="m", messages=messages).choices[0].message
        early = run.manifest()
        [call] = said.tool_calls or []
        messages += [said, {"role": "tool", "tool_call_id": call.id, "content": "up"}]
        client.chat.completions.create(model="m", messages=messages)
        live = run.manifest()
    assert [(row.tool, row.standing) for row in early.calls] == [("look", "not-injected")]
    assert [(row.tool, row.standing) for row in live.calls] == [("look", "injected")]
    assert len(live.answers) == 1
    later = gw.open_recording("a.gw")
    assert digest_of(live) == digest_of(later.manifest()) == digest_of(run.manifest())
    assert gw.evaluate_lineage(later).why == "answer-not-mapped"
    # Every range of a run recorded over a socket slices to the value that the model read.
    [place] = live.calls[0].injections
    assert here.requests[1].body[place.body_start : place.body_end] == b'"up"'


def test_a_run_that_was_never_opened_has_no_manifest() -> None:
    with pytest.raises(HostError) as refused:
        gw.Session("b.gw").manifest()
    assert refused.value.reason == "run-not-recorded"


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(HostError) as refused:
        manifest_of_file(Path("nothing.gw"))
    assert refused.value.reason == "recording-unreadable"


def called_with(text: str, project: gw.Project, turns: int = 0) -> gw.Session:
    """A run whose first question is this text, and that goes on for some turns."""
    script = [*SCRIPT, *[Turn(text="Still.")] * turns]
    with StandIn(script) as here, project.session("runs/c.gw") as run:
        client = run.watch(openai.OpenAI(base_url=f"{here.url}/v1", api_key=KEY))
        messages: list[Any] = [{"role": "user", "content": text}]
        said = client.chat.completions.create(model="m", messages=messages).choices[0].message
        [call] = said.tool_calls or []
        messages += [said, {"role": "tool", "tool_call_id": call.id, "content": "up"}]
        for turn in range(turns + 1):
            client.chat.completions.create(model="m", messages=messages)
            run.checkpoint_now()
            messages.append({"role": "user", "content": f"{turn} " + "words " * 500})
    return run


def test_in_a_body_from_which_a_secret_was_kept_no_bytes_are_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    run = called_with(f"The token is {secret}.", gw.Project(Policy()))
    assert run.path is not None
    assert secret.encode() not in run.path.read_bytes()
    manifest = run.manifest()
    [place] = manifest.calls[0].injections
    assert (place.body_start, place.body_end, place.text_end) == (-1, -1, 2)
    assert [each.body for each in manifest.boundaries] == ["", ""]


def test_a_run_in_segments_has_one_manifest_and_none_where_a_segment_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = called_with("Is petrel-7 up?", gw.Project(Policy(rotate_bytes=20_000)), turns=11)
    files = sorted(Path("runs").glob("c*.gw"))
    assert len(files) > 2
    manifest = run.manifest()
    assert [each.exchange for each in manifest.boundaries] == list(range(13))
    [place] = manifest.calls[0].injections
    assert (place.first_request, place.last_request) == (1, 12)
    first = next(file for file in files if file.name == "c.gw")
    first.rename("elsewhere")
    with pytest.raises(HostError) as refused:
        run.manifest()
    assert refused.value.reason == "segment-missing"

"""Manifests: whatever a conversation does to its results, each range slices to the text it is of."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon.digest import sha256
from groundwire.canon.positions import locate
from groundwire.documents.manifest import Manifest, Stretch
from groundwire.errors import EncodingError
from groundwire.lineage.context import injected_digest
from groundwire.lineage.manifest import Manifesting, Seals, digest_of, rows_at
from groundwire.wire.decoder import Decoder
from groundwire.wire.providers import recognise
from groundwire.wire.split import Splitter
from tests.unit.lineage.test_context import Lane, request

WIRE = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "wire.dev.jsonl.gz"

# What JSON escapes, what takes several bytes, and what takes two characters of UTF-16.
TEXTS = st.text(st.sampled_from('ab"\\\n\té🚀\u0301…'), max_size=12)


def text_at(body: bytes, place: Stretch) -> str:
    """The unescaped text of the JSON value at a range, read without anything of groundwire's."""
    value: Any = json.loads(body[place.body_start : place.body_end])
    if isinstance(value, dict):  # a block that answers a call and has no content
        return "" if "content" not in value else str(value["content"])
    if isinstance(value, list):
        return "\n".join(each["text"] for each in value if "text" in each)
    return "" if value is None else str(value)


def hold(manifest: Manifest, bodies: dict[int, bytes]) -> int:
    """Every row of every request stands where it says; how many there are."""
    count = 0
    for exchange, body in bodies.items():
        for row, number in rows_at(manifest, exchange):
            place = row.injections[number]
            if place.body_start < 0:
                continue
            text = text_at(body, place)
            assert injected_digest(text) == place.injected
            assert place.text_end - place.text_start == len(text)
            assert place.text_bytes == len(text.encode("utf-8", "surrogatepass"))
            found = locate(body, place.pointer)
            assert (found.start, found.end) == (place.body_start, place.body_end)
            assert (place.form == "whole") == (place.injected == place.returned)
            count += 1
    return count


def results_in(body: Any) -> int:
    """How many results of the host's tools a body has, counted in its JSON by their own names."""
    messages = body.get("messages", body.get("input", []))
    if isinstance(messages, str):
        return 0
    count = 0
    for each in messages:
        content = each.get("content")
        blocks = content if isinstance(content, list) else []
        count += each.get("role") == "tool" or each.get("type") == "function_call_output"
        count += sum(block.get("type") == "tool_result" for block in blocks)
    return count


@st.composite
def conversations(draw: st.DrawFn) -> list[list[dict[str, object]]]:
    """Requests of one lane: results come, are changed, are dropped and come again."""
    shown: list[dict[str, object]] = [{"role": "user", "content": draw(TEXTS)}]
    requests = [list(shown)]
    for number in range(draw(st.integers(1, 5))):
        match draw(st.sampled_from(["call", "call", "change", "drop", "say"])):
            case "call":
                name = {"name": "look", "arguments": json.dumps({"n": draw(TEXTS)})}
                call = {"id": f"c{number}", "type": "function", "function": name}
                shown.append({"role": "assistant", "content": None, "tool_calls": [call]})
                shown.append({"role": "tool", "tool_call_id": f"c{number}", "content": draw(TEXTS)})
            case "change":
                place = draw(st.integers(0, len(shown) - 1))
                if shown[place]["role"] == "tool":
                    shown[place] = {**shown[place], "content": draw(TEXTS)}
            case "drop":
                del shown[1 : 1 + 2 * draw(st.integers(0, 1))]
            case _:
                shown.append({"role": "user", "content": draw(TEXTS)})
        requests.append(list(shown))
    return requests


@settings(deadline=None, max_examples=120)
@given(conversations(), st.lists(st.sampled_from(["m", "longer"]), min_size=6, max_size=6))
def test_every_range_slices_to_its_text_in_every_request_that_it_is_claimed_of(
    requests: list[list[dict[str, object]]], models: list[str]
) -> None:
    lane, folded, bodies = Lane("openai-chat"), Manifesting(), dict[int, bytes]()
    expected = 0
    for messages, model in zip(requests, models, strict=False):
        body = json.dumps({"model": model, "messages": messages}).encode()
        event, split = lane.see(body)
        bodies[event.exchange] = body
        folded.see(event, split, Seals("", "", sha256(body)))
        expected += sum(each["role"] == "tool" for each in messages)
    manifest = folded.manifest("r", "recording")
    assert hold(manifest, bodies) == expected
    assert digest_of(manifest) == digest_of(folded.manifest("r", "recording"))


@pytest.mark.slow
@pytest.mark.skipif(not WIRE.is_file(), reason="no ../shared/data beside the checkout")
def test_every_range_in_real_request_bodies_slices_to_the_value_that_was_recorded() -> None:
    bodies = placed = unplaced = refused = 0
    stood = 0
    for line in gzip.decompress(WIRE.read_bytes()).splitlines():
        row = json.loads(line)
        provider = recognise("", row["path"])
        if row["request_text"] is None or provider is None:
            continue
        body = row["request_text"].encode()
        folded = Manifesting()
        try:
            split = Splitter().split(body, provider)
            event = request(Decoder().frame(split, provider))
        except EncodingError:
            refused += 1
            continue
        folded.see(event, split)
        manifest = folded.manifest(row["id"], "recording")
        bodies += 1
        stood += results_in(json.loads(body))
        placed += hold(manifest, {event.exchange: body})
        unplaced += sum(each.body_start < 0 for call in manifest.calls for each in call.injections)
    print(f"{bodies} bodies, {placed} ranges slice, {unplaced} without a range, {refused} refused")
    assert placed == stood > 0
    assert unplaced == refused == 0

from __future__ import annotations

import json

import pytest

from groundwire.audit.lineage.reading import manifest_of, manifests_in_log
from groundwire.canon.digest import sha256
from groundwire.documents.manifest import Manifest
from groundwire.errors import EncodingError
from groundwire.lineage.context import injected_digest
from groundwire.recording.reader import Missing, Reader
from groundwire.stores.memory import MemorySink
from groundwire.wire.importers import ImportProblem
from tests.recorders import RUN, raw, reader, recorder, request, response, split_of
from tests.unit.lineage.test_context import CALLS, LISTING, RESULTS, USER


def recorded() -> Reader:
    sink = MemorySink()
    writer = recorder(sink)
    messages = [USER]
    request(writer, 0, split_of([raw(each) for each in messages]))
    answer = {"choices": [{"message": CALLS, "finish_reason": "tool_calls", "index": 0}]}
    response(writer, 0, json.dumps(answer).encode())
    messages += [CALLS, *RESULTS]
    request(writer, 1, split_of([raw(each) for each in messages]))
    said = {"role": "assistant", "content": "It is up."}
    response(writer, 1, json.dumps({"choices": [{"message": said, "index": 0}]}).encode())
    writer.close()
    return reader(sink)


def body(read: Reader, exchange: int) -> bytes:
    found = read.body(exchange)
    assert not isinstance(found, Missing)
    return found


def test_each_byte_range_of_a_recording_slices_to_the_value_whose_digest_stands_there() -> None:
    read = recorded()
    manifest = manifest_of(read)
    assert (manifest.run, manifest.source, manifest.gaps) == (RUN, "recording", ())
    assert [row.id for row in manifest.calls] == ["c1", "c2"]
    first, second = (row.injections[0] for row in manifest.calls)
    whole = body(read, 1)
    assert json.loads(whole[first.body_start : first.body_end]) == LISTING
    assert json.loads(whole[second.body_start : second.body_end]) == RESULTS[1]["content"]
    assert first.injected == injected_digest(LISTING)


def test_each_boundary_has_the_hashes_that_the_recording_has() -> None:
    read = recorded()
    for each in manifest_of(read).boundaries:
        entry = read.request(each.exchange)
        assert (each.after, each.frame) == (entry.context, entry.frame)
        assert each.body == sha256(body(read, each.exchange))
    one, two = manifest_of(read).boundaries
    assert two.before == one.after != two.after


LOG = b"""[{"role": "user", "content": "Is it up?"},
{"role": "assistant", "content": null, "tool_calls": [
 {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
{"role": "tool", "tool_call_id": "c1", "content": "up"},
{"role": "assistant", "content": "It is up."}]"""


def test_a_log_gives_rows_without_bytes() -> None:
    [manifest] = manifests_in_log(LOG, {})
    assert isinstance(manifest, Manifest)
    [row] = manifest.calls
    assert (row.standing, row.injections[0].body_start) == ("injected", -1)
    assert manifest.source == "reconstructed"
    assert len(manifest.answers) == 1


def test_a_part_of_a_log_that_is_no_run_is_a_problem_beside_the_runs() -> None:
    data = LOG.replace(b"\n", b" ") + b'\n{"no": "run"}\n'
    kinds = {type(each) for each in manifests_in_log(data, {})}
    assert kinds == {Manifest, ImportProblem}


def test_what_is_no_log_at_all_is_refused() -> None:
    with pytest.raises(EncodingError):
        list(manifests_in_log(b"not a log", {}))

"""Recovery: what was written stays, what is torn is cut and kept, what was durable must verify."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from groundwire.documents.verdict import Head
from groundwire.errors import HostError, TrustError
from groundwire.recording.segments.opening import Opening
from groundwire.recording.writer import Recorder
from groundwire.stores.disk.system import System
from groundwire.stores.file import FileSink
from groundwire.stores.memory import MemorySink
from groundwire.stores.recover import Recovered, recover
from tests.recorders import (
    RUN,
    STRANGER,
    Clock,
    Salts,
    certificate,
    key,
    keyring,
    lines,
    raw,
    reader,
    recorder,
    request,
    response,
    split_of,
    verdict,
)
from tests.unit.stores.disks import Faulty


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "quay.gw"


def crashed(path: Path, *, checkpoint: bool = True) -> Head | None:
    """A file whose writer died: two exchanges, the second after the last checkpoint."""
    sink = FileSink.create(path)
    writer = recorder(sink)
    writer.composed(["berths"])
    request(writer, 0, split_of([raw("a")]))
    response(writer, 0, b'{"n":1}')
    if checkpoint:
        writer.checkpoint()
    request(writer, 1, split_of([raw("a"), raw("b")]))
    response(writer, 1, b"x" * 1_000_001)
    sink.close()
    return writer.milestone.head if writer.milestone else None


def resumed(found: Recovered) -> Recorder:
    run_key = key("second")
    return Recorder.resume(
        opening=Opening(run=found.opening.run), sink=found.sink, clock=Clock(),
        salts=Salts(f"resumed at {found.standing.chain.size}"),
        run_key=run_key.signer, certificate=certificate(run_key, found.opening.run),
        standing=found.standing,
    )  # fmt: skip


def files_of(path: Path) -> dict[str, bytes]:
    folder = Path(f"{path}.d")
    found = folder.iterdir() if folder.exists() else ()
    return {f"sha256:{file.name}": file.read_bytes() for file in found}


def whole(path: Path) -> MemorySink:
    sink = MemorySink()
    sink.data, sink.files = path.read_bytes(), files_of(path)
    return sink


def judged(path: Path, known_head: Head | None = None) -> str:
    return verdict(path.read_bytes(), files=files_of(path), known_head=known_head).reason


def test_a_file_that_ends_well_goes_on_where_it_ended(path: Path) -> None:
    head = crashed(path)
    before = path.read_bytes()
    found = recover(path, keyring(), known_head=head)
    assert found.kept is None
    assert (found.standing.cut, found.standing.unsigned) == (0, 2)
    assert (found.standing.exchanges, found.standing.next_exchange) == (2, 2)
    assert found.standing.calls == 1
    writer = resumed(found)
    request(writer, found.standing.next_exchange, split_of([raw("a"), raw("b"), raw("c")]))
    assert writer.composed(["berths"]).call == 1
    writer.close()
    assert path.read_bytes().startswith(before)
    assert judged(path, head) == "holds"
    (close,) = [json.loads(line) for line in lines(path.read_bytes()) if b'"close/1"' in line]
    assert close["exchanges"] == 3


def test_a_note_and_a_certificate_say_where_another_writer_took_over(path: Path) -> None:
    head = crashed(path)
    before = len(path.read_bytes())
    writer = resumed(recover(path, keyring(), known_head=head))
    writer.close()
    after = [json.loads(line) for line in lines(path.read_bytes()[before:])]
    assert [each["@"] for each in after] == [
        "content", "note/1", "certificate/1", "close/1", "checkpoint/1",
    ]  # fmt: skip
    assert (after[1]["topic"], after[1]["count"]) == ("recovered", 0)
    assert "2 entries before this one were under no checkpoint" in after[0]["text"]


@pytest.mark.parametrize(
    "torn", [b"{", b'{"@":"note/1"', b"\0" * 5000, b"\0\n\0\n", b"\n", b"\xff"]
)
def test_a_torn_end_is_cut_and_kept(path: Path, torn: bytes) -> None:
    crashed(path)
    before = path.read_bytes()
    path.write_bytes(before + torn)
    found = recover(path, keyring(), known_head=None)
    assert found.kept == path.with_name("quay.gw.cut-1")
    assert found.kept.read_bytes() == torn
    assert found.kept.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == before
    resumed(found).close()
    assert judged(path) == "holds"
    assert found.standing.cut == len(torn)


def test_at_whatever_byte_the_file_ends_it_goes_on_behind_its_last_whole_entry(path: Path) -> None:
    crashed(path)
    data = path.read_bytes()
    ends = [0]
    for line in lines(data):
        ends.append(ends[-1] + len(line))
    entry_ends = [
        end for end, line in zip(ends[1:], lines(data), strict=True) if b'"@":"content"' not in line
    ]
    certified = entry_ends[1]
    for cut in sorted({*ends, *(end - 1 for end in ends[1:]), *range(certified, len(data), 701)}):
        if cut < certified:
            continue
        path.write_bytes(data[:cut])
        found = recover(path, keyring(), known_head=None)
        expected = max(end for end in entry_ends if end <= cut)
        assert path.read_bytes() == data[:expected]
        if found.kept is not None:
            assert data[:expected] + found.kept.read_bytes() == data[:cut]
            found.kept.unlink()
        resumed(found).close()
        assert judged(path) == "holds"
        path.unlink()


def test_a_file_without_a_certificate_has_nothing_to_go_on_from(path: Path) -> None:
    crashed(path)
    data = path.read_bytes()
    for size in (0, 10, len(b"".join(lines(data)[:2])), len(b"".join(lines(data)[:3]))):
        path.write_bytes(data[:size])
        with pytest.raises(HostError) as told:
            recover(path, keyring(), known_head=None)
        assert told.value.reason == "nothing-to-recover"
        assert path.read_bytes() == data[:size]


def test_a_bad_line_before_a_checkpoint_is_no_crash(path: Path) -> None:
    crashed(path)
    data = path.read_bytes()
    at = data.index(b'"composed/1"')
    changed = data[:at] + b'"cOmposed/1"' + data[at + 12 :]
    path.write_bytes(changed)
    with pytest.raises(TrustError) as told:
        recover(path, keyring(), known_head=None)
    assert told.value.reason == "not-recoverable"
    assert path.read_bytes() == changed


def test_a_bad_line_after_the_last_checkpoint_is_cut_with_what_follows_it(path: Path) -> None:
    crashed(path)
    data = path.read_bytes()
    start = data.rindex(b'{"@":"request/1"')
    path.write_bytes(data[:start] + b"\0" * 40 + data[start + 40 :])
    found = recover(path, keyring(), known_head=None)
    resumed(found).close()
    assert judged(path) == "holds"
    assert (found.standing.exchanges, found.standing.unsigned) == (1, 0)


def test_a_file_behind_the_head_kept_outside_is_refused(path: Path) -> None:
    head = crashed(path)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b'{"@":"checkpoint/1"')])
    before = path.read_bytes()
    with pytest.raises(TrustError) as told:
        recover(path, keyring(), known_head=head)
    assert told.value.reason == "rolled-back"
    assert path.read_bytes() == before


def test_another_file_of_the_same_run_is_refused(path: Path) -> None:
    crashed(path)
    forged = Head(run=RUN, segment=0, size=3, root="root:" + "0" * 64)
    with pytest.raises(TrustError) as told:
        recover(path, keyring(), known_head=forged)
    assert told.value.reason == "not-recoverable"


def test_a_file_of_an_unknown_signer_is_refused(path: Path) -> None:
    crashed(path)
    with pytest.raises(TrustError) as told:
        recover(path, keyring(STRANGER), known_head=None)
    assert told.value.reason == "not-recoverable"


def test_a_file_that_no_checkpoint_covers_yet_goes_on(path: Path) -> None:
    crashed(path, checkpoint=False)
    found = recover(path, keyring(), known_head=None)
    assert found.standing.unsigned == found.standing.chain.size
    resumed(found).close()
    assert judged(path) == "holds"


def test_a_file_that_is_resumed_with_no_head_known_says_so_and_the_verdict_too(path: Path) -> None:
    head = crashed(path)
    writer = resumed(recover(path, keyring(), known_head=None))
    writer.close()
    notes = [json.loads(line) for line in lines(path.read_bytes()) if b'"note/1"' in line]
    assert [(note["topic"], note["count"]) for note in notes] == [
        ("head-unknown", notes[0]["seq"]), ("recovered", 0),
    ]  # fmt: skip
    said = verdict(path.read_bytes(), files=files_of(path), known_head=head)
    assert said.reason == "holds"
    assert "that nothing was cut off before it was resumed" in said.does_not_prove


def test_a_file_that_is_resumed_with_a_head_says_nothing_of_it(path: Path) -> None:
    head = crashed(path)
    resumed(recover(path, keyring(), known_head=head)).close()
    said = verdict(path.read_bytes(), files=files_of(path), known_head=head)
    assert said.reason == "holds"
    assert "before it was resumed" not in said.does_not_prove


def test_a_closed_recording_is_left_alone(path: Path) -> None:
    sink = FileSink.create(path)
    recorder(sink).close()
    for torn in (b"", b"torn"):
        path.write_bytes(path.read_bytes() + torn)
        before = path.read_bytes()
        with pytest.raises(HostError) as told:
            recover(path, keyring(), known_head=None)
        assert told.value.reason == "recording-complete"
        assert path.read_bytes() == before


def test_a_close_that_was_not_signed_any_more_is_taken_off(path: Path) -> None:
    sink = FileSink.create(path)
    recorder(sink).close()
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'{"@":"checkpoint/1"')])
    found = recover(path, keyring(), known_head=None)
    writer = resumed(found)
    writer.note(topic="sdk", count=1, text="goes on")
    writer.close()
    assert judged(path) == "holds"
    assert found.kept is not None
    assert found.kept.read_bytes().startswith(b'{"@":"close/1"')


def test_it_can_crash_and_recover_again_and_again(path: Path) -> None:
    crashed(path)
    for time in range(1, 4):
        path.write_bytes(path.read_bytes() + b"torn")
        found = recover(path, keyring(), known_head=None)
        assert found.kept == path.with_name(f"quay.gw.cut-{time}")
        writer = resumed(found)
        request(writer, found.standing.next_exchange, split_of([raw(f"round {time}")]))
        found.sink.close()
    found = recover(path, keyring(), known_head=None)
    assert found.standing.next_exchange == 5
    resumed(found).close()
    assert judged(path) == "holds"


def test_an_open_recording_is_in_use(path: Path) -> None:
    sink = FileSink.create(path)
    recorder(sink)
    with pytest.raises(HostError) as told:
        recover(path, keyring(), known_head=None)
    assert told.value.reason == "recording-in-use"
    sink.close()


@pytest.mark.parametrize("what", ["nothing", "link", "folder"])
def test_what_is_no_file_of_ours_is_refused(path: Path, what: str) -> None:
    if what == "link":
        crashed(path.with_name("other.gw"))
        path.symlink_to(path.with_name("other.gw"))
    elif what == "folder":
        path.mkdir()
    with pytest.raises(HostError) as told:
        recover(path, keyring(), known_head=None)
    assert told.value.reason == "recording-unwritable"


def test_another_users_file_is_refused(path: Path) -> None:
    class Other(System):
        def user(self) -> int:
            return os.geteuid() + 1

    crashed(path)
    with pytest.raises(HostError) as told:
        recover(path, keyring(), known_head=None, system=Other())
    assert told.value.reason == "recording-unwritable"


def test_what_is_cut_off_is_durable_beside_the_file_before_it_is_cut(path: Path) -> None:
    crashed(path)
    whole = path.read_bytes() + b"torn"
    path.write_bytes(whole)
    disk = Faulty()
    disk.fail = {"sync": errno.EIO}
    with pytest.raises(HostError):
        recover(path, keyring(), known_head=None, system=disk)
    assert path.read_bytes() == whole
    assert "truncate" not in disk.calls


def test_contents_of_the_resumed_part_stand_again_where_they_are_named(path: Path) -> None:
    crashed(path)
    found = recover(path, keyring(), known_head=None)
    writer = resumed(found)
    entry = request(writer, 2, split_of([raw("a"), raw("b")]))
    assert (entry.parent, entry.keep) == (None, 0)
    writer.close()
    built = reader(whole(path))
    assert built.body(2) == built.body(1)

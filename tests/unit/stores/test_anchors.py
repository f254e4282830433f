"""Anchors: notes kept elsewhere; an anchor that fails costs a note, never a run."""

from __future__ import annotations

import errno
import http.server
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.documents.policy import AnchorDeclaration
from groundwire.errors import HostError
from groundwire.recording.notes import decode_note, encode_note, name_of, origin_of
from groundwire.stores.anchors import Anchors, FolderAnchor, HttpAnchor, anchor_of
from groundwire.stores.memory import MemorySink
from tests.recorders import RUN, key, recorder, verdict
from tests.unit.recording.test_notes import KEY, NOTE, ROOT
from tests.unit.stores.disks import Faulty


def note(size: int, run: str = "run-1") -> str:
    return encode_note(origin_of(run, 0), size, ROOT, name_of(run), KEY)


# -- a folder -----------------------------------------------------------------------------------


def test_notes_stand_one_after_another_in_a_file_of_their_segment(tmp_path: Path) -> None:
    anchor = FolderAnchor(tmp_path / "mirror")
    for size in (3, 7):
        anchor.put(note(size))
    anchor.put(note(5, "run-2"))
    assert sorted(path.name for path in (tmp_path / "mirror").glob("*.notes")) == [
        "run-1-0.notes", "run-2-0.notes",
    ]  # fmt: skip
    assert anchor.notes("run-1", 0) == [note(3), note(7)]
    assert anchor.notes("run-1", 1) == []
    assert [decode_note(each, KEY.public_key).size for each in anchor.notes("run-1", 0)] == [3, 7]


def test_a_file_of_notes_is_its_owners_alone(tmp_path: Path) -> None:
    FolderAnchor(tmp_path / "mirror").put(NOTE)
    path = tmp_path / "mirror" / "run-1-2.notes"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("cut", [1, 10, 40, 100, len(NOTE) - 1])
def test_a_note_that_a_crash_cut_off_does_not_spoil_the_next(tmp_path: Path, cut: int) -> None:
    anchor = FolderAnchor(tmp_path)
    anchor.put(NOTE)
    path = tmp_path / "run-1-2.notes"
    path.write_text(path.read_text(encoding="utf-8") + "\n" + NOTE[:cut], encoding="utf-8")
    anchor.put(NOTE)
    assert anchor.notes("run-1", 2).count(NOTE) >= 2


def test_a_link_in_the_place_of_the_notes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run-1-2.notes").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HostError) as told:
        FolderAnchor(tmp_path).put(NOTE)
    assert told.value.reason == "anchor-failed"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("run", ["../run", "a/b", ".", "", "x" * 300, "run\n1"])
def test_a_run_id_that_would_be_a_path_is_refused(tmp_path: Path, run: str) -> None:
    with pytest.raises(HostError) as told:
        FolderAnchor(tmp_path).put(f"groundwire/{run}/0\n1\n{ROOT}\n")
    assert told.value.reason == "anchor-failed"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["open", "write", "sync"])
def test_a_disk_that_fails_is_one_clear_error(tmp_path: Path, call: str) -> None:
    disk = Faulty()
    disk.fail = {call: errno.EIO}
    with pytest.raises(HostError) as told:
        FolderAnchor(tmp_path, system=disk).put(NOTE)
    assert told.value.reason == "anchor-failed"


def test_a_note_that_did_not_fit_is_taken_off_again(tmp_path: Path) -> None:
    disk = Faulty()
    anchor = FolderAnchor(tmp_path, system=disk)
    anchor.put(NOTE)
    disk.room = 20
    with pytest.raises(HostError):
        anchor.put(NOTE)
    assert (tmp_path / "run-1-2.notes").read_text(encoding="utf-8") == NOTE


def test_notes_are_durable_when_put_returns(tmp_path: Path) -> None:
    disk = Faulty()
    anchor = FolderAnchor(tmp_path, system=disk)
    anchor.put(NOTE)
    assert disk.calls.index("write") < disk.calls.index("sync")
    assert disk.calls.count("sync") == 2  # the file, and the folder that has its name
    anchor.put(NOTE)
    assert disk.calls.count("sync") == 3


# -- http ---------------------------------------------------------------------------------------


class Server:
    """A server on loopback that answers with one status and notes what it got."""

    def __init__(self, status: int, headers: dict[str, str]) -> None:
        self.got: list[tuple[str, str, bytes]] = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                kind = self.headers.get("Content-Type", "")
                server.got.append((self.path, kind, self.rfile.read(size)))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()

            do_GET = do_POST  # noqa: N815 -- the name that http.server calls

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/notes"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join(60)
        assert not self._thread.is_alive(), "it waits for ever"
        self._server.server_close()


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    status, headers = getattr(request, "param", (204, {}))
    server = Server(status, headers)
    yield server
    server.stop()


@pytest.mark.parametrize("server", [(200, {}), (204, {}), (201, {})], indirect=True)
def test_a_note_is_posted_as_text(server: Server) -> None:
    HttpAnchor(server.address).put(NOTE)
    assert server.got == [("/notes", "text/plain; charset=utf-8", NOTE.encode())]


@pytest.mark.parametrize(
    "server", [(400, {}), (404, {}), (500, {}), (301, {}), (304, {})], indirect=True
)
def test_a_server_that_does_not_take_the_note_is_one_clear_error(server: Server) -> None:
    with pytest.raises(HostError) as told:
        HttpAnchor(server.address).put(NOTE)
    assert told.value.reason == "anchor-failed"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    target = Server(200, {})
    server = Server(status, {"Location": target.address})
    try:
        with pytest.raises(HostError):
            HttpAnchor(server.address).put(NOTE)
        assert target.got == []
    finally:
        server.stop()
        target.stop()


def test_no_proxy_of_the_environment_is_asked(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    HttpAnchor(server.address).put(NOTE)
    assert len(server.got) == 1


def test_a_server_that_does_not_answer_is_given_up(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(HostError) as told:
            HttpAnchor(f"http://127.0.0.1:{silent.getsockname()[1]}/", timeout=0.05).put(NOTE)
    assert told.value.reason == "anchor-failed"


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1/", "file:///etc/passwd", "ftp://127.0.0.1/x", "no address", ""]
)
def test_an_address_that_nobody_answers_at_is_one_clear_error(address: str) -> None:
    with pytest.raises(HostError) as told:
        HttpAnchor(address).put(NOTE)
    assert told.value.reason == "anchor-failed"


# -- all of them --------------------------------------------------------------------------------


class Kept:
    def __init__(self, error: Exception | None = None) -> None:
        self.notes: list[str] = []
        self.error = error

    def put(self, note: str) -> None:
        if self.error is not None:
            raise self.error
        self.notes.append(note)


@pytest.mark.parametrize(
    "error", [HostError("anchor-failed", "no"), ValueError("a stranger's"), OSError("no disk")]
)
def test_an_anchor_that_fails_is_counted_and_told_and_stops_no_other(error: Exception) -> None:
    told: list[HostError] = []
    good = Kept()
    anchors = Anchors([Kept(error), good], told.append)
    anchors.put(NOTE)
    assert good.notes == [NOTE]
    assert anchors.failures == 1
    assert [each.reason for each in told] == ["anchor-failed"]


def test_a_listener_that_fails_changes_nothing() -> None:
    def listener(error: HostError) -> None:
        raise RuntimeError(error.reason)

    anchors = Anchors([Kept(ValueError())], listener)
    anchors.put(NOTE)
    assert anchors.failures == 1


def test_declared_anchors_are_made(tmp_path: Path) -> None:
    folder = anchor_of(AnchorDeclaration(kind="folder", target="mirror"), tmp_path)
    assert isinstance(folder, FolderAnchor)
    folder.put(NOTE)
    assert (tmp_path / "mirror" / "run-1-2.notes").exists()
    remote = anchor_of(AnchorDeclaration(kind="http", target="http://h.example/n"), tmp_path)
    assert isinstance(remote, HttpAnchor)


def test_a_recording_that_was_cut_back_contradicts_its_mirror(tmp_path: Path) -> None:
    sink, anchor = MemorySink(), FolderAnchor(tmp_path)
    writer = recorder(sink)
    writer.checkpoint()
    cut = len(sink.data)
    for close in (False, True):
        if close:
            writer.close()
        assert writer.milestone is not None
        anchor.put(writer.milestone.note())
    notes = anchor.notes(RUN, 0)
    assert len(notes) == 2
    assert verdict(sink, notes=notes).completeness == "anchored"
    assert verdict(sink.data[:cut], notes=notes).reason == "rolled-back"
    assert key().signer.public_key

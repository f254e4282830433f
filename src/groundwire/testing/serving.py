"""Serving: the HTTP side of the stand-in provider. It decides nothing about what is said."""

from __future__ import annotations

import socket
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Protocol, TypeAlias

import msgspec

from groundwire.testing import anthropic_format, openai_chat_format, openai_responses_format
from groundwire.testing.turns import Answer, Document, Failure, Gate, Hangup, Identity, Turn


class Format(Protocol):
    """How a provider writes; each `*_format` module is one."""

    def whole(self, request: Document, turn: Turn, identity: Identity, asked: int) -> Document:
        """One document."""
        ...

    def events(
        self, request: Document, turn: Turn, identity: Identity, asked: int
    ) -> Iterator[bytes]:
        """A stream of server-sent events."""
        ...

    def failure(self, failed: Failure, identity: Identity) -> Document:
        """An error document."""
        ...


_FORMATS: dict[str, Format] = {
    "/chat/completions": openai_chat_format,
    "/responses": openai_responses_format,
    "/messages": anthropic_format,
}


class Received:
    """One request as it arrived, and the bytes of the answer's body as they left.

    `replied` is below content coding; for a cut or abandoned stream it is what was written.
    `peer` is the client's port: the same for two requests on one connection.
    """

    def __init__(
        self, peer: int, path: str, headers: tuple[tuple[str, str], ...], body: bytes
    ) -> None:
        self.peer = peer
        self.path = path
        self.headers = headers
        self.body = body
        self.status = 0
        self.pieces: list[bytes] = []

    @property
    def replied(self) -> bytes:
        """The answer's body."""
        return b"".join(self.pieces)

    def header(self, name: str) -> str:
        """A header's value, empty where it was not sent."""
        return next((value for key, value in self.headers if key.lower() == name), "")


Flush: TypeAlias = Callable[[], bytes]
Said: TypeAlias = tuple[Answer, Identity, Document]


class Server(ThreadingHTTPServer):
    """Serves on loopback, a thread a connection; `answer` is asked for each request.

    `failed` is told of what goes wrong in the stand-in itself.
    """

    request_queue_size = 128

    def __init__(
        self, answer: Callable[[Received], Said], failed: Callable[[Exception], None]
    ) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, answer))
        self._failed = failed
        self._open: set[socket.socket] = set()
        self._serving: list[threading.Thread] = []

    def get_request(self) -> tuple[socket.socket, object]:
        accepted = super().get_request()
        self._open.add(accepted[0])
        return accepted

    def process_request(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        # A daemon, for a stand-in that nobody closes must not keep the interpreter alive; Python
        # joins no daemons by itself, so `server_close` does.
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        self._serving = [each for each in self._serving if each.is_alive()]
        self._serving.append(thread)
        thread.start()

    def server_close(self) -> None:
        """The socket is closed and every connection's thread has ended."""
        super().server_close()
        for thread in self._serving:
            thread.join()

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        if isinstance(request, socket.socket):
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 -- the parent's names
        """A client that goes away is no error of the stand-in's; anything else is."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self._failed(error)

    def hang_up(self) -> None:
        """Every connection is closed."""
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # gone already


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(
        self,
        answer: Callable[[Received], Said],
        request: socket.socket,
        client_address: tuple[str, int],
        server: Server,
    ) -> None:
        self._answer = answer
        super().__init__(request, client_address, server)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- the parent's name
        """Nothing is printed."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        received = Received(self.client_address[1], self.path, tuple(self.headers.items()), body)
        answer, identity, request = self._answer(received)
        path = self.path.partition("?")[0]
        made = next((made for end, made in _FORMATS.items() if path.endswith(end)), None)
        if made is None:
            made, answer = (
                _FORMATS["/chat/completions"],
                Failure(status=404, message="No such path here."),
            )
        match answer:
            case Hangup():
                self.close_connection = True
            case Failure():
                self._fail(received, answer, identity, made)
            case Turn():
                self._speak(received, answer, identity, made, request)

    def _fail(self, received: Received, failed: Failure, identity: Identity, made: Format) -> None:
        headers = {"content-type": "application/json", **_named(made, identity)}
        if failed.retry_after is not None:
            headers["retry-after"] = failed.retry_after
        if not failed.may_retry:
            headers["x-should-retry"] = "false"
        document = msgspec.json.encode(made.failure(failed, identity))
        self._send(received, failed.status, headers, [document], chunked=False)

    def _speak(
        self,
        received: Received,
        turn: Turn,
        identity: Identity,
        made: Format,
        request: Document,
    ) -> None:
        streamed = request.get("stream") is True
        asked = len(received.body)
        if streamed:
            kind = "text/event-stream; charset=utf-8"
            bodies: Iterable[bytes] = made.events(request, turn, identity, asked)
        else:
            kind = "application/json"
            bodies = [msgspec.json.encode(made.whole(request, turn, identity, asked))]
        headers = {"content-type": kind, **_named(made, identity)}
        if turn.coding != "identity" and turn.coding in received.header("accept-encoding"):
            headers["content-encoding"] = turn.coding
            bodies = _coded(bodies, turn.coding)
        if turn.gate is not None:
            bodies = _held(bodies, turn.gate)
        if turn.cut_after is not None:
            bodies = _cut(bodies, turn.cut_after)
            self.close_connection = True
        self._send(received, 200, headers, bodies, chunked=streamed or turn.cut_after is not None)

    def _send(
        self,
        received: Received,
        status: int,
        headers: dict[str, str],
        bodies: Iterable[bytes],
        *,
        chunked: bool,
    ) -> None:
        received.status = status
        self.send_response_only(status)
        if chunked:
            headers["transfer-encoding"] = "chunked"
        else:
            bodies = [b"".join(bodies)]
            headers["content-length"] = str(len(bodies[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for part in bodies:
            received.pieces.append(part)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
        if chunked and not self.close_connection:
            self.wfile.write(b"0\r\n\r\n")


def _named(made: Format, identity: Identity) -> dict[str, str]:
    name = "request-id" if made is _FORMATS["/messages"] else "x-request-id"
    return {name: identity.id("req_", 24)}


def _held(bodies: Iterable[bytes], gate: Gate) -> Iterator[bytes]:
    for body in bodies:
        gate.wait()
        yield body


def _cut(bodies: Iterable[bytes], size: int) -> Iterator[bytes]:
    left = size
    for body in bodies:
        if part := body[:left]:
            yield part
        left -= len(part)
        if left <= 0:
            return


def _coded(bodies: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """The bodies compressed as one stream, each flushed so that it can be read by itself."""
    compress, flush, finish = _compressor(coding)
    for body in bodies:
        yield compress(body) + flush()
    if last := finish():
        yield last


def _compressor(coding: str) -> tuple[Callable[[bytes], bytes], Flush, Flush]:
    if coding == "gzip":
        zipped = zlib.compressobj(wbits=31)
        return zipped.compress, lambda: zipped.flush(zlib.Z_SYNC_FLUSH), zipped.flush
    if coding == "br":
        brotli = import_module("brotli").Compressor()
        return brotli.process, brotli.flush, brotli.finish
    library = import_module("zstandard")
    zstd = library.ZstdCompressor().compressobj()
    return zstd.compress, lambda: zstd.flush(library.COMPRESSOBJ_FLUSH_BLOCK), zstd.flush

"""A server that is given notice: it notes what it got and answers as a test says."""

from __future__ import annotations

import datetime
import http.server
import ipaddress
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

SECRET = "0123456789abcdef-of-the-tests"


class Got(NamedTuple):
    """A request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """What the body says."""
        return json.loads(self.body)


class Answer(NamedTuple):
    """What is answered."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})


class SinkServer:
    """Answers on loopback what `answer` makes of a request, until it is stopped."""

    def __init__(self, answer: Callable[[Got], Answer], tls: Path | None = None) -> None:
        self.got: list[Got] = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                got = Got(self.path, dict(self.headers.items()), self.rfile.read(size))
                server.got.append(got)
                given = answer(got)
                self.send_response(given.status)
                for name, value in given.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(given.body)))
                self.end_headers()
                self.wfile.write(given.body)

            do_GET = do_POST  # noqa: N815 -- the name that http.server calls

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.origin = f"http{'s' if tls else ''}://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.origin}/notices"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        """It answers no more."""
        self._server.shutdown()
        self._thread.join(60)
        assert not self._thread.is_alive(), "it waits for ever"
        self._server.server_close()


@contextmanager
def sink_server(
    answer: Callable[[Got], Answer] | Answer, tls: Path | None = None
) -> Iterator[SinkServer]:
    """A server for as long as the test needs it; `tls` is the file of its key and certificate."""
    server = SinkServer((lambda _: answer) if isinstance(answer, Answer) else answer, tls)
    try:
        yield server
    finally:
        server.stop()


def self_signed(file: Path) -> Path:
    """The file holds the key of a server on loopback and a certificate that it made itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    begin = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + datetime.timedelta(days=36_500))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return file

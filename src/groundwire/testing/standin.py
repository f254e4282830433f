"""StandIn: a provider on loopback that says what it is told, in the providers' exact formats.

    with StandIn([Turn(calls=(Call("lookup", '{"name": "db-7"}'),)), Turn(text="Done.")]) as here:
        client = openai.OpenAI(base_url=f"{here.url}/v1", api_key="unused")

It serves `/v1/chat/completions`, `/v1/responses` and `/v1/messages` (and any longer path that ends
so), streamed where a request asks for it. Identifiers come from the request's bytes and times
are fixed, so the same run gives the same bytes. It runs no model, checks no key and counts no
real tokens.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TypeAlias

import msgspec

from groundwire.testing.serving import Received, Said, Server
from groundwire.testing.turns import Answer, Document, Failure, Gate, Identity, Turn

Script: TypeAlias = Sequence[Answer] | Callable[[Document], Answer]


class StandIn:
    """A context in which the stand-in serves; `url` is its root, `requests` what came, in order.

    `script` is a list of answers, given out in the order of arrival, or a function from the
    request's JSON to its answer. A function that raises, or a list with no answer left, gives
    status 500 and raises when the context is left.
    """

    def __init__(self, script: Script) -> None:
        self.requests: list[Received] = []
        self._answer = script if callable(script) else _in_turn(script)
        self._gates: list[Gate] = []
        self._repeats: Counter[bytes] = Counter()
        self._lock = threading.Lock()
        self._broken: Exception | None = None
        self._server = Server(self._say, self._fail)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> StandIn:
        # The poll interval is how long `shutdown` may take, not how fast a request is served.
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()
        if self._broken is not None and kind is None:
            raise self._broken

    def close(self) -> None:
        """Nothing is served any more, every connection is closed and every thread has ended."""
        for gate in self._gates:
            gate.open()
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()

    def _fail(self, error: Exception) -> None:
        self._broken = self._broken or error

    def _say(self, received: Received) -> Said:
        with self._lock:
            self.requests.append(received)
            self._repeats[received.body] += 1
            identity = Identity(received.body, self._repeats[received.body])
        try:
            document = msgspec.json.decode(received.body, type=Document)
        except msgspec.DecodeError:
            return Failure(status=400, message="The body is not a JSON object."), identity, {}
        try:
            answer = self._answer(document)
        except Exception as error:  # noqa: BLE001 -- the script is a stranger's; raised at the end
            self._fail(error)
            none = Failure(status=500, message="The script has no answer.", may_retry=False)
            return none, identity, {}
        if isinstance(answer, Turn) and answer.gate is not None:
            self._gates.append(answer.gate)
        return answer, identity, document


def _in_turn(answers: Sequence[Answer]) -> Callable[[Document], Answer]:
    lock, left = threading.Lock(), iter(answers)

    def following(_request: Document) -> Answer:
        with lock:
            answer = next(left, None)
        if answer is None:
            raise LookupError(f"the script has {len(answers)} answers and was asked for one more")
        return answer

    return following

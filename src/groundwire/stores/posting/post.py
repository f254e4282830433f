"""Post: one POST to one address. Follows no redirect, asks no proxy, verifies TLS, reads no more than told."""

from __future__ import annotations

import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from functools import cached_property
from typing import TypeAlias

import msgspec


class Answered(msgspec.Struct, frozen=True):
    """A server answered with a status from 200 to 299.

    `headers` have small letters; one that came twice has both values. `body` may be one byte longer
    than what was asked for: then there was more.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unanswered(msgspec.Struct, frozen=True):
    """It did not. `status` is what it answered, None where nothing came that is an answer."""

    why: str
    status: int | None = None


Came: TypeAlias = Answered | Unanswered


class Poster:
    """Posts to whatever address it is given; keeps no connection.

    `timeout` is in seconds, for connecting and for each wait on the server: one that answers a byte at
    a time can take longer in all. Authorities of TLS are read at the first post.
    """

    @cached_property
    def _opener(self) -> urllib.request.OpenerDirector:
        # Built by hand: the usual opener reads proxies from the environment, follows redirects,
        # and opens files.
        opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(context=ssl.create_default_context()),
            urllib.request.HTTPErrorProcessor(),
            urllib.request.HTTPDefaultErrorHandler(),
        ):
            opener.add_handler(handler)
        return opener

    def post(
        self, address: str, data: bytes, headers: Mapping[str, str], *, timeout: float, most: int
    ) -> Came:
        """What came of posting `data`; at most `most` bytes of an answer and one more are read."""
        try:
            request = urllib.request.Request(  # noqa: S310 -- the opener knows no other schemes
                address, data=data, headers={"User-Agent": "groundwire", **headers}, method="POST"
            )
            answer = self._opener.open(request, timeout=timeout)
            if answer is None:
                return Unanswered("only http and https are known")
            with answer:
                body = answer.read(most + 1) if most else b""
                return Answered(answer.status, _small(answer.headers), body)
        except urllib.error.HTTPError as error:
            error.close()
            return Unanswered(f"status {error.code}", error.code)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Unanswered(str(error))


def _small(headers: http.client.HTTPMessage) -> dict[str, str]:
    names = {name.lower() for name in headers}
    return {name: ", ".join(headers.get_all(name, [])) for name in names}

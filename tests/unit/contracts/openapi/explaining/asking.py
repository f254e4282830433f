"""An asker over two documents of schemas, by the core and its judge."""

from __future__ import annotations

from collections.abc import Mapping

import jsonschema_rs

from groundwire.canon.jcs import JSON, decode, encode
from groundwire.contracts.jsonschema.comparing import Options, Pair
from groundwire.contracts.jsonschema.refusing import Refusal, refusals_of
from groundwire.contracts.openapi.finding import Cause
from groundwire.contracts.openapi.places import Places
from groundwire.contracts.openapi.schemas import Side
from groundwire.contracts.verdict import Breaking, Direction, Verdict


class Asking:
    """Documents with their schemas under `schemas`, in 2020-12."""

    def __init__(
        self, old: Mapping[str, JSON], new: Mapping[str, JSON], direction: Direction
    ) -> None:
        self._roots: dict[Side, Mapping[str, JSON]] = {
            "old": {"schemas": old},
            "new": {"schemas": new},
        }
        self._pair = Pair(self._roots["old"], self._roots["new"], Options(dialect="2020-12"))
        self._direction: Direction = direction
        self._known: dict[tuple[str, str], tuple[Cause, ...]] = {}

    def known(self) -> dict[tuple[str, str], tuple[Cause, ...]]:
        return self._known

    def ask(self, old: str, new: str) -> Verdict:
        return self._pair.ask(old, new, self._direction)

    def taken_by_both(self, old: str, new: str) -> tuple[JSON] | tuple[()]:
        both: Mapping[str, JSON] = {
            **{f"old-{name}": each for name, each in _moved(self._roots["old"], "old").items()},
            **{f"new-{name}": each for name, each in _moved(self._roots["new"], "new").items()},
            "both": {"allOf": [{"$ref": _renamed(old, "old")}, {"$ref": _renamed(new, "new")}]},
        }
        pair = Pair({"schemas": both}, {"schemas": {"none": False}}, Options(dialect="2020-12"))
        verdict = pair.ask("#/schemas/both", "#/schemas/none", "accepts")
        return (verdict.witness,) if isinstance(verdict, Breaking) else ()

    def accepts(self, side: Side, pointer: str, value: JSON) -> bool | None:
        return self._validator(side, pointer).is_valid(value)

    def refusals(self, side: Side, pointer: str, value: JSON) -> tuple[Refusal, ...]:
        return refusals_of(self._validator(side, pointer), value)

    def places(self, side: Side) -> Places:
        return Places(self._roots[side], ref_alone=False)

    def _validator(self, side: Side, pointer: str) -> jsonschema_rs.Draft202012Validator:
        return jsonschema_rs.Draft202012Validator(
            {"$ref": f"urn:it{pointer}"},
            validate_formats=True,
            registry=jsonschema_rs.Registry(
                [("urn:it", dict(self._roots[side]))], draft=jsonschema_rs.Draft202012
            ),
        )


def _moved(root: Mapping[str, JSON], side: Side) -> Mapping[str, JSON]:
    text = encode(root["schemas"]).decode()
    moved = decode(text.replace("#/schemas/", f"#/schemas/{side}-").encode())
    assert isinstance(moved, Mapping)
    return moved


def _renamed(pointer: str, side: Side) -> str:
    return pointer.replace("#/schemas/", f"#/schemas/{side}-")

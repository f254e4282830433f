"""Whole exchanges that show a change: made up, valid but for what the change is about."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groundwire.contracts.changes import Answered, Asked, Content, Exchange, Field
from groundwire.contracts.openapi.exchanges.addresses.operations import Operation
from groundwire.contracts.openapi.exchanges.addresses.templates import filled, variables
from groundwire.contracts.openapi.exchanges.messages import Messages, Side
from groundwire.contracts.openapi.exchanges.operations import Operations
from groundwire.contracts.openapi.exchanges.told import Credential, Scene, Told
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.resolving import Resolver, join
from groundwire.contracts.openapi.rules.table import BY_NAME
from groundwire.contracts.verdict import Direction


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a finding was met: the operation on each side, and who asks whom.

    `usual` are credentials that would do for its request. `target` is where it goes, if that is
    not the path of the operation.
    """

    label: str
    old: Operation | None = None
    new: Operation | None = None
    direction: Direction = "accepts"
    usual: tuple[Credential, ...] = ()
    target: str = ""


class Witnesses:
    """Completes the part that a finding is about to an exchange.

    What a contract does not let be made up is left out, so an exchange may lack what else would
    have to be in it; nothing in it is taken from examples.
    """

    def __init__(
        self, resolvers: tuple[Resolver, Resolver], operations: Operations, messages: Messages
    ) -> None:
        self._resolvers = resolvers
        self._operations = operations
        self._messages = messages

    def exchange(self, told: Told, place: Place) -> Exchange | None:
        """The exchange for a finding that has a scene, if there is harm in it to be shown."""
        scene = told.scene if _is_shown(told.finding) else None
        operation = place.old or place.new
        if scene is None or operation is None:
            return None
        side: Side = "old"
        if place.new is not None and (place.direction == "produces" or place.old is None):
            side, operation = "new", place.new
        part = None if scene.answered else told.finding.part
        asked = self._asked(side, operation, scene, place, part)
        answered = self._answered(scene, told.finding, place) if scene.answered else None
        after = scene.after
        if after == "refused" and told.finding.says:
            after = f"refused: {told.finding.says}"
        return Exchange(asked=asked, answered=answered, before=scene.before, after=after)

    def _asked(
        self,
        side: Side,
        operation: Operation,
        scene: Scene,
        place: Place,
        part: Part | None,
    ) -> Asked:
        pointers = self._operations.parameters(side, operation).pointers
        sampled = self._messages.sample_parameters(side, pointers, place.direction)
        parts = [each for each in sampled if part is None or not _same_place(each, part)]
        if part is not None and part.location != "body":
            parts.append(_renamed(part, operation, place))
        credentials = place.usual if scene.credentials is None else scene.credentials
        headers = [("Host", scene.host)] if scene.host else []
        headers += _fields(parts, credentials, "header")
        cookies = _fields(parts, credentials, "cookie")
        if cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies)))
        texts = {
            name: text for each in parts if each.location == "path" for name, text in each.fields
        }
        base = operation.servers[0].usual_path if scene.base is None else scene.base
        query = "&".join(f"{name}={value}" for name, value in _fields(parts, credentials, "query"))
        target = (
            base
            + filled(place.target or operation.template, texts)
            + (f"?{query}" if query else "")
        )
        if part is not None and part.location == "body":
            content: Content | None = Content(part.name, part.value)
        else:
            content = self._body(side, operation, place.direction)
        return Asked(
            method=operation.method, target=target, headers=tuple(headers), content=content
        )

    def _body(self, side: Side, operation: Operation, direction: Direction) -> Content | None:
        """A body where one has to be sent."""
        if "requestBody" not in operation.members:
            return None
        resolver = self._resolvers[side == "new"]
        body = resolver.at(join(operation.pointer, "requestBody"))
        if body.members.get("required") is not True or "content" not in body.members:
            return None
        return self._messages.sample_content(side, join(body.pointer, "content"), direction)

    def _answered(self, scene: Scene, finding: Finding, place: Place) -> Answered:
        """A response; who sends it knows the new contract, or the old where the API is answered."""
        part = finding.part
        side: Side = "new" if place.direction == "accepts" else "old"
        direction: Direction = "produces" if place.direction == "accepts" else "accepts"
        pointer = scene.responses[side == "new"]
        response = self._resolvers[side == "new"].at(pointer) if pointer else None
        sampled: tuple[Part, ...] = ()
        if response is not None and "headers" in response.members:
            at = join(response.pointer, "headers")
            sampled = self._messages.sample_headers(side, at, direction)
        headers = [each for each in sampled if part is None or not _same_place(each, part)]
        content: Content | None = None
        if part is not None and part.location == "body":
            content = Content(part.name, part.value)
        elif response is not None and "content" in response.members:
            content = self._messages.sample_content(
                side, join(response.pointer, "content"), direction
            )
        if part is not None and part.location == "header":
            headers.append(part)
        fields = tuple(field for each in headers for field in each.fields)
        return Answered(status=scene.answered, headers=fields, content=content)


def _is_shown(finding: Finding) -> bool:
    """Whether an exchange goes another way; where nobody can tell, or for no rule's sake, none does."""
    rule = BY_NAME.get(finding.rule)
    return finding.grade != "undecided" and (rule is None or rule.grade != "noted")


def _same_place(one: Part, other: Part) -> bool:
    return one.location == other.location and (
        one.name == other.name
        or (one.location == "header" and one.name.lower() == other.name.lower())
    )


def _renamed(part: Part, operation: Operation, place: Place) -> Part:
    """A path's variable under the name that the operation has for it."""
    if part.location != "path" or place.old is None or place.new is None:
        return part
    mine = variables(operation.template)
    theirs = variables((place.new if operation is place.old else place.old).template)
    if part.name in mine or part.name not in theirs or len(mine) != len(theirs):
        return part
    name = mine[theirs.index(part.name)]
    fields = tuple((name, text) for _, text in part.fields)
    return Part(location="path", name=name, value=part.value, fields=fields)


def _fields(parts: Iterable[Part], credentials: Iterable[Credential], place: str) -> list[Field]:
    shown = [field for each in parts if each.location == place for field in each.fields]
    return shown + [each.field for each in credentials if each.place == place]

"""Rules about messages: whether parameters, headers and bodies are there, and how they are written."""

from __future__ import annotations

from typing import Final

from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.rules.rule import Rule

_LEAVE: Final = "Leave it as it was, or demand it in a new operation or version."
_OPTIONAL: Final = "Add it as one that may be left out."
_KEEP: Final = "Keep sending it."
_TAKE: Final = "Keep every type that was taken."


def _rule(name: str, grade: Grade, means: str, instead: str = "", *aliases: str) -> Rule:
    return Rule(name=name, grade=grade, means=means, instead=instead, aliases=aliases)


_CARRIERS: Final = {
    "request-parameter": "A parameter",
    "callback-parameter": "A parameter of a call that this side makes",
    "response-header": "A header of a response",
    "callback-response-header": "A header of the answer to a call that this side makes",
}
_BODIES: Final = {
    "request": "a request's body",
    "response": "a response",
    "callback": "the body of a call that this side makes",
    "callback-response": "the answer to a call that this side makes",
}


def _of_carriers() -> tuple[Rule, ...]:
    found: list[Rule] = []
    for noun, what in _CARRIERS.items():
        found += [
            _rule(
                f"{noun}-serialisation-changed",
                "breaking",
                f"{what} is written in another way: style, explode, reserved signs or content.",
                "Keep how it is written, and add another one that is written the new way.",
            ),
            _rule(f"{noun}-not-read", "undecided", f"{what} could not be read."),
        ]
    return tuple(found)


def _of_bodies() -> tuple[Rule, ...]:
    found: list[Rule] = []
    for noun, what in _BODIES.items():
        found += [
            _rule(f"{noun}-content-not-read", "undecided", f"What {what} holds could not be read."),
            _rule(
                f"{noun}-encoding-changed",
                "breaking",
                f"Parts of {what} are written in another way.",
                "Keep how they are written.",
            ),
        ]
    return tuple(found)


RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "request-value-refused",
        "breaking",
        "A value that could be sent is not taken any more.",
        "Keep taking what was taken.",
    ),
    _rule(
        "response-value-unknown",
        "breaking",
        "A value may come that the old contract did not allow.",
        "Keep to what was promised.",
    ),
    *_of_carriers(),
    _rule(
        "request-parameter-became-required",
        "breaking",
        "A parameter that could be left out has to be sent.",
        _LEAVE,
        "request-parameter-became-required",
        "request-header-property-became-required",
    ),
    _rule(
        "request-parameter-added-required",
        "breaking",
        "A parameter that was not known has to be sent.",
        _OPTIONAL,
        "new-required-request-parameter",
        "new-required-request-default-parameter-to-existing-path",
        "new-required-request-header-property",
        "new-request-path-parameter",
    ),
    _rule(
        "request-parameter-removed",
        "risky",
        "A parameter is gone: what is sent in it is not refused, and not looked at either.",
        "Keep it, and mark it as deprecated.",
        "request-parameter-removed",
    ),
    _rule(
        "request-parameter-deprecated",
        "noted",
        "A parameter says that it will go; it is still taken.",
        "",
        "request-parameter-deprecated",
    ),
    _rule(
        "request-parameter-moved",
        "breaking",
        "A parameter is expected in another place of the request.",
        "Take it in both places.",
    ),
    _rule(
        "request-parameter-empty-value-refused",
        "breaking",
        "A parameter could be sent without a value, and its schema does not take the empty text.",
        "Keep `allowEmptyValue`.",
    ),
    _rule(
        "callback-parameter-became-optional",
        "breaking",
        "A parameter of a call that this side makes may be missing, and always came.",
        _KEEP,
    ),
    _rule(
        "callback-parameter-removed",
        "breaking",
        "A parameter of a call that this side makes is gone, and always came.",
        _KEEP,
    ),
    _rule(
        "response-header-became-optional",
        "breaking",
        "A header that always came may be missing.",
        _KEEP,
        "response-header-became-optional",
    ),
    _rule(
        "response-header-removed",
        "breaking",
        "A header does not come any more; where it always came, this breaks who relies on it.",
        _KEEP,
        "required-response-header-removed",
        "optional-response-header-removed",
    ),
    _rule(
        "callback-response-header-became-required",
        "breaking",
        "Who answers a call has to send a header that could be left out.",
        _LEAVE,
    ),
    _rule(
        "callback-response-header-added-required",
        "breaking",
        "Who answers a call has to send a header that was not known.",
        _OPTIONAL,
    ),
    *_of_bodies(),
    _rule(
        "request-body-became-required",
        "breaking",
        "A request without a body is not taken any more.",
        _LEAVE,
        "request-body-became-required",
    ),
    _rule(
        "request-body-added-required",
        "breaking",
        "A request has to have a body, where none was known.",
        _OPTIONAL,
        "request-body-added-required",
    ),
    _rule(
        "request-body-removed",
        "breaking",
        "No body is taken any more.",
        "Keep taking the body.",
        "request-body-removed",
    ),
    _rule("request-body-not-read", "undecided", "A request's body could not be read."),
    _rule(
        "callback-body-became-optional",
        "breaking",
        "A call that this side makes may come without its body.",
        _KEEP,
    ),
    _rule(
        "callback-body-removed",
        "breaking",
        "A call that this side makes comes without its body.",
        _KEEP,
    ),
    _rule(
        "callback-body-added",
        "risky",
        "A call that this side makes comes with a body, where none was known.",
        "Send none.",
    ),
    _rule("callback-body-not-read", "undecided", "A call's body could not be read."),
    _rule(
        "request-media-type-refused",
        "breaking",
        "A body of a type that was taken is not taken any more.",
        _TAKE,
        "request-body-media-type-removed",
    ),
    _rule(
        "callback-response-media-type-refused",
        "breaking",
        "An answer of a type that was taken is not taken any more.",
        _TAKE,
    ),
    _rule(
        "response-media-type-added",
        "noted",
        "A response may be of another type too; who asks for a type that is still there gets it.",
        "",
        "response-media-type-added",
    ),
    _rule(
        "callback-media-type-unknown",
        "breaking",
        "A call may come with a body of a type that the old contract does not have.",
        "Send a type that was known.",
    ),
    _rule(
        "response-media-type-removed",
        "breaking",
        "A type that a client could ask for never comes any more.",
        "Keep sending it to those who ask for it.",
        "response-media-type-removed",
        "response-media-type-name-generalized",
    ),
)

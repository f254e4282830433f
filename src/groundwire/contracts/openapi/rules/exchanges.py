"""Rules for what is done to exchanges: where requests go, who may send them, what comes back."""

from __future__ import annotations

from typing import Final

from groundwire.contracts.openapi.rules.rule import Rule

_KEEP_SERVER: Final = "Keep the old server beside the new one."
_SUNSET: Final = "Deprecate it, name the day on which it goes, and remove it after that."
_KEEP_DAY: Final = "Keep the day that was named, or name a later one."
_KEEP_CREDENTIALS: Final = "Keep the old alternative beside the new one."
_KEEP_DEMANDS: Final = "Keep what was demanded."
_READABLE: Final = "Mend the description, or give the files that it refers to."

_ADDRESSES = (
    Rule(
        name="path-removed",
        grade="breaking",
        means="A path is gone with all of its operations; requests to it find nothing.",
        instead=_SUNSET,
        aliases=(
            "api-path-removed-without-deprecation",
            "api-path-removed-with-deprecation",
            "api-path-removed-before-sunset",
            "api-path-sunset-parse",
        ),
    ),
    Rule(
        name="operation-removed",
        grade="breaking",
        means="A method of a path is gone; others of the path are still there.",
        instead=_SUNSET,
        aliases=(
            "api-removed-without-deprecation",
            "api-removed-with-deprecation",
            "api-removed-before-sunset",
        ),
    ),
    Rule(
        name="path-taken-by-template",
        grade="breaking",
        means="A path without variables is gone, and a template takes the requests to it.",
        instead="Keep the path.",
    ),
    Rule(
        name="path-ambiguous",
        grade="undecided",
        means="A path stands more than once by other names of its variables, so that none is it.",
        instead="Describe each path once.",
    ),
    Rule(
        name="path-unread",
        grade="undecided",
        means="What a path or an operation is could not be read.",
        instead=_READABLE,
    ),
    Rule(
        name="operation-added",
        grade="noted",
        means="An operation is new.",
        aliases=("endpoint-added",),
    ),
    Rule(
        name="operation-added-over-template",
        grade="noted",
        means="An operation is new, whose path an older template took as well.",
    ),
    Rule(
        name="server-removed",
        grade="breaking",
        means="A server is gone at which operations were.",
        instead=_KEEP_SERVER,
    ),
    Rule(
        name="server-base-path-changed",
        grade="breaking",
        means="On the same server, operations are below another base path.",
        instead=_KEEP_SERVER,
    ),
    Rule(
        name="server-became-open",
        grade="exposure",
        means="What was sent over HTTPS only may be sent over plain HTTP.",
        instead="Name HTTPS servers only.",
    ),
    Rule(
        name="server-became-secure",
        grade="risky",
        means="A server is spoken to over HTTPS only, and was over plain HTTP.",
        instead="Keep redirecting those who ask over plain HTTP.",
    ),
    Rule(name="server-added", grade="noted", means="Operations are at a further server."),
    Rule(
        name="request-path-variable-described",
        grade="undecided",
        means="A variable of a path, of which nothing was said, has a description now.",
        instead="Let it be any text.",
    ),
    Rule(
        name="request-parameter-unread",
        grade="undecided",
        means="What a parameter is could not be read.",
        instead=_READABLE,
    ),
)

_LIFETIMES = (
    Rule(
        name="operation-deprecated",
        grade="noted",
        means="An operation is deprecated.",
        aliases=("endpoint-deprecated", "endpoint-deprecated-with-sunset"),
    ),
    Rule(
        name="operation-reactivated",
        grade="noted",
        means="An operation is deprecated no more.",
        aliases=("endpoint-reactivated",),
    ),
    Rule(
        name="operation-sunset-invalid",
        grade="noted",
        means="The day on which an operation may be gone is no date.",
        instead="Write it as 2026-12-31.",
        aliases=("api-deprecated-sunset-parse",),
    ),
    Rule(
        name="operation-sunset-moved-earlier",
        grade="risky",
        means="An operation may be gone before the day that was named.",
        instead=_KEEP_DAY,
        aliases=("api-sunset-date-changed-too-small", "api-sunset-date-too-small"),
    ),
    Rule(
        name="operation-sunset-removed",
        grade="noted",
        means="A deprecated operation names no day any more on which it may be gone.",
        instead=_KEEP_DAY,
        aliases=("sunset-deleted",),
    ),
    Rule(
        name="operation-stability-decreased",
        grade="risky",
        means="Less is promised of an operation by its `x-stability-level`.",
        instead="Keep the level.",
        aliases=("api-stability-decreased",),
    ),
)

_ANSWERS = (
    Rule(
        name="response-status-added",
        grade="risky",
        means="A response may come with a status that was not listed.",
        instead="Answer with a status that was listed.",
        aliases=("response-success-status-added", "response-non-success-status-added"),
    ),
    Rule(
        name="response-status-removed",
        grade="noted",
        means="A response of this status comes no more.",
        aliases=("response-non-success-status-removed",),
    ),
    Rule(
        name="response-success-removed",
        grade="breaking",
        means="None of the responses that said that all went well comes any more.",
        instead="Keep one of the old statuses for what goes well.",
        aliases=("response-success-status-removed",),
    ),
    Rule(
        name="response-unread",
        grade="undecided",
        means="What may come back could not be read, or is not said.",
        instead=_READABLE,
    ),
    Rule(
        name="callback-response-status-removed",
        grade="breaking",
        means="The API no longer takes an answer that receivers of its requests may give.",
        instead="Keep taking it.",
    ),
    Rule(
        name="callback-response-status-added",
        grade="noted",
        means="The API takes a further answer to its requests.",
    ),
)

_CALLS = (
    Rule(
        name="webhook-removed",
        grade="breaking",
        means="The API no longer sends what its receivers wait for.",
        instead="Keep sending it, and say when it goes.",
        aliases=("webhook-removed",),
    ),
    Rule(
        name="webhook-added",
        grade="noted",
        means="The API may send a further request to those who register for it.",
        aliases=("webhook-added",),
    ),
    Rule(
        name="webhook-unread",
        grade="undecided",
        means="What a webhook is could not be read.",
        instead=_READABLE,
    ),
    Rule(
        name="callback-removed",
        grade="breaking",
        means="The API no longer calls back where an operation said that it would.",
        instead="Keep sending it, and say when it goes.",
    ),
    Rule(
        name="callback-added",
        grade="noted",
        means="An operation says of a further request that the API may send.",
    ),
    Rule(
        name="callback-unread",
        grade="undecided",
        means="What a callback is could not be read.",
        instead=_READABLE,
    ),
)

_PROTECTION = (
    Rule(
        name="security-added",
        grade="breaking",
        means="Credentials are demanded where none were.",
        instead=_KEEP_CREDENTIALS,
        aliases=("api-security-added", "api-global-security-added"),
    ),
    Rule(
        name="security-scope-added",
        grade="breaking",
        means="A scope is demanded that was not.",
        instead="Demand the scope only of operations that nobody uses yet.",
        aliases=("api-security-scope-added", "api-global-security-scope-added"),
    ),
    Rule(
        name="security-scheme-added",
        grade="breaking",
        means="A further credential is demanded together with those that were.",
        instead=_KEEP_CREDENTIALS,
    ),
    Rule(
        name="security-scheme-changed",
        grade="breaking",
        means="A scheme is another credential than it was, or one that stands elsewhere.",
        instead=_KEEP_CREDENTIALS,
        aliases=("api-security-component-type-changed",),
    ),
    Rule(
        name="security-flow-removed",
        grade="breaking",
        means="Tokens can no longer be had as they were: a flow is gone, or its address another.",
        instead="Keep the old flow beside the new one.",
        aliases=(
            "api-security-component-oauth-url-changed",
            "api-security-component-oauth-token-url-changed",
        ),
    ),
    Rule(
        name="security-alternative-removed",
        grade="breaking",
        means="Credentials that would do are taken no more.",
        instead=_KEEP_CREDENTIALS,
        aliases=("api-security-component-removed",),
    ),
    Rule(
        name="security-removed",
        grade="exposure",
        means="No credentials are demanded where some were.",
        instead=_KEEP_DEMANDS,
        aliases=("api-security-removed", "api-global-security-removed"),
    ),
    Rule(
        name="security-scheme-removed",
        grade="exposure",
        means="One credential less is demanded than were together.",
        instead=_KEEP_DEMANDS,
    ),
    Rule(
        name="security-scope-removed",
        grade="exposure",
        means="A scope is no longer demanded. Noted only, where the operation changes nothing.",
        instead=_KEEP_DEMANDS,
        aliases=("api-security-scope-removed", "api-global-security-scope-removed"),
    ),
    Rule(
        name="security-weakened",
        grade="exposure",
        means="Credentials that protect less are taken: a password, or a key in the address.",
        instead=_KEEP_DEMANDS,
    ),
    Rule(
        name="security-url-became-open",
        grade="exposure",
        means="Tokens are asked for over plain HTTP, and were over HTTPS.",
        instead="Keep the HTTPS address.",
    ),
    Rule(
        name="security-alternative-added",
        grade="noted",
        means="Further credentials are taken, which protect as much.",
    ),
    Rule(
        name="security-changed",
        grade="undecided",
        means="Whether the old credentials are still taken cannot be told.",
        instead="Define each scheme that is named, and keep its type.",
    ),
)

RULES: Final[tuple[Rule, ...]] = (*_ADDRESSES, *_LIFETIMES, *_ANSWERS, *_CALLS, *_PROTECTION)

"""Rules for what is done to schemas: one for each action and each part of a message."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.rules.aliases import ALIASES
from groundwire.contracts.openapi.rules.keywords import CEILINGS, FLOORS, OTHERS
from groundwire.contracts.openapi.rules.rule import Rule

Subject: TypeAlias = Literal[
    "request-body",
    "request-property",
    "request-parameter",
    "request-parameter-property",
    "response-body",
    "response-property",
    "response-header",
]

_ASKED: Final[dict[Subject, str]] = {
    "request-body": "a body that clients send",
    "request-property": "a part of a body that clients send",
    "request-parameter": "a parameter",
    "request-parameter-property": "a part of a parameter",
}
_ANSWERED: Final[dict[Subject, str]] = {
    "response-body": "a body that clients read",
    "response-property": "a part of a body that clients read",
    "response-header": "a header that clients read",
}

_STRICTER: Final = "Keep taking what was taken; demand more in a new field, operation or version."
_LOOSER: Final = "Keep to what was promised; send more in a new field, operation or version."


def _moved(noun: str, *, asked: bool) -> dict[str, str]:
    """The actions on a keyword, with what they mean."""
    said = f"`{noun}`" if noun != "dependencies" else "`dependentRequired`"
    if noun in FLOORS:
        name = FLOORS[noun]
        one, other = ("raised", "added") if asked else ("lowered", "removed")
    elif noun in CEILINGS:
        name = CEILINGS[noun]
        one, other = ("lowered", "added") if asked else ("raised", "removed")
    else:
        name = OTHERS[noun]
        one, other = ("changed", "added") if asked else ("changed", "removed")
    return {f"{name}-{one}": f"{said} was {one}", f"{name}-{other}": f"{said} was {other}"}


def _actions(*, asked: bool) -> dict[str, str]:
    """Every action on a schema as a whole, with what it means."""
    found: dict[str, str] = {}
    for keyword in (*FLOORS, *CEILINGS, *OTHERS):
        found |= _moved(keyword, asked=asked)
    for never in ("unique-items-changed",):
        del found[never]
    if asked:
        return found | {
            "type-added": "a type was demanded where any was taken",
            "type-narrowed": "one of the types is not taken any more",
            "type-changed": "another type is demanded",
            "became-not-nullable": "null is not taken any more",
            "enum-added": "only listed values are taken",
            "enum-value-removed": "a listed value is not taken any more",
            "variants-added": "one of several schemas has to hold",
            "variant-removed": "none of the schemas that are left takes what one took",
            "variants-overlap": "several schemas take what only one may take",
            "discriminator-value-removed": "a kind that was named is not taken any more",
            "closed": "members that nobody declared are not taken any more",
            "refused": "nothing is taken there any more",
            "narrowed": "less is taken than before",
        }
    return found | {
        "type-removed": "any type may come where one was promised",
        "type-widened": "another type may come besides",
        "type-changed": "another type comes",
        "became-nullable": "null may come",
        "enum-removed": "any value may come where a list was promised",
        "enum-value-added": "a value may come that was not listed",
        "variants-removed": "something may come that none of the old schemas takes",
        "variant-added": "something may come that none of the old schemas takes",
        "variants-overlap": "something may come that several of the old schemas take, where one may",
        "discriminator-value-added": "a kind may come that was not named",
        "opened": "members may come that nobody declared, where none were promised",
        "allowed": "something may come where nothing was promised",
        "widened": "more may come than before",
    }


_OF_MEMBERS_ASKED: Final = {
    "added-as-required": "a member has to be sent that was unknown",
    "became-required": "a member has to be sent that could be left out",
    "withdrawn": "a member is refused that could be sent",
    "declared": "a member that nobody declared is held to a schema now",
}
_OF_MEMBERS_ANSWERED: Final = {
    "removed": "a member does not come any more that always came",
    "became-optional": "a member may be missing that always came",
    "added": "a member may come where no other was promised",
    "undeclared": "a member that was declared may be anything now",
}


def rule_name(subject: Subject, action: str, *, of_member: bool) -> str:
    """The name of the rule. A member is a property, whatever it is a member of."""
    if not of_member:
        return f"{subject}-{action}"
    side = "request-parameter" if subject.startswith("request-parameter") else "request"
    return f"{side if subject in _ASKED else 'response'}-property-{action}"


def _rules() -> tuple[Rule, ...]:
    found: dict[str, Rule] = {}
    for subjects, asked in ((_ASKED, True), (_ANSWERED, False)):
        instead = _STRICTER if asked else _LOOSER
        members = _OF_MEMBERS_ASKED if asked else _OF_MEMBERS_ANSWERED
        for subject, what in subjects.items():
            for action, means in _actions(asked=asked).items():
                name = rule_name(subject, action, of_member=False)
                found[name] = _rule(name, f"Of {what}: {means}.", instead)
            for action, means in members.items():
                name = rule_name(subject, action, of_member=True)
                found.setdefault(name, _rule(name, f"{means[0].upper()}{means[1:]}.", instead))
    return tuple(found.values())


def _rule(name: str, means: str, instead: str) -> Rule:
    grade: Grade = (
        "risky" if name.endswith(("-closed", "-opened", "-declared", "-undeclared")) else "breaking"
    )
    return Rule(name=name, grade=grade, means=means, instead=instead, aliases=ALIASES.get(name, ()))


RULES: Final = _rules()

BY_NAME: Final = {rule.name: rule for rule in RULES}

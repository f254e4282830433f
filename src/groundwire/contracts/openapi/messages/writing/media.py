"""Media types: which entry of a `content` map a body is read by.

A key is a media type or a range such as `application/*`. Of several that take a type the most
specific counts: with parameters, then exact, then the range of its main type, then `*/*`. The
`charset` of a type says how it is written and not what it is: where one side gives none, it counts
for any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from groundwire.canon.jcs import JSON

_MAINS = ("application", "text", "image", "audio", "video", "font", "model", "x")


class Media(msgspec.Struct, frozen=True):
    """A media type or range, in lower case; `key` as the description writes it."""

    key: str
    main: str
    sub: str
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def is_range(self) -> bool:
        return "*" in {self.main, self.sub}

    def rank(self) -> tuple[int, int]:
        """The higher, the more specific."""
        return (self.main != "*") + (self.sub != "*"), len(self.parameters)

    def takes(self, other: Media) -> bool:
        """Whether everything of `other` is of this."""
        if self.main not in {"*", other.main} or self.sub not in {"*", other.sub}:
            return False
        given = dict(other.parameters)
        for name, value in self.parameters:
            if name == "charset" and name not in given:
                continue
            if given.get(name) != value:
                return False
        return True

    def concrete(self, others: Iterable[Media] = ()) -> str:
        """A media type that is of this: itself, or one of the range, if possible of none of `others`.

        Of `*/*` it is one of `application` unless another range takes those.
        """
        if not self.is_range:
            return self.key
        sub = "x.anything" if self.sub == "*" else self.sub
        if self.main != "*":
            return f"{self.main}/{sub}"
        taken = {each.main for each in others if each.sub == "*"}
        main = next((each for each in _MAINS if each not in taken), _MAINS[0])
        return f"{main}/{sub}"


def media(key: str) -> Media | None:
    """The media type that `key` names; None where it is none."""
    kind, *rest = (each.strip() for each in key.split(";"))
    main, slash, sub = kind.lower().partition("/")
    if not slash or not main or not sub or "*" in kind.replace("*/*", "").replace("/*", ""):
        return None
    parameters: list[tuple[str, str]] = []
    for each in rest:
        name, equals, value = each.partition("=")
        if equals:
            name = name.strip().lower()
            value = value.strip().strip('"')
            parameters.append((name, value.lower() if name == "charset" else value))
    return Media(key, main, sub, tuple(sorted(parameters)))


def entries(content: Mapping[str, JSON]) -> tuple[list[Media], list[str]]:
    """The media types of a `content` map in its order, and the keys that are none."""
    read = [(key, media(key)) for key in content]
    return [each for _, each in read if each is not None], [
        key for key, each in read if each is None
    ]


def reading(wanted: Media, others: Iterable[Media]) -> Media | None:
    """The entry by which all of `wanted` is read; None where there is none."""
    taking = [each for each in others if each.takes(wanted)]
    return max(taking, key=Media.rank) if taking else None


def within(wanted: Media, mine: Iterable[Media], others: Iterable[Media]) -> list[Media]:
    """The entries for something that is within a range, where that is what it is sent as."""
    if not wanted.is_range:
        return []
    own = [each for each in mine if each.key != wanted.key]
    return [
        each
        for each in others
        if wanted.takes(each)
        and each.rank() > wanted.rank()
        and not any(narrower.rank() > wanted.rank() and narrower.takes(each) for narrower in own)
    ]


def is_text_only(kind: Media) -> bool:
    """Whether a body of this type knows no types of values: a form, or plain text."""
    return f"{kind.main}/{kind.sub}" in {
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/plain",
    }


def is_form(kind: Media) -> bool:
    """Whether a body of this type is made of named parts."""
    return kind.main == "multipart" or kind.sub == "x-www-form-urlencoded"

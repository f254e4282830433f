"""The values of keywords, as what each keyword takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groundwire.canon.jcs import JSON


class Invalid(Exception):
    """A keyword's value is not what the keyword takes."""


def as_list(value: JSON, least: int = 0) -> Sequence[JSON]:
    """`value` as a list.

    Raises:
        Invalid: it is none.
    """
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) >= least:
        return value
    raise Invalid


def as_object(value: JSON) -> Mapping[str, JSON]:
    """`value` as an object.

    Raises:
        Invalid: it is none.
    """
    if isinstance(value, Mapping):
        return value
    raise Invalid


def as_names(value: JSON) -> list[str]:
    """`value` as a list of strings.

    Raises:
        Invalid: it is none.
    """
    return [as_text(each) for each in as_list(value)]


def as_text(value: JSON) -> str:
    """`value` as a string.

    Raises:
        Invalid: it is none.
    """
    if isinstance(value, str):
        return value
    raise Invalid


def as_count(value: JSON) -> int:
    """`value` as a whole number from 0 on.

    Raises:
        Invalid: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise Invalid
    if value != int(value):
        raise Invalid
    return int(value)

"""Settling: what a declared read says of a deed of which nobody knows whether it was done."""

from __future__ import annotations

from typing import Literal, TypeAlias

from groundwire.canon import jcs, paths
from groundwire.documents.declaration import Settling
from groundwire.errors import EncodingError
from groundwire.grounding.once.keys import hides, same_value

Stands: TypeAlias = Literal["landed", "absent"]


def settled(declared: Settling, result: str) -> Stands | None:
    """Whether the deed was done, by the text of the read's result; None where that does not say.

    Every value at the path has to be one of those that mean the same. A result in which a key stands
    twice, at the path or elsewhere, says nothing: readers differ on which counts. Nor does a text
    with characters that nobody sees. Does not look at whom the result is about: that is the read's
    own arguments.
    """
    try:
        read = jcs.decode_foreign(result.encode())
    except (EncodingError, UnicodeEncodeError):
        return None
    if read.duplicates:
        return None
    found = paths.values_at(read.value, declared.at)
    said = {same_value(value) for value in found}
    if not said:
        return None
    if any(map(hides, found)):
        return None
    if said <= {same_value(value) for value in declared.landed}:
        return "landed"
    return "absent" if said <= {same_value(value) for value in declared.absent} else None

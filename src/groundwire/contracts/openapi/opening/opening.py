"""The description of an API, out of its files and in the form in which it is compared."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import DialectName
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.opening.bounding import demand_bounded
from groundwire.contracts.openapi.opening.bundling import FILES_KEY, Bundle, leads_outside
from groundwire.contracts.openapi.opening.files import Files, ReadFile
from groundwire.contracts.openapi.opening.locating import Places, wherever
from groundwire.contracts.openapi.opening.marking import mark
from groundwire.contracts.openapi.opening.places import Outside, normal
from groundwire.contracts.openapi.opening.structure import demand_outline, oddities
from groundwire.contracts.openapi.opening.swagger.converting import Converted, convert
from groundwire.contracts.openapi.opening.versions import dialect_named, version_of
from groundwire.contracts.openapi.resolving import join
from groundwire.contracts.reading.json_places import steps_of
from groundwire.contracts.reading.text import Text
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.readings import Readings

# Whether what stands there is a reference hangs on what is around it.
_PLAIN = frozenset({"$ref", "operationRef", "mapping", "discriminator"})


def open_description(
    name: str, read_file: ReadFile, readings: Readings | None = None
) -> Description:
    """The description that begins in the file `name`, with every file that it refers to.

    `read_file` gives a file's bytes, or None where there is none. It is asked for names below the
    root that `name` is relative to, with `/` between steps and without `..`; what leads out of it,
    or to another host, is unread and never asked for. Nothing is validated beyond the outline.
    With `readings` nobody who has them reads the first file again.

    Raises:
        Unreadable: as `read` of the first file; `missing-description`, `not-openapi`,
            `openapi-version`, `dialect-unknown`, `key-reserved`, `too-large`, `too-deep`,
            `reference-cycle`.
    """
    try:
        name = normal(name)
    except Outside as error:
        message = "The description's file is none below the root."
        raise Unreadable("missing-description", message) from error
    files = Files(read_file, readings)
    text = files.root(name)
    root = text.value
    outside = isinstance(root, dict) and _may_lead_outside(text)
    if isinstance(root, dict) and (text.unread or "swagger" in root or outside):
        text = files.to_write(name)
        root = text.value
    if not isinstance(root, dict):
        raise Unreadable("not-openapi", "The file is no object.", *(text.position("") or (0, 0)))
    version = version_of(root)
    demand_outline(root, version)
    dialect = dialect_named(root, version)
    if dialect is None:
        raise Unreadable("dialect-unknown", "`jsonSchemaDialect` names none that is known.")
    document, bundle = _bundled(root, (version, dialect), files, name, outside=outside)
    others = files.others(name)
    unread, numbers = _unread(text, "#"), _numbers(text, "#")
    for other, each in others.items():
        prefix = join("#", FILES_KEY, other)
        unread |= _unread(each, prefix)
        numbers |= _numbers(each, prefix)
    unread = wherever({**unread, **bundle.unread}, bundle.moved)
    converted: Mapping[str, str] = {}
    if version == "2.0":
        made = _converted(document, unread)
        document, unread, converted = made.root, dict(made.unread), made.moved
    else:
        unread = dict(sorted({**dict(oddities(document)), **unread}.items()))
    places = Places(name, text, others, bundle.moved, converted)
    places_before = {each: places.written_at(each) for each in unread}
    mark(
        document,
        unread,
        {each: numbers[before] for each, before in places_before.items() if before in numbers},
    )
    return Description(
        version=version, root=document, dialect=dialect, locator=places, unread=unread
    )


def _may_lead_outside(text: Text) -> bool:
    """As `leads_outside`; of a version that differs in one part, that and the other are looked at."""
    if text.leads_outside is None and isinstance(text.value, dict):
        edit = text.edit
        if edit is None or not _PLAIN.isdisjoint(edit.path) or _may_lead_outside(edit.earlier):
            text.leads_outside = leads_outside(text.value)
        else:
            # Deeper than where no reference is expected.
            text.leads_outside = leads_outside({"": {"": {edit.path[-1]: edit.part}}})
    return text.leads_outside or False


def _converted(document: dict[str, JSON], unread: Mapping[str, str]) -> Converted:
    try:
        return convert(document, unread)
    except RecursionError as error:
        raise Unreadable("too-deep", "The description nests too deep.") from error


def _bundled(
    root: dict[str, JSON],
    read_by: tuple[str, DialectName],
    files: Files,
    name: str,
    *,
    outside: bool,
) -> tuple[dict[str, JSON], Bundle]:
    """The root with the other files beside its keys; the root itself, where there are none."""
    version, dialect = read_by
    itself = root.get("$self") if version.startswith("3.2") else None
    bundle = Bundle(files, name, dialect, itself if isinstance(itself, str) else "")
    if not outside:
        return root, bundle
    bundle.gather(root)
    others = files.others(name)
    document = root
    if others:
        if FILES_KEY in root:
            message = f"The description has a key `{FILES_KEY}` of its own."
            raise Unreadable("key-reserved", message)
        document = {**root, FILES_KEY: {other: text.value for other, text in others.items()}}
    if bundle.moved:
        demand_bounded(document)
    return document, bundle


def _numbers(text: Text, prefix: str) -> dict[str, str]:
    return {join(prefix, *steps_of(pointer)): each for pointer, each in text.numbers.items()}


def _unread(text: Text, prefix: str) -> dict[str, str]:
    return {join(prefix, *steps_of(pointer)): reason for pointer, reason in text.unread.items()}

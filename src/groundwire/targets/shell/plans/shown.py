"""What `terraform show -json` says of a saved plan, read whole: format 1, and nothing passed over.

The format's own pages are developer.hashicorp.com/terraform/internals/json-format. They tell a
reader to pass over properties it does not know. Here those refuse the plan: they may say what
applying it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from groundwire.canon import jcs
from groundwire.errors import EncodingError, GuardError
from groundwire.targets.shell.plans.port import Action, Planned

KIND: Final = "terraform"
"""Resources and outputs."""
UNKNOWN: Final = "terraform-unknown"
"""What of a resource is known only once it is applied."""
DRIFT: Final = "terraform-drift"
"""What others changed since terraform last looked, and applying takes into its state."""
PROGRAM: Final = "terraform-program"
"""Programs of the configuration's own that applying may start here: provisioners, `external`."""
KINDS: Final = (KIND, UNKNOWN, DRIFT, PROGRAM)

_ACTIONS: Final[dict[tuple[str, ...], Action | None]] = {
    ("no-op",): None,
    ("read",): None,
    ("create",): "create",
    ("update",): "update",
    ("delete",): "delete",
    ("delete", "create"): "replace",
    ("create", "delete"): "replace",
}
_KNOWN: Final = frozenset(
    {
        "format_version", "terraform_version", "variables", "planned_values", "resource_drift",
        "resource_changes", "deferred_changes", "deferred_action_invocations",
        "action_invocations", "output_changes", "prior_state", "configuration",
        "relevant_attributes", "checks", "timestamp", "applyable", "complete", "errored",
    }
)  # fmt: skip
_UNSAID: Final = ("deferred_changes", "deferred_action_invocations", "action_invocations")
_NULL: Final = msgspec.Raw(b"null")


class _Change(msgspec.Struct):
    actions: tuple[str, ...]
    before: msgspec.Raw = _NULL
    after: msgspec.Raw = _NULL
    after_unknown: msgspec.Raw = _NULL
    importing: msgspec.Raw = _NULL


class _Resource(msgspec.Struct):
    address: str
    change: _Change
    deposed: str = ""
    previous_address: str = ""


class _Shown(msgspec.Struct):
    terraform_version: str = ""
    resource_changes: tuple[_Resource, ...] = ()
    resource_drift: tuple[_Resource, ...] = ()
    output_changes: dict[str, _Change] = {}
    complete: bool = True
    errored: bool = False


def planned_in(shown: bytes) -> tuple[str, tuple[Planned, ...]]:
    """Terraform's version, and all that applying the plan changes.

    Raises:
        GuardError: `plan-unreadable`: of another format, or it says or does what is not known here;
            `plan-incomplete`: it leaves out what applying it does.
    """
    try:
        said = msgspec.json.decode(shown, type=dict[str, msgspec.Raw])
        _require_format(said)
        read = msgspec.json.decode(shown, type=_Shown)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise GuardError(
            "plan-unreadable", f"What terraform shows of its plan cannot be read: {error}"
        ) from error
    _require_complete(read, said)
    found = (
        *_resources(read.resource_changes, KIND),
        *_outputs(read.output_changes),
        *_resources(read.resource_drift, DRIFT),
        *_programs(_object(said.get("configuration", _NULL))),
    )
    if len({(each.kind, each.id) for each in found}) != len(found):
        raise GuardError("plan-unreadable", "The plan changes one thing twice.")
    return read.terraform_version, found


def _require_format(said: Mapping[str, msgspec.Raw]) -> None:
    version = msgspec.json.decode(said.get("format_version", msgspec.Raw(b'""')), type=str)
    if version.split(".")[0] != "1":
        raise GuardError(
            "plan-unreadable",
            f"Terraform shows its plan in format {version[:20] or 'unsaid'}; only 1 is known.",
        )
    unknown = sorted(set(said) - _KNOWN)
    if unknown:
        raise GuardError(
            "plan-unreadable",
            f"Terraform says of its plan what is not known here: {', '.join(unknown)[:100]}.",
        )


def _require_complete(read: _Shown, said: Mapping[str, msgspec.Raw]) -> None:
    lacking = [name for name in _UNSAID if bytes(said.get(name, _NULL)) not in (b"null", b"[]")]
    if read.errored:
        lacking.append("errored")
    if not read.complete:
        lacking.append("not complete")
    if lacking:
        raise GuardError(
            "plan-incomplete",
            f"The plan does not say all that applying it does ({', '.join(lacking)}); nothing was"
            " applied.",
        )


def _resources(resources: Sequence[_Resource], kind: str) -> Iterator[Planned]:
    for each in resources:
        name = f"{each.address} (deposed {each.deposed})" if each.deposed else each.address
        if each.previous_address or bytes(each.change.importing) != b"null":
            raise GuardError(
                "plan-unreadable",
                f"The plan moves or imports {name[:100]}; neither is judged here.",
            )
        yield from _planned(name, each.change, kind)


def _outputs(changes: Mapping[str, _Change]) -> Iterator[Planned]:
    for name, change in changes.items():
        yield from _planned(f"output.{name}", change, KIND)


def _planned(name: str, change: _Change, kind: str) -> Iterator[Planned]:
    if change.actions not in _ACTIONS:
        raise GuardError(
            "plan-unreadable",
            f"The plan does to {name[:100]} what is not known here: {'/'.join(change.actions)[:50]}.",
        )
    action = _ACTIONS[change.actions]
    if action is None:
        return
    yield Planned(
        id=name,
        action=action,
        before=None if action == "create" else _content(name, change.before),
        after=None if action == "delete" else _content(name, change.after),
        kind=kind,
    )
    unknown = _value(name, change.after_unknown)
    if _holds_true(unknown):
        after = jcs.encode(unknown)
        yield Planned(id=name, action="create", before=None, after=after, kind=UNKNOWN)


def _holds_true(value: jcs.JSON) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_true(each) for each in value.values())
    return any(map(_holds_true, _several(value))) or value is True


def _programs(configuration: Mapping[str, jcs.JSON]) -> Iterator[Planned]:
    yield from _programs_of(configuration.get("root_module"), "")


def _programs_of(module: jcs.JSON, above: str) -> Iterator[Planned]:
    if not isinstance(module, Mapping):
        return
    calls = module.get("module_calls")
    for each in _several(module.get("resources")):
        if not isinstance(each, Mapping):
            continue
        started = each.get("provisioners") or (each if each.get("type") == "external" else None)
        if started:
            name = f"{above}{each.get('address', '')}"
            yield Planned(
                id=name, action="create", before=None, after=jcs.encode(started), kind=PROGRAM
            )
    for name, call in calls.items() if isinstance(calls, Mapping) else ():
        if isinstance(call, Mapping):
            yield from _programs_of(call.get("module"), f"{above}module.{name}.")


def _object(value: msgspec.Raw) -> Mapping[str, jcs.JSON]:
    read = _value("its configuration", value)
    return read if isinstance(read, Mapping) else {}


def _several(value: jcs.JSON) -> Sequence[jcs.JSON]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _content(name: str, value: msgspec.Raw) -> bytes:
    return jcs.encode(_value(name, value))


def _value(name: str, value: msgspec.Raw) -> jcs.JSON:
    try:
        read = jcs.decode_foreign(bytes(value)).value
        jcs.encode(read)
    except EncodingError as error:
        raise GuardError(
            "plan-unreadable", f"What the plan says of {name[:100]} has no canonical form."
        ) from error
    return read

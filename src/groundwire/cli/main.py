"""The command line's frame: it finds the command, and answers for whatever goes wrong in it.

No command's module is imported before it is asked for, and `--help` imports none at all.

Exit codes: 0 holds, 1 does not hold, 2 usage, 3 could not judge; an interrupted run ends with
130, as shells expect. A command exits by `typer.Exit(code)` or by returning its code.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundwire.cli.output import shown
from groundwire.errors import GroundwireError, GuardError, HostError, PolicyError, TrustError

if TYPE_CHECKING:
    from typer import Typer

HOLDS, DOES_NOT_HOLD, USAGE, COULD_NOT_JUDGE, INTERRUPTED = 0, 1, 2, 3, 130

COMMANDS = {
    "demo": "watch an agent go wrong, and see what a recording of it shows",
    "audit": "say what a recording or a log holds: findings, and what was not checked",
    "verify": "say whether recordings are what was written, and what that proves",
    "explain": "show where the results in a request, or the arguments of a call, come from",
    "lineage": "list a run's tool calls, where each result stood, and the verdict on the answer",
    "diff": "say whether a change to a contract breaks anyone, and show the exchange that proves it",
    "guard": "say what is decided of guarded calls, by which rules, and what allows them",
    "approvals": "show what agents ask of people, and answer it at a terminal",
    "run": "run a command beside its folder and apply what it leaves, if the policy allows it",
    "init": "propose declarations from what runs show, for a person to accept",
    "stop": "stop a run, or every run, at its next guarded call; an approver lifts it",
    "plan": "let a run act that only plans",
    "keys": "make, list, rotate, revoke and export the keys that sign",
    "prune": "delete recordings older than the policy keeps, under a signed record",
    "doctor": "say what this machine has, what it lacks, and what to do next",
}
"""Every command, and what it does."""

MODULES = {
    "approvals": "approving.group",
    "diff": "diffing.diff",
    "guard": "guarding.group",
    "lineage": "tracing.lineage",
    "plan": "halting.plan",
    "run": "guarding.run",
    "stop": "halting.stop",
}
"""The commands whose module in `groundwire.cli` is not called like them."""

UNDECIDED = {"unknown-signer"}
"""Reasons of a TrustError that say nothing against the evidence, only that nobody can tell."""


def main() -> None:
    """The process ends with the code of the command that it was started for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal cannot spell
            stream.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or COULD_NOT_JUDGE
        _drop_output()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command; what it raised has become a line on standard error."""
    try:
        return _dispatch(list(arguments))
    except GroundwireError as error:
        _complain(error.message)
        _complain(f"reason: {error.reason}")
        return exit_code(error)
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except SystemExit as stop:
        return _code_of(stop)
    except BrokenPipeError:
        _drop_output()
        return COULD_NOT_JUDGE  # whoever was to read the verdict had gone
    except Exception as error:  # noqa: BLE001 -- the one door where a defect of ours comes out
        return _answer_for(error)


def exit_code(error: GroundwireError) -> int:
    """1 where something does not hold, 2 where it was asked wrongly, 3 where nobody can say."""
    match error:
        case PolicyError():
            return USAGE
        case TrustError() | GuardError() if error.reason not in UNDECIDED:
            return DOES_NOT_HOLD
        case _:  # bytes that could not be read, a host that failed, a signer nobody knows
            return COULD_NOT_JUDGE


def app(name: str) -> Typer:
    """The command called `name`, from its module, imported now if it was not.

    The module holds it as `app`, or as the one function named like itself.

    Raises:
        HostError: a package that the command needs is not installed.
    """
    import typer

    try:
        module = importlib.import_module(f"groundwire.cli.{MODULES.get(name, name)}")
    except ModuleNotFoundError as error:
        raise HostError(
            "package-missing",
            f"`groundwire {name}` needs the package {error.name}, which is not installed; "
            "`groundwire doctor` lists what is",
        ) from error
    found = getattr(module, "app", None)
    if not isinstance(found, typer.Typer):
        found = typer.Typer(add_completion=False)
        found.command(name)(getattr(module, name))
    found.rich_markup_mode = None  # plain help: nothing to escape, and no slow import
    return found


def help_text() -> str:
    """What `groundwire --help` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        (
            "Usage: groundwire COMMAND [OPTIONS] [ARGS]...",
            "",
            "AI agents' tool calls, recorded and true.",
            "",
            "Commands:",
            *lines,
            "",
            "Options:",
            "  --version  the version of groundwire and of Python",
            "  --help     this text; after a command, that command's own",
            "",
            "Example:",
            "  groundwire verify runs/demo.gw",
            "",
            "Exit codes: 0 holds, 1 does not hold, 2 usage, 3 could not judge.",
            "GROUNDWIRE_TRACEBACK=1 shows where an unexpected error came from.",
        )
    )


def version_text() -> str:
    """What `groundwire --version` prints."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("groundwire")
    except PackageNotFoundError:
        own = "(not installed)"
    return f"groundwire {own} (Python {sys.version.split()[0]})"


def _dispatch(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in {"--version", "-V"}:
        print(version_text())
        return HOLDS
    if first in {"", "--help", "-h"}:
        print(help_text(), file=sys.stdout if first else sys.stderr)
        return HOLDS if first else USAGE
    if first not in COMMANDS:
        near = difflib.get_close_matches(first, COMMANDS, n=1, cutoff=0.5)
        hint = f"did you mean `groundwire {near[0]}`? " if near else ""
        _complain(f"there is no command {first!r}; {hint}`groundwire --help` lists them all")
        return USAGE
    return _invoke(first, arguments[1:])


def _invoke(name: str, arguments: list[str]) -> int:
    from typer.main import get_command

    # Not standalone: errors come out here, where each has one spelling and one exit code.
    result: object = get_command(app(name)).main(
        arguments, prog_name=f"groundwire {name}", standalone_mode=False
    )
    return result if isinstance(result, int) else HOLDS


def _answer_for(error: Exception) -> int:
    """What an exception outside our own tree becomes."""
    if _is_usage(error):
        getattr(error, "show", traceback.print_exc)()
        return USAGE
    if type(error).__name__ == "Abort":
        _complain("aborted; nothing was done")
        return USAGE
    _complain(
        f"a defect of groundwire itself: {type(error).__name__}: {error}. Nothing was judged. "
        "Please report it with what GROUNDWIRE_TRACEBACK=1 prints"
    )
    if os.environ.get("GROUNDWIRE_TRACEBACK") == "1":
        traceback.print_exception(error)
    return COULD_NOT_JUDGE


def _is_usage(error: Exception) -> bool:
    # Typer has carried its own click since some version; the class has no one address.
    return any(base.__name__ == "ClickException" for base in type(error).__mro__)


def _code_of(stop: SystemExit) -> int:
    cause = stop.__context__
    if isinstance(cause, OSError) and cause.errno == errno.EPIPE:
        return COULD_NOT_JUDGE  # typer's own answer, 1, would read as a verdict
    if stop.code is None:
        return HOLDS
    return stop.code if isinstance(stop.code, int) else COULD_NOT_JUDGE


def _complain(text: str) -> None:
    """One line on standard error; what could move the cursor or break the line is spelled out."""
    print(f"groundwire: {shown(text)}", file=sys.stderr)


def _drop_output() -> None:
    """Nothing more is written to a standard output that nobody reads, at exit either."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
    os.close(sink)

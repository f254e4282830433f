"""The frame around every command: one line for what goes wrong, and an exit code that is true."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from groundwire.cli import main as frame
from groundwire.errors import (
    EncodingError,
    GroundwireError,
    GuardError,
    HostError,
    PolicyError,
    TrustError,
)

Install = Callable[[Callable[..., object]], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a function in the place of the `doctor` command."""

    def put(function: Callable[..., object]) -> None:
        module = types.ModuleType("groundwire.cli.doctor")
        module.doctor = function  # type: ignore[attr-defined]  # a module of the test's making
        monkeypatch.setitem(sys.modules, "groundwire.cli.doctor", module)

    return put


def test_help_names_every_command_and_imports_none(capsys: pytest.CaptureFixture[str]) -> None:
    script = (
        "import sys\nfrom groundwire.cli import main\nassert main.run(['--help']) == 0\n"
        "heavy = {'typer', 'rich', 'msgspec', 'cryptography', 'pydantic'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in frame.COMMANDS)


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert frame.run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("groundwire 0.")


def test_without_a_command_the_help_goes_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert frame.run([]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "Commands:" in output.err


def test_a_mistyped_command_is_usage_and_names_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert frame.run(["verfy"]) == 2
    assert "did you mean `groundwire verify`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PolicyError("unknown-setting", "no such key"), 2),
        (EncodingError("not-json", "no JSON"), 3),
        (HostError("disk-full", "no room"), 3),
        (TrustError("bad-signature", "does not verify"), 1),
        (TrustError("unknown-signer", "nobody knows it"), 3),
        (TrustError("revoked-undecidable", "no anchor dates it"), 1),
        (GuardError("refused", "not permitted"), 1),
        (GroundwireError("other", "something else"), 3),
    ],
)
def test_an_error_of_ours_is_two_lines_and_its_kinds_exit_code(
    error: GroundwireError, code: int, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    def doctor() -> None:
        raise error

    install(doctor)
    assert frame.run(["doctor"]) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == f"groundwire: {error.message}\ngroundwire: reason: {error.reason}\n"


def test_a_message_cannot_write_on_the_terminal(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    def doctor() -> None:
        raise HostError("unreadable", "file \x1b[2Ja\nb\u2028 cannot be read")

    install(doctor)
    assert frame.run(["doctor"]) == 3
    shown = capsys.readouterr().err.splitlines()[0]
    assert shown == "groundwire: file \\x1b[2Ja\\nb\\u2028 cannot be read"


def test_a_defect_asks_for_a_report_and_shows_no_traceback(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    def doctor() -> None:
        raise ZeroDivisionError("by nothing")

    install(doctor)
    assert frame.run(["doctor"]) == 3
    error = capsys.readouterr().err
    assert "ZeroDivisionError: by nothing" in error
    assert "GROUNDWIRE_TRACEBACK=1" in error
    assert "Traceback" not in error


def test_a_defect_shows_its_traceback_when_asked(
    install: Install, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def doctor() -> None:
        raise ZeroDivisionError("by nothing")

    install(doctor)
    monkeypatch.setenv("GROUNDWIRE_TRACEBACK", "1")
    assert frame.run(["doctor"]) == 3
    assert "Traceback" in capsys.readouterr().err


def _exits(code: int) -> Callable[[], object]:
    def doctor() -> None:
        raise typer.Exit(code)

    return doctor


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_a_command_chooses_its_exit_code_by_exit_or_by_return(code: int, install: Install) -> None:
    install(_exits(code))
    assert frame.run(["doctor"]) == code
    install(lambda: code)
    assert frame.run(["doctor"]) == code


def test_a_missing_argument_is_usage_and_says_how_to_ask(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    def doctor(run: str) -> None:
        print(run)

    install(doctor)
    assert frame.run(["doctor"]) == 2
    error = capsys.readouterr().err
    assert "Usage: groundwire doctor" in error
    assert "Missing argument" in error


def test_an_interrupted_command_ends_as_shells_expect(install: Install) -> None:
    def doctor() -> None:
        raise KeyboardInterrupt

    install(doctor)
    assert frame.run(["doctor"]) == 130


def test_a_declined_question_is_no_verdict(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    def doctor() -> None:
        raise typer.Abort

    install(doctor)
    assert frame.run(["doctor"]) == 2
    assert "nothing was done" in capsys.readouterr().err


def test_output_that_nobody_reads_is_no_verdict_and_no_traceback(tmp_path: Path) -> None:
    script = tmp_path / "many_lines.py"
    script.write_text(
        "import sys, types\n"
        "def doctor():\n"
        "    for _ in range(100_000): print('a line of output')\n"
        "module = types.ModuleType('groundwire.cli.doctor'); module.doctor = doctor\n"
        "sys.modules['groundwire.cli.doctor'] = module\n"
        "sys.argv = ['groundwire', 'doctor']\n"
        "from groundwire.cli.main import main\n"
        "main()\n"
    )
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, str(script)], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == 3


def test_a_command_whose_package_is_missing_says_which(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(frame.COMMANDS, "no_such_module", "a command of the test's own")
    assert frame.run(["no_such_module"]) == 3
    assert "reason: package-missing" in capsys.readouterr().err

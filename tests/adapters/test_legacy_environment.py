"""The same tests with the SDKs of before httpx2 (anthropic 0.x, openai 2.x), in their own venv.

The venv is `.venv-legacy` in the checkout, made when it is not there or its list has changed.
"""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PINS = CHECKOUT / "requirements" / "anthropic-legacy.txt"
FOLDER = CHECKOUT / ".venv-legacy"
STAMP = FOLDER / ".installed"
TESTS = [
    f"tests/adapters/{name}.py"
    for name in ("test_crossing_the_wire", "test_transports", "test_watched_clients")
]


def finished(command: list[str], **environment: str) -> str:
    """What a command printed; it must have succeeded."""
    # pip finds its settings in the real home; tests run in one of their own.
    home = {"HOME": pwd.getpwuid(os.getuid()).pw_dir}
    done = subprocess.run(
        command,
        cwd=CHECKOUT,
        env=os.environ | home | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def legacy_python() -> str:
    """The interpreter of the venv, with everything pinned installed."""
    python = str(FOLDER / "bin" / "python")
    wanted = PINS.read_text(encoding="utf-8")
    if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != wanted:
        finished([sys.executable, "-m", "venv", "--clear", str(FOLDER)])
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        finished([*install, "-r", str(PINS)])
        STAMP.write_text(wanted, encoding="utf-8")
    return python


@pytest.mark.slow
def test_the_legacy_sdks_are_the_ones_meant(legacy_python):
    script = "import anthropic, openai, sys; print(anthropic.__version__, openai.__version__)"
    script += "; assert 'httpx2' not in sys.modules"
    versions = finished([legacy_python, "-c", script])
    assert re.fullmatch(r"0\.\d+\.\d+ 2\.\d+\.\d+\n", versions)


@pytest.mark.slow
def test_everything_holds_with_the_legacy_sdks_on_httpx(legacy_python):
    command = [legacy_python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    path = os.pathsep.join((str(CHECKOUT / "src"), str(CHECKOUT)))
    printed = finished(command, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
    passed = re.search(r"(\d+) passed", printed)
    assert passed is not None
    assert int(passed[1]) > 250

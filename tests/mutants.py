"""Break one line at a time and see that its tests notice: `python -m tests.mutants [NAME…]`.

tests/mutants.toml names the lines. Each mutant gets its own copy of `src`; the tree is not
touched. A mutant is *killed* when the tests that it names fail on the copy, having passed on an
unbroken one.
"""

from __future__ import annotations

import atexit
import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from py_compile import PycInvalidationMode

CHECKOUT = Path(__file__).resolve().parents[1]
DECLARED = CHECKOUT / "tests" / "mutants.toml"
TIMEOUT = 180.0
PARALLEL = 2
ANOTHER_COPY = 97
"""Exit code of a run that imported another copy of the package than the one it was to judge."""
FIELDS = {"name", "file", "find", "replace", "tests"}


class BadMutant(Exception):
    """A mutant that does not say what it should, or no longer fits the code."""


@dataclass(frozen=True)
class Mutant:
    """One line to break, and the tests that must notice."""

    name: str
    file: str
    find: str
    replace: str
    tests: tuple[str, ...]

    def broken(self) -> str:
        """The text of `file` with the replacement made.

        Raises:
            BadMutant: the text to replace does not stand there exactly once.
        """
        text = (CHECKOUT / self.file).read_text(encoding="utf-8")
        if (count := text.count(self.find)) != 1:
            raise BadMutant(f"{self.name}: `find` stands {count} times in {self.file}, not once")
        return text.replace(self.find, self.replace)


@dataclass(frozen=True)
class Result:
    """What the tests said of a copy of `src`."""

    name: str
    killed: bool
    word: str
    seconds: float
    output: str


def declared_mutants(path: Path = DECLARED) -> tuple[Mutant, ...]:
    """Every mutant in `path`.

    Raises:
        BadMutant: a field is missing or unknown, or a name stands twice.
    """
    mutants: list[Mutant] = []
    for table in tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", []):
        if set(table) != FIELDS:
            raise BadMutant(f"{table.get('name', '?')}: needs exactly {', '.join(sorted(FIELDS))}")
        if table["find"] == table["replace"] or not table["tests"]:
            raise BadMutant(f"{table['name']}: changes nothing or names no test")
        if any(mutant.name == table["name"] for mutant in mutants):
            raise BadMutant(f"{table['name']}: stands twice")
        mutants.append(Mutant(**{**table, "tests": tuple(table["tests"])}))
    return tuple(mutants)


@cache
def compiled_source() -> Path:
    """A copy of `src`, compiled once: most of a short run was compiling what no mutant touches.

    The tests are compiled where they stand. The copy is gone when this process ends.
    """
    folder = tempfile.TemporaryDirectory(prefix="groundwire-mutants-")
    atexit.register(folder.cleanup)
    source = Path(folder.name).resolve() / "src"
    shutil.copytree(CHECKOUT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(
        source, quiet=2, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH, workers=PARALLEL
    )
    compileall.compile_dir(CHECKOUT / "tests", quiet=2, workers=PARALLEL)
    return source


def copy_of_source(work: Path) -> Path:
    """A tree of its own that shares every file of the compiled copy until one is put in place."""
    source = work / "src"
    shutil.copytree(compiled_source(), source, copy_function=os.link)
    return source


def put_in_place(file: Path, text: str) -> None:
    """`file` holds this text in this tree alone, and nothing compiled from another stands for it."""
    file.unlink()
    file.write_text(text, encoding="utf-8")
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()


def run_tests(tests: Sequence[str], source: Path, work: Path) -> tuple[int, str]:
    """Pytest's exit code and output for `tests` against the package in `source`.

    124 stands for a run that took too long, 97 for one that imported another copy of the
    package, such as the one installed for development.
    """
    probe = work / "mutant_probe.py"
    probe.write_text(
        "import groundwire, pathlib, sys\n"
        f"expected = pathlib.Path({str(source)!r})\n"
        "found = pathlib.Path(groundwire.__file__).resolve()\n"
        "if expected not in found.parents:\n"
        "    print(f'the tests import {found}, not the copy in {expected}', file=sys.stderr)\n"
        f"    raise SystemExit({ANOTHER_COPY})\n",
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(source), str(work), str(CHECKOUT))),
        "PYTHONDONTWRITEBYTECODE": "1",
        # Only what the tests need: most of a run is its start.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", "-p", "mutant_probe", "-p", "pytest_asyncio.plugin"]
    command += ["-p", "pytest_timeout"]
    command += ["-p", "no:cacheprovider", "-x", "-q", "--no-header", "--assert=plain"]
    command += [f"--basetemp={work / 'tmp'}", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=CHECKOUT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, f"took longer than {TIMEOUT:.0f} s"
    return done.returncode, done.stdout + done.stderr


def try_mutant(mutant: Mutant) -> Result:
    """What the mutant's tests say of a copy with its line broken."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="groundwire-mutant-") as folder:
        work = Path(folder).resolve()
        source = copy_of_source(work)
        broken = mutant.broken()
        try:
            compile(broken, mutant.file, "exec")
        except SyntaxError as error:
            return Result(
                mutant.name, killed=False, word=f"no Python: {error}", seconds=0, output=""
            )
        put_in_place(work / mutant.file, broken)
        code, output = run_tests(mutant.tests, source, work)
    seconds = time.perf_counter() - started
    # 1: a test failed; 124: the broken line was what ended a loop. Tests that could not even be
    # collected (2) noticed nothing: such a mutant breaks the import, not the claim.
    killed = code in {1, 124}
    word = "killed" if killed else "SURVIVED" if code == 0 else f"no verdict, exit {code}"
    return Result(mutant.name, killed, word, seconds, output)


def try_unbroken(tests: tuple[str, ...]) -> Result:
    """What the tests say of an unbroken copy: they have to pass there."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="groundwire-mutant-") as folder:
        work = Path(folder).resolve()
        code, output = run_tests(tests, copy_of_source(work), work)
    word = "passes" if code == 0 else f"fails unbroken, exit {code}"
    return Result(" ".join(tests), code == 0, word, time.perf_counter() - started, output)


def main(names: Sequence[str]) -> int:
    """Runs the mutants named, or all; 0 if every one was killed."""
    try:
        mutants = declared_mutants()
    except BadMutant as error:
        print(error, file=sys.stderr)
        return 2
    if unknown := [name for name in names if name not in {mutant.name for mutant in mutants}]:
        print(f"no mutant called {', '.join(unknown)} in tests/mutants.toml", file=sys.stderr)
        return 2
    chosen = [mutant for mutant in mutants if not names or mutant.name in names]
    compiled_source()
    with ThreadPoolExecutor(PARALLEL) as pool:
        sets = list(dict.fromkeys(mutant.tests for mutant in chosen))
        unbroken = dict(zip(sets, pool.map(try_unbroken, sets), strict=True))
        sound = [mutant for mutant in chosen if unbroken[mutant.tests].killed]
        results = {result.name: result for result in pool.map(_try_or_report, sound)}
    for mutant in chosen:
        result = results.get(mutant.name) or unbroken[mutant.tests]
        killed = mutant.name in results and result.killed
        print(f"{result.word:<28} {result.seconds:6.1f} s  {mutant.name}")
        if not killed and result.output:
            print("    " + "\n    ".join(result.output.strip().splitlines()[-8:]))
    passed = sum(result.killed for result in results.values())
    print(f"{passed} passed, {len(chosen) - passed} failed")
    return 0 if passed == len(chosen) else 1


def _try_or_report(mutant: Mutant) -> Result:
    try:
        return try_mutant(mutant)
    except (BadMutant, OSError) as error:
        return Result(
            mutant.name, killed=False, word="cannot be made", seconds=0, output=str(error)
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The mutants fit the code they are to break, and their runner judges the copy it made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import mutants
from tests.house.tree import CHECKOUT

DECLARED = mutants.declared_mutants()


@pytest.mark.parametrize("mutant", DECLARED, ids=lambda mutant: mutant.name)
def test_a_mutant_names_files_that_exist_and_text_that_stands_once(mutant: mutants.Mutant) -> None:
    assert mutant.file.startswith("src/groundwire/")
    for test in mutant.tests:
        assert (CHECKOUT / test.partition("::")[0]).exists(), test
    compile(mutant.broken(), mutant.file, "exec")


def test_a_mutant_whose_text_is_gone_is_told_from_one_that_survived() -> None:
    gone = mutants.Mutant("gone", "src/groundwire/errors.py", "no such text", "x", ("tests",))
    with pytest.raises(mutants.BadMutant, match="stands 0 times"):
        gone.broken()


@pytest.mark.parametrize(
    "table",
    [
        "name = 'a'\nfile = 'f'\nfind = 'x'\nreplace = 'x'\ntests = ['t']",
        "name = 'a'\nfile = 'f'\nfind = 'x'\nreplace = 'y'\ntests = []",
        "name = 'a'\nfile = 'f'\nfind = 'x'\nreplace = 'y'",
    ],
)
def test_a_mutant_that_tests_nothing_is_refused(table: str, tmp_path: Path) -> None:
    path = tmp_path / "mutants.toml"
    path.write_text(f"[[mutant]]\n{table}\n")
    with pytest.raises(mutants.BadMutant):
        mutants.declared_mutants(path)


def copy_of_source(work: Path) -> Path:
    source = work / "src"
    package = source / "groundwire"
    package.mkdir(parents=True)
    for name in ("__init__.py", "errors.py"):
        shutil.copy(CHECKOUT / "src" / "groundwire" / name, package / name)
    return source


def written_test(tmp_path: Path, text: str) -> str:
    path = tmp_path / "test_written.py"
    path.write_text(text)
    return str(path)


def test_the_copy_is_what_the_tests_import(tmp_path: Path) -> None:
    source = copy_of_source(tmp_path.resolve())
    (source / "groundwire" / "errors.py").write_text("WORD = 'broken'\n")
    test = written_test(
        tmp_path, "from groundwire import errors\ndef test_it(): assert errors.WORD == 'broken'\n"
    )
    code, output = mutants.run_tests([test], source, tmp_path.resolve())
    assert code == 0, output


def test_a_run_on_any_other_copy_gives_no_verdict(tmp_path: Path) -> None:
    source = (tmp_path / "empty").resolve()
    source.mkdir()
    test = written_test(tmp_path, "def test_it(): assert False\n")
    code, output = mutants.run_tests([test], source, tmp_path.resolve())
    assert code == mutants.ANOTHER_COPY
    assert "not the copy" in output

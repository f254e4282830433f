"""What a run has read of a file, and what it only says it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.session.guarding.ways import known
from groundwire.session.guarding.ways.known import Known, mark_of

TEXT = "first\n\n  second\n}\n}\nlast\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.txt"
    made.write_text(TEXT)
    return made


def shown(file: Path, *texts: object) -> bool:
    """Whether the file is known once reads of it gave these."""
    run = Known()
    for each in texts:
        run.read(mark_of(str(file)), str(file), each)
    return run.has(str(file), file.read_bytes())


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.strip(),
        TEXT.replace("\n", "\r\n"),
        "".join(f"{at:6}\t{line}\n" for at, line in enumerate(TEXT.splitlines(), 1)),
        f"<file>\n{TEXT}</file>",
    ],
)
def test_a_read_that_showed_every_line_is_of_the_whole_file(file: Path, text: str) -> None:
    assert shown(file, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It cannot be read.",
        "first\n  second\n}\n",
        "last\n}\n}\n  second\nfirst\n",
        "}\n" * 100,
    ],
)
def test_a_read_that_showed_a_part_or_nothing_is_of_no_file(file: Path, text: str) -> None:
    assert not shown(file, text)


def test_reads_of_parts_are_of_the_whole_file_together(file: Path) -> None:
    assert shown(file, "first\n\n  second\n[There is more.]\n", "}\n}\nlast\n")
    assert not shown(file, "first\n\n  second\n", "}\nlast\n")


def test_an_answer_that_is_no_text_is_believed(file: Path) -> None:
    assert shown(file, {"content": "first"})


def test_what_was_shown_of_a_file_that_changed_since_is_of_no_file(file: Path) -> None:
    run = Known()
    run.read(mark_of(str(file)), str(file), TEXT)
    file.write_text(TEXT + "more\n")
    assert not run.has(str(file), file.read_bytes())


def test_of_more_text_than_is_kept_its_length_is_known(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "_MOST_SHOWN", len(TEXT) + 5)
    run, other = Known(), tmp_path / "other.txt"
    other.write_text("another text, as long as the first, or longer\n")
    run.read(mark_of(str(file)), str(file), TEXT)
    run.read(mark_of(str(other)), str(other), "an")
    assert run.has(str(file), file.read_bytes())
    assert not run.has(str(other), other.read_bytes())
    run.read(mark_of(str(other)), str(other), "an" * 40)
    assert run.has(str(file), file.read_bytes())

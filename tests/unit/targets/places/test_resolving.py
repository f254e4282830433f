"""A path that has no link in it is looked up in fewer steps, to the same end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.errors import HostError
from groundwire.targets.places import resolving
from groundwire.targets.places.resolving import real_path, resolve


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_bytes(b"1\n")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "a/leads").symlink_to("b/file")
    (tmp_path / "a/nowhere").symlink_to("not-there")
    return tmp_path


@pytest.mark.parametrize(
    "path",
    ["", "a", "a/b/file", "a/b/none", "a/none/below/it", "a/b/file/below", "a/../a/b/./file"],
)
def test_where_no_link_stands_both_ways_come_to_the_same(tree: Path, path: str) -> None:
    asked = os.path.abspath(tree / path)
    short, long = resolving._without_links(asked), resolving._with_links(asked)
    assert short is not None
    assert (short[0], short[2]) == (long[0], long[2])
    assert short[1] == long[1]


def test_the_root_itself_has_nothing_above_it() -> None:
    assert resolving._without_links("/") == resolving._with_links("/")
    assert resolve(Path("/")).above == ()


@pytest.mark.parametrize("path", ["link/b/file", "link", "a/leads", "a/nowhere"])
def test_attack_a_link_anywhere_on_the_way_is_read(tree: Path, path: str) -> None:
    asked = os.path.abspath(tree / path)
    assert resolving._without_links(asked) is None
    assert os.path.realpath(asked) in resolve(tree / path).names


@pytest.mark.parametrize("path", ["//tmp", "relative", ""])
def test_what_is_spelled_otherwise_goes_the_long_way(path: str) -> None:
    assert resolving._without_links(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a/b/file",
        "a/b/none/x",
        "a/b/file/below",
        "link/b",
        "a/leads",
        "a/nowhere/x",
        "link/../a",
    ],
)
def test_a_real_path_is_that_of_the_system(tree: Path, path: str) -> None:
    asked = os.path.join(tree, path)
    assert real_path(asked) == real_path(Path(asked)) == os.path.realpath(asked)


def test_attack_a_link_before_two_dots_is_read(tree: Path) -> None:
    (tree / "up").symlink_to(tree / "a/b")
    assert real_path(f"{tree}/up/../x") == f"{tree}/a/x"


def test_a_name_that_cannot_be_looked_up_is_said(tree: Path) -> None:
    with pytest.raises(HostError) as refused:
        resolve(tree / ("x" * 300) / "y")
    assert refused.value.reason == "target-unreadable"

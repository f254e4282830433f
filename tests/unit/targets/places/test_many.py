"""Many names against many patterns at once: the same as one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groundwire.targets.places.patterns import covers, folded_path, is_covered

NAMES = st.sampled_from(["a", "b", ".env", "A", "a.pem", "x y", ".git", "git~1", "secrets"])
PARTS = st.sampled_from(["a", "*", "**", "?", ".env", "*.pem", "secrets", ".git"])
PATTERNS = st.builds(
    lambda start, parts: start + "/".join(parts),
    st.sampled_from(["", "/"]),
    st.lists(PARTS, min_size=1, max_size=4),
)


@given(st.lists(NAMES, min_size=1, max_size=5), st.lists(PATTERNS, max_size=3))
def test_one_look_says_what_a_look_for_each_pattern_says(
    names: list[str], patterns: list[str]
) -> None:
    folder, last = "/" + "/".join(names[:-1]), names[-1]
    path = "/" + "/".join(names)
    one_by_one = any(is_covered(path, pattern) for pattern in patterns)
    assert covers(patterns)(folded_path(folder), last) == one_by_one


@given(st.lists(NAMES, min_size=1, max_size=5), st.lists(NAMES, min_size=1, max_size=3))
def test_a_pattern_of_names_covers_where_they_stand_one_after_the_other(
    names: list[str], wanted: list[str]
) -> None:
    path, pattern = "/" + "/".join(names), "/".join(wanted)
    stands = folded_path(pattern) + "/" in folded_path(path) + "/"
    assert is_covered(path, pattern) == stands
    begins = (folded_path(path) + "/").startswith(folded_path(pattern) + "/")
    assert is_covered(path, "/" + pattern) == begins

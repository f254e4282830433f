from __future__ import annotations

import pytest

from groundwire.errors import EncodingError
from groundwire.targets.editing.patch_text import read_patch

SIMPLE = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@ def x\n a\n-b\n+c\n"


def reason_of(text: str) -> str:
    with pytest.raises(EncodingError) as refused:
        read_patch(text)
    return refused.value.reason


def test_a_diff_of_two_files_is_read_with_the_names_that_it_gives_them() -> None:
    first, second = read_patch("words before\n" + SIMPLE + SIMPLE.replace("x.py", "d/y.py"))
    assert (first.old, first.new, second.new) == ("x.py", "x.py", "d/y.py")
    assert first.hunks[0].old == (b"a\n", b"b\n")
    assert first.hunks[0].new == (b"a\n", b"c\n")


def test_time_stamps_behind_a_name_are_no_part_of_it() -> None:
    (file,) = read_patch(SIMPLE.replace("a/x.py", "x.py\t2026-01-01 00:00:00"))
    assert file.old == "x.py"


def test_what_git_says_of_making_deleting_renaming_and_permitting_is_read() -> None:
    made, gone, moved, mode, empty = read_patch(
        "diff --git a/n b/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/n\n"
        "@@ -0,0 +1 @@\n+x\n"
        "diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/p q b/r s\nsimilarity index 100%\nrename from p q\nrename to r s\n"
        "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
        "diff --git a/e b/e\nnew file mode 100644\nindex 0..0\n"
    )
    assert (made.old, made.new, made.mode) == (None, "n", 0o755)
    assert (gone.old, gone.new) == ("g", None)
    assert (moved.old, moved.new, moved.hunks) == ("p q", "r s", ())
    assert (mode.old, mode.new, mode.mode) == ("m", "m", 0o755)
    assert (empty.old, empty.new, empty.hunks) == (None, "e", ())


def test_a_name_in_quotes_is_read_as_git_writes_it() -> None:
    (file,) = read_patch(SIMPLE.replace("b/x.py", '"b/\\303\\244\\t\\".py"').replace("a/x.py", "ä"))
    assert file.new == 'ä\t".py'


def test_a_line_without_an_end_is_read_as_such() -> None:
    text = SIMPLE.replace("-b\n+c\n", "-b\n\\ No newline at end of file\n+c\n")
    assert read_patch(text)[0].hunks[0].old == (b"a\n", b"b")


def test_a_removed_line_that_looks_like_a_header_is_a_line() -> None:
    text = "--- a\n+++ b\n@@ -1,2 +1 @@\n--- x\n-y\n+++ z\n"
    (file,) = read_patch(text)
    assert file.hunks[0].old == (b"-- x\n", b"y\n")
    assert file.hunks[0].new == (b"++ z\n",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no patch",
        "--- a\n+++ b\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        SIMPLE.replace("-1,2", "-1,3"),
        SIMPLE.replace("-1,2", "-1,1"),
        SIMPLE.replace("+1,2", "+1,1"),
        SIMPLE.replace("@@ -1,2 +1,2 @@", "@@ 1,2 @@"),
        SIMPLE.replace("-b", "*b"),
        SIMPLE + "+more\n",
        SIMPLE + "--- more\n",
        "--- /dev/null\n+++ b\n@@ -1 +1 @@\n-a\n+b\n",
        "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/x b/x\n",
        "diff --git a/x b/y\nnew file mode 100644\n",
        "--- \ud800\n",
    ],
)
def test_a_patch_that_contradicts_itself_is_refused(text: str) -> None:
    assert reason_of(text) == "patch-malformed"


@pytest.mark.parametrize(
    "text",
    [
        "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n",
        "diff --git a/x b/x\nindex 0..1\nGIT binary patch\nliteral 1\n",
        "diff --git a/x b/y\ncopy from x\ncopy to y\n",
    ],
)
def test_links_binaries_and_copies_are_refused_by_name(text: str) -> None:
    assert reason_of(text) == "patch-unsupported"

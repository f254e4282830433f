"""Every link in the documentation leads to something that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import CHECKOUT, shown, text_of, tracked_files

LINK = re.compile(
    r"!?\[[^\]]*\]\(([^()\s]+(?:\([^)]*\))?)[^)]*\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE
)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
PAGES = [path for path in tracked_files() if path.suffix == ".md"]


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as the usual renderers make them."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text_of(path))):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        base = plain.strip().lower().replace(" ", "-")
        anchor, count = base, 0
        while anchor in found:
            count += 1
            anchor = f"{base}-{count}"
        found.add(anchor)
    return found


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_link_resolves(page: Path) -> None:
    broken = []
    for inline, reference in LINK.findall(FENCE.sub("", text_of(page))):
        link = inline or reference
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue  # another site's: no network here
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        if not path.exists() or not path.is_relative_to(CHECKOUT):
            broken.append(link)
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            broken.append(f"{link} (no such heading)")
    assert broken == []


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    index = CHECKOUT / "docs" / "README.md"
    listed = {
        (index.parent / link.partition("#")[0]).resolve()
        for pair in LINK.findall(text_of(index))
        for link in pair
        if link
    }
    pages = {page for page in PAGES if CHECKOUT / "docs" in page.parents and page != index}
    assert {shown(page) for page in pages - listed} == set()

"""What the documents for reviewers name is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_promise_of_the_threat_model_names_tests_that_exist() -> None:
    text = (ROOT / "docs/threat-model.md").read_text("utf-8")
    named = re.findall(r"`((?:tests|benchmarks)/[\w/.]+)`", text)
    assert len(named) > 10
    assert not [name for name in named if not (ROOT / name).exists()]


def test_documents_link_to_files_that_exist() -> None:
    broken = [
        f"{page.name}: {link}"
        for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / link).exists()
    ]
    assert not broken


def test_every_picture_is_shown_by_a_document() -> None:
    """What nobody sees is not made anew when the window changes."""
    text = "".join(page.read_text("utf-8") for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    pictures = ROOT / "docs/images"
    shown = [path.relative_to(pictures) for path in pictures.rglob("*.*")]
    assert not [path for path in shown if f"images/{path.as_posix()})" not in text]

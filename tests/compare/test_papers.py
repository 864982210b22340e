"""The papers' document is written by one seeded command; here it runs small."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.__main__ import main
from benchmarks.papers.claims import CLAIMS
from tests.optional import DATA, real


def test_the_document_is_written_whole_and_names_what_is_not_true(tmp_path: Path) -> None:
    real("census_workers.csv.gz")
    sizes = ["--records", "700", "--questions", "60", "--draws", "2", "--data", str(DATA)]
    found = main(["--document", str(tmp_path / "papers.md"), *sizes])
    text = (tmp_path / "papers.md").read_text("utf-8")
    assert len(found) == len(CLAIMS)
    assert text.count("\n| ") > len(CLAIMS) + 40
    by_place = {each.claim.place: each.verdict for each in found}
    # What follows from laws alone, whatever the table.
    assert "not" in by_place["Journal, Theorem 3, Lemma 1, Fig. 4 (arXiv Lemma 4)"]
    assert "not" in by_place["arXiv, Example 1"]
    assert by_place["Journal, Example 2"] == "holds"
    assert "not" in by_place["Clifton and others, Theorem 2"]
    assert "Theorem 4 and Lemma 3" in text

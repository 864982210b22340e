"""The papers' document is written by one seeded command; here it runs small."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np

from benchmarks.papers.__main__ import main
from benchmarks.papers.answers import exchangeable
from benchmarks.papers.claims import CLAIMS
from splu_desktop.compare.systems.splu import Splu
from splu_desktop.core.progress import SILENT
from splu_desktop.report.content.annex import WORDS
from tests.compare.tables import small_source
from tests.optional import DATA, ROOT, real


def test_the_document_is_written_whole_and_names_what_is_not_true(tmp_path: Path) -> None:
    real("census_workers.csv.gz")
    sizes = ["--records", "600", "--questions", "60", "--draws", "2", "--data", str(DATA)]
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
    not_true = text[text.index("## What is not true") : text.index("## Claims")]
    assert f"of the cells of 1 to 3 records the share {found[1].range}\n  is wrong less often" in not_true
    for word in ("zero-differential", "de Finetti", "minimality", "foreground", "corruption", "Cormode"):
        assert word in text[text.index("## The attacks") :]


def test_exchanging_the_values_of_two_who_show_the_same_leaves_the_release_as_likely() -> None:
    source = small_source(60)
    number = exchangeable(source, 3, np.random.default_rng(2))
    outcome, own = Splu(3).publish(source, np.random.default_rng(2), SILENT), source.sensitive.codes
    shown = outcome.drawn_values
    matrix = np.eye(source.m) / 3 + np.tile(source.shares, (source.m, 1)) * 2 / 3
    for one in range(source.n):
        as_likely = [
            np.isclose(
                matrix[own[one], shown[one]] * matrix[own[other], shown[other]],
                matrix[own[other], shown[one]] * matrix[own[one], shown[other]],
                rtol=1e-12,
                atol=0,
            )
            for other in np.flatnonzero((own != own[one]) & (shown == shown[one]))
        ]
        assert all(as_likely)
        assert len(as_likely) == number[one]


def test_threat_model_guide_and_report_say_the_figures_of_the_document() -> None:
    text = (ROOT / "docs/papers.md").read_text("utf-8")
    (row,) = [line.split(" | ") for line in text.splitlines() if line.startswith("| This plan |")]
    classifier, together, all_others = (cell.strip(" |") for cell in row[3:])
    (guess,) = re.findall(r"Guessing is right in (\d+)%", text)
    (anatomy,) = re.findall(r"\*\*de Finetti\*\*.*?right in ([^;]*);", text, re.DOTALL)
    (uncut,) = re.findall(r"\*\*minimality\*\*.*?: in (\d+)%", text, re.DOTALL)
    model = (ROOT / "docs/threat-model.md").read_text("utf-8")
    words = (f"right in {guess} %", f"right in {classifier}", f"right in {together}", f"right in {all_others} (Anatomy")
    for said in (*words, f"20 %: {anatomy}", f"{uncut} % of the larger classes"):
        assert said in model
    short = [each.split(" ")[0] for each in (classifier, together, all_others, anatomy)]
    found = {
        "en": "{g} of 100 persons|{0} of 100|together: {1}|known: {2}|{3} of 100 persons|{u} of 100 larger",
        "de": "{g} von 100 Personen|{0} von 100|zusammen: {1}|bekannt: {2}|{3} von 100 Personen|{u} von 100 größeren",
        "fr": "{g} personnes sur 100|{0} sur 100|ensemble : {1}|connues : {2}|{3} personnes sur 100|{u} grandes",
    }
    for code, all_said in found.items():
        guide = " ".join((ROOT / f"resources/help/guide.{code}.md").read_text("utf-8").split())
        for said in all_said.format(*short, g=guess, u=uncut).split("|"):
            assert said in guide, (code, said)
    annex = " ".join(map(str, itertools.chain(*WORDS)))
    for said in ("{0}, {1}, {2} of 100", "Anatomy {3}, l-diversity {u} of 100"):
        assert said.format(*short, u=uncut) in annex

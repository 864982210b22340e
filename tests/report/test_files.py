"""Files of a report: whole or not at all, for their owner alone where they hold true counts, held to the release."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from openpyxl import load_workbook

from splu_desktop.core.errors import BadSetting
from splu_desktop.files.disk.whole_files import CannotWrite
from splu_desktop.files.language import language
from splu_desktop.report.facts import ColumnFact
from splu_desktop.report.law import CODES, packs, safe_harbor
from splu_desktop.report.limit_facts import READ
from splu_desktop.report.make import ENDINGS, check_target, write_report
from splu_desktop.report.verify import BadReport, verify_report
from tests.report.conftest import Case


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_internal_edition_is_its_owners_alone(cases: dict[str, Case], tmp_path: Path, ending: str) -> None:
    for internal in (True, False):
        path = tmp_path / f"{internal}{ending}"
        write_report(cases["kept"].report(internal=internal), path)
        assert (path.stat().st_mode & 0o077 == 0) is internal
    assert len(list(tmp_path.iterdir())) == 2


def test_other_endings_and_lost_folders_are_refused(cases: dict[str, Case], tmp_path: Path) -> None:
    with pytest.raises(CannotWrite):
        check_target(tmp_path / "report.docx")
    with pytest.raises(CannotWrite):
        write_report(cases["kept"].report(internal=False), tmp_path / "no" / "report.json")
    assert not list(tmp_path.iterdir())


def test_html_needs_nothing_and_runs_nothing(cases: dict[str, Case], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(cases["missed"].report(internal=True), path)
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert '<p class="missed">' in text


def test_the_workbook_has_every_number(cases: dict[str, Case], tmp_path: Path) -> None:
    report = cases["kept"].report(internal=True)
    path = tmp_path / "report.xlsx"
    write_report(report, path)
    sheets = load_workbook(path).worksheets
    for each in sheets:  # a page wide, the header on each page
        assert (each.page_setup.orientation, each.page_setup.fitToHeight) == ("landscape", 0)
        assert (each.sheet_properties.pageSetUpPr.fitToPage, each.print_title_rows) == (True, "$1:$1")
    sheet = next(each for each in sheets if each["B1"].value == "true")
    true = sorted(row[1] for row in sheet.iter_rows(min_row=2, values_only=True))
    assert true == sorted(cell.true for cell in report.facts.tables[0].cells)


def test_an_altered_figure_is_found(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_report(case.report(internal=False), path)
    assert verify_report(path, case.opened.path) == []
    data = json.loads(path.read_text(encoding="utf-8"))
    data["release"]["secrets"][0]["with_release"] *= 0.9
    data["verdict"]["lines"][1]["value"] -= 0.01
    path.write_text(json.dumps(data), encoding="utf-8")
    found = verify_report(path, case.opened.path)
    assert "certainty value" in found[0]
    assert "with_release" in found[1]
    assert all("sentence" in each for each in found[2:]), "where the value stands first"


def test_no_word_on_the_release_can_be_altered(case: Case, tmp_path: Path) -> None:
    """Whose digest it is, for whom it was made, and how many numbers can be read: the pages print all of them."""
    path = tmp_path / "report.json"
    write_report(case.report(internal=False), path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["custodian"] |= {"digest": "0" * 64, "fingerprint": "torop jovol", "printed": 1, "most_rows": 99}
    data["custodian"]["audience"]["recipient"] = "somebody else"
    data["verdict"]["answered"]["cells"] += 1
    (useful,) = (each for each in data["verdict"]["lines"] if each["name"] == READ)
    useful["value"] = 0.123
    path.write_text(json.dumps(data), encoding="utf-8")
    places = [re.search("“(.*?)”", found).group(1) for found in verify_report(path, case.opened.path)]  # type: ignore[union-attr]
    assert places == [
        "answered.cells", "audience.recipient", "digest", "fingerprint", "most_rows", "printed", "too-blurred value"
    ]  # fmt: skip
    spoiled_lines = [{"custodian": None}, {"verdict": [1]}, {"verdict": {"lines": 7}}, {"verdict": {"lines": [{}]}}]
    for spoiled in spoiled_lines:
        path.write_text(json.dumps(data | spoiled), encoding="utf-8")
        assert verify_report(path, case.opened.path)


def test_a_limit_that_is_not_met_can_not_be_made_one_that_is(cases: dict[str, Case], tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    for case in cases.values():
        write_report(case.report(internal=False), path)
        data = json.loads(path.read_text(encoding="utf-8"))
        data["verdict"] |= {"code": "useful", "sentence": "All limits are met."}
        path.write_text(json.dumps(data), encoding="utf-8")
        assert any("“sentence”" in each for each in verify_report(path, case.opened.path))
        for line in data["verdict"]["lines"]:
            line["met"] = not line["met"]
        path.write_text(json.dumps(data), encoding="utf-8")
        differences = verify_report(path, case.opened.path)
        assert any("“small-counts met”" in each for each in differences)
        # The register alone knows of cells left empty, so a report may own what its release does not show.
        assert not any("“persons-alike met”" in each for each in differences)
        path.unlink()


def test_a_report_of_another_version_is_told_so_where_figures_differ(cases: dict[str, Case], tmp_path: Path) -> None:
    case, path = cases["kept"], tmp_path / "report.json"
    write_report(case.report(internal=False), path)
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(data | {"made_with": "0.2.9"}), encoding="utf-8")
    assert verify_report(path, case.opened.path) == [], "all figures are the same, whoever worked them out"
    data["release"]["secrets"][0]["with_release"] *= 0.9
    for other in ({"made_with": "0.2.9"}, {"made_with": None}):
        path.write_text(json.dumps(data | other), encoding="utf-8")
        with pytest.raises(BadReport, match="made by another version"):
            verify_report(path, case.opened.path)


def test_only_a_recipients_report_is_held_against_a_release(cases: dict[str, Case], tmp_path: Path) -> None:
    case, path = cases["kept"], tmp_path / "report.json"
    write_report(case.report(internal=True), path)
    with pytest.raises(BadReport):
        verify_report(path, case.opened.path)
    for other in ("{}", "[1]", '"splu-report"', "7"):
        path.write_text(other, encoding="utf-8")
        with pytest.raises(BadReport, match="can't be read as a report"):
            verify_report(path, case.opened.path)


def test_each_law_speaks_each_language_and_asks_known_fields() -> None:
    for pack in packs(",".join(CODES)):
        for texts in (pack.title, pack.source, *(each for d in pack.demands for each in (d.place, d.asks, d.answer))):
            assert set(texts) == {"en", "de", "fr"}
        assert {each.field for each in pack.demands} <= {"", "basis", "contract", "review", "reviewer"}
    assert packs("none") == ()
    assert packs("")[0].code == "gdpr"
    with pytest.raises(BadSetting):
        packs("gdpr,unknown")


def test_safe_harbor_names_the_columns_to_look_at() -> None:
    columns = [
        ColumnFact("zip", "nsa", "category", 9, (), (), "place"),
        ColumnFact("admitted", "nsa", "date", 9, (), (), "date", "day"),
        ColumnFact("name", "identifier", "free text", None, (), (), "person"),
    ]
    found = [answer for _, _, answer in safe_harbor(columns, language("en"))]
    assert "zip" in found[1]
    assert "admitted" in found[2]
    assert "name" not in found[0]

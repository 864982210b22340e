"""The external edition holds nothing that only the source knows."""

from __future__ import annotations

import ast
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from splu_desktop.files.language import LANGUAGES
from splu_desktop.files.release.folder import read_release
from splu_desktop.report import public as public_module
from splu_desktop.report.make import ENDINGS, make_report, write_report
from splu_desktop.report.model import Report
from tests.report.conftest import FIELDS, RARE, Case
from tests.report.pdf import READERS, Reader, pages, wrongly_referred


def texts(path: Path) -> str:
    """Everything that a file says, unpacked."""
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as archive:
            return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
    if path.suffix == ".pdf":
        return "\f".join(pages(path))
    return path.read_text("utf-8")


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_external_edition_is_clean(case: Case, ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"report{ending}"
    write_report(case.external, target)
    said = texts(target)
    assert case.internal.original is not None
    source = case.internal.original.source
    secrets = [RARE, "Zzz-Syndrom", case.source.name, "geheim", source.sha256, "patient no", "P000001", "Approved by"]
    for secret in secrets:
        assert secret not in said, f"“{secret}” is known from the source alone"
    assert "EXTERNAL EDITION" in said or ending == ".json"


def test_the_internal_edition_has_what_the_external_lacks(case: Case, tmp_path: Path) -> None:
    write_report(case.internal, tmp_path / "report.html")
    said = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert RARE in json.dumps(case.internal.as_dict(), ensure_ascii=False), "values stand in the workbook and the JSON"
    for text in (case.source.name, "patient no", "Approved by the board", "INTERNAL EDITION"):
        assert text in said
    assert "EXTERNAL" not in said


def test_the_external_edition_needs_the_release_alone(case: Case, tmp_path: Path) -> None:
    """Somebody with a copy of the release, no source and no register gets the same report."""
    copied = tmp_path / case.release.name
    shutil.copytree(case.release, copied)
    cover = case.external.public.cover
    again = make_report(read_release(copied), FIELDS, created=cover.created)
    assert again.as_dict() == case.external.as_dict()


def test_both_editions_share_their_public_part(case: Case) -> None:
    ours, theirs = case.internal.as_dict()["public"], case.external.as_dict()["public"]
    for data in (ours, theirs):
        data["cover"].pop("created")
    # The register tells the hospital alone of the case's other releases, of which there are as many as it took, and of
    # what the gate warned of.
    reasons = ours["cover"]["verdict"]["reasons"]
    assert ("released-again" in reasons) == (case.release.name != "release0")
    assert case.internal.original is not None
    lines = {each.name for each in case.internal.original.acknowledged or ()}
    assert ("warned" in reasons) == bool({"identifiers", "sensitive", "giveaway"} & lines)
    ours["cover"]["verdict"]["reasons"] = [each for each in reasons if each not in ("released-again", "warned")]
    assert ours == theirs
    assert case.external.as_dict().get("original") is None


def test_the_public_part_can_not_see_a_source() -> None:
    """The module that makes it imports neither reader, plan of roles, register nor the internal part."""
    tree = ast.parse(Path(public_module.__file__).read_text(encoding="utf-8"))
    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    }
    forbidden = (
        "importer",
        "register",
        "earlier",
        "fingerprint",
        "publishing",
        "original",
        "history",
        "sanitise",
        "Plan",
    )
    assert not [name for name in imported for word in forbidden if word in str(name).split(".")]


@pytest.mark.parametrize("read", READERS)
def test_every_page_is_marked_with_its_edition(case: Case, read: Reader, tmp_path: Path) -> None:
    for report, mark in ((case.external, "EXTERNAL EDITION"), (case.internal, "INTERNAL EDITION")):
        write_report(report, tmp_path / "report.pdf")
        found = read(tmp_path / "report.pdf")
        assert len(found) > 5
        for number, page in enumerate(found, 1):
            assert mark in page, f"page {number}"
            assert f"Page {number} of {len(found)}" in page
            assert ("INTERNAL" in page) == (mark[0] == "I")


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_front_names_the_pages_that_answer(case: Case, code: str, tmp_path: Path) -> None:
    """As the PDF itself reads: each of the 14 questions in both editions."""
    for report in (case.external, case.internal):
        write_report(report, tmp_path / "report.pdf", language=code)
        assert not wrongly_referred(pages(tmp_path / "report.pdf"), code)


def test_a_report_says_which_edition_it_is(case: Case) -> None:
    assert case.external.edition == "external"
    assert json.loads(json.dumps(case.internal.as_dict()))["edition"] == "internal"
    assert Report(case.internal.public).edition == "external", "without its second part it is the external edition"

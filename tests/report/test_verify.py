"""`splu verify REPORT.json RELEASE` names every change, of a single bit or of a figure resealed."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.report.content import document
from splu_desktop.report.document import Paragraph
from splu_desktop.report.make import write_report
from splu_desktop.report.render.json_report import BadReport
from splu_desktop.report.verify import Verification, verify_report
from tests.report.conftest import Case


@pytest.fixture
def pair(case: Case, tmp_path: Path) -> tuple[Path, Path]:
    report, release = tmp_path / "report.json", tmp_path / "release"
    write_report(case.internal, report)
    shutil.copytree(case.release, release)
    return report, release


def flip(path: Path, place: int, bit: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[place] ^= 1 << bit
    path.write_bytes(raw)


def check(report: Path, release: Path) -> Verification | BadReport:
    try:
        return verify_report(report, release)
    except BadReport as fault:
        return fault


def test_a_sound_pair_agrees(pair: tuple[Path, Path]) -> None:
    found = verify_report(*pair)
    assert found.differences == ()
    assert found.files == 11
    assert found.compared > 500


@pytest.mark.parametrize("name", ["table.csv", "release.json", "README.txt", "dictionary.csv"])
def test_a_bit_of_any_file_is_named(pair: tuple[Path, Path], name: str) -> None:
    report, release = pair
    path = release / name
    whole = path.read_bytes()
    rng = np.random.default_rng(len(whole))
    for place in [0, len(whole) - 1, *rng.integers(0, len(whole), 6).tolist()]:
        flip(path, int(place), int(rng.integers(0, 8)))
        found = check(report, release)
        assert isinstance(found, Verification)
        assert name in {each.where for each in found.differences}
        path.write_bytes(whole)


def test_a_bit_of_the_report_is_named(pair: tuple[Path, Path]) -> None:
    report, release = pair
    whole = report.read_bytes()
    rng = np.random.default_rng(3)
    digest = whole.rfind(b'"digest": "') + 12
    for place in [0, 1, len(whole) - 1, digest, digest + 40, *rng.integers(0, len(whole), 12).tolist()]:
        flip(report, int(place), int(rng.integers(0, 8)))
        found = check(report, release)
        if isinstance(found, Verification):
            assert "report" in {each.where for each in found.differences}, place
        else:
            assert "altered or damaged" in str(found) or "not a report" in str(found)
        report.write_bytes(whole)


def reseal(path: Path, data: dict[str, Any]) -> None:
    """Write a report whose digest holds, as somebody would who means to deceive."""
    text = json.dumps({**data, "digest": "0" * 64}, ensure_ascii=False, indent=1) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(text.replace("0" * 64, digest), encoding="utf-8")


FORGERIES = {
    "public.guarantees[0].t_p": lambda p, o: p["guarantees"][0].update(t_p=0.99),
    "public.guarantees[0].t_f": lambda p, o: p["guarantees"][0].update(t_f=p["guarantees"][0]["t_f"] + 1),
    "public.guarantees[0].gamma": lambda p, o: p["guarantees"][0].update(gamma=6),
    "public.risk.recognisable.below.2": lambda p, o: p["risk"]["recognisable"]["below"].update({"2": 0}),
    "public.risk.disclosure[0].informed.a_acc": lambda p, o: p["risk"]["disclosure"][0]["informed"].update(a_acc=0.0),
    "public.cover.verdict.code": lambda p, o: p["cover"]["verdict"].update(code="sound"),
    "public.files[0].sha256": lambda p, o: p["files"][0].update(sha256="0" * 63 + "1"),
    "public.checks[0].passed": lambda p, o: p["checks"][0].update(passed=False),
    "public.columns[0].distinct": lambda p, o: p["columns"][0].update(distinct=1),
    "public.guarantees[0].values[0].published": lambda p, o: p["guarantees"][0]["values"][0].update(published=1),
    "original.marginals[0].values[0].published": lambda p, o: o["marginals"][0]["values"][0].update(published=1),
    "original.marginals[0].values[0].told": lambda p, o: o["marginals"][0]["values"][0].update(told=1),
    "public.release.records (missing)": lambda p, o: p["release"].pop("records"),
}


@pytest.mark.parametrize("where", FORGERIES)
def test_a_forged_figure_is_named_though_the_digest_holds(pair: tuple[Path, Path], where: str) -> None:
    report, release = pair
    data = json.loads(report.read_text(encoding="utf-8"))
    data.pop("digest")
    FORGERIES[where](data["public"], data["original"])
    reseal(report, data)
    found = verify_report(report, release)
    named = {each.where for each in found.differences}
    assert where.removesuffix(" (missing)") in named
    assert "report" not in named


def test_the_page_to_be_signed_states_the_digest_that_verify_prints(
    case: Case, pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the format and the moment: a report written later of the same figures has the same digest."""
    assert main(["verify", *map(str, pair), "--json"]) == 0
    digest = json.loads(capsys.readouterr().out)["digest"]
    assert digest == case.internal.digest() != case.external.digest()
    public = case.internal.public
    later = replace(case.internal, public=replace(public, cover=replace(public.cover, created="2030-01-01T00:00:00Z")))
    assert later.digest() == digest
    other = replace(public.cover, fields=replace(public.cover.fields, recipient="somebody else"))
    assert replace(case.internal, public=replace(public, cover=other)).digest() != digest
    for report in (case.internal, case.external):
        said = [block.text for block in document(report, "de").blocks if isinstance(block, Paragraph)]
        assert any(report.digest() in text for text in said)


def test_another_release_of_the_same_source_is_not_the_one(case: Case, tmp_path: Path) -> None:
    report, other = tmp_path / "report.json", tmp_path / "other"
    write_report(case.external, report)
    assert main(["publish", str(case.source), "--sa", "illness:4", "--out", str(other)]) == 0
    named = {each.where for each in verify_report(report, other).differences}
    assert {"table.csv", "release.json", "public.release.id", "public.guarantees[0].gamma"} <= named


def test_missing_and_added_files_are_named(pair: tuple[Path, Path]) -> None:
    report, release = pair
    (release / "README.txt").unlink()
    (release / "extra.txt").write_text("x", encoding="utf-8")
    sentences = " ".join(each.sentence for each in verify_report(report, release).differences)
    assert "lacks its file “README.txt”" in sentences
    assert "holds a file “extra.txt”" in sentences


def test_the_command_says_so_and_fails(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    report, release = pair
    assert main(["verify", str(report), str(release)]) == 0
    assert "are the release's" in capsys.readouterr().out
    flip(release / "table.csv", 2_000, 0)
    assert main(["verify", str(report), str(release), "--json"]) == 2
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert not told["sound"]
    assert "table.csv" in {each["where"] for each in told["differences"]}
    assert err.count("\n") == 1


def test_what_was_never_a_report_is_not_called_an_altered_one(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(case.release / "release.json"), str(case.release)]) == 2
    assert "is not a report of this program" in capsys.readouterr().err
    assert main(["verify", str(case.release), str(case.release / "release.json")]) == 2
    assert "name the report first" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": "other"}', b"\xff\xfe", b"[" * 5_000])
def test_what_is_no_report_gets_a_sentence(
    content: bytes, case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    assert main(["verify", str(path), str(case.release)]) == 2
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert "Traceback" not in out + err


def test_a_report_of_another_format_is_named_as_such(
    case: Case, pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    report, release = pair
    report.write_text(report.read_text("utf-8").replace('"version": 4', '"version": 1', 1), "utf-8")
    assert main(["verify", str(report), str(release)]) == 2
    out, err = capsys.readouterr()
    assert "has report format 1, and this program" in err
    assert err.count("\n") == 1
    assert not out

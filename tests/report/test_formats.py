"""PDF, HTML, XLSX and JSON of one model: complete, self-contained, whole or not at all."""

from __future__ import annotations

import html.parser
import json
import re
from pathlib import Path

import openpyxl
import pytest

from splu_desktop.cli import main
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import Cancelled, Watched
from splu_desktop.files.disk.resources import resource_path
from splu_desktop.report import make
from splu_desktop.report.content import document
from splu_desktop.report.document import Heading, Number, TableBlock
from splu_desktop.report.make import ENDINGS, make_report, write_report
from splu_desktop.report.original import Background, NotItsSource
from splu_desktop.report.render.schema import problems, schema_text
from tests.report.conftest import FIELDS, Case
from tests.report.pdf import READERS, Reader

SECTIONS = 13  # two in front, and those of the annex but for alternatives, which were not compared


@pytest.mark.parametrize(("paper", "language"), [("A4", "en"), ("Letter", "de"), ("A4", "fr")])
def test_a_pdf_is_tagged_bookmarked_and_embeds_its_fonts(case: Case, paper: str, language: str, tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    write_report(case.internal, target, language=language, paper=paper)
    raw = target.read_bytes()
    assert raw.startswith(b"%PDF-1.7")
    assert b"/Marked true" in raw
    assert b"/StructTreeRoot" in raw
    for kind in (b"/S /H1", b"/S /H2", b"/S /P", b"/S /Table", b"/S /TR", b"/S /TH", b"/S /TD", b"/S /Figure"):
        assert kind in raw, kind
    assert raw.count(b"/FontFile2") >= 2
    assert b"/BaseFont /Helvetica" not in raw
    chapters = [b for b in document(case.internal, language).blocks if isinstance(b, Heading)]
    assert raw.count(b"/Dest ") + raw.count(b"/Dest[") >= len(chapters)
    assert f"/Lang ({language})".encode() in raw
    assert b"/Subtype /Image" not in raw, "figures are vectors"
    size = {"A4": "595.28 841.89", "Letter": "612.00 792.00"}[paper]
    assert size.encode() in raw


@pytest.mark.parametrize("read", READERS)
def test_the_pdf_says_what_the_document_says(case: Case, read: Reader, tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    write_report(case.internal, target)
    said = "".join("".join(read(target)).split())
    made = document(case.internal, "en")
    for block in made.blocks:
        if isinstance(block, Heading):
            assert "".join(block.text.split()) in said
        if isinstance(block, TableBlock):
            for row in block.shown:
                for cell in row:
                    if isinstance(cell, Number):
                        assert "".join(cell.text.split()) in said


class _Reader(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_html_is_one_file_without_scripts_or_links_out(case: Case, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    write_report(case.internal, target, language="fr")
    reader = _Reader()
    reader.feed(target.read_text(encoding="utf-8"))
    names = [tag for tag, _ in reader.tags]
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(names)
    for _, attributes in reader.tags:
        for name, value in attributes.items():
            assert name not in ("src", "onload", "onclick")
            if name == "href":
                assert value is not None
                assert value[1:] in {attributes.get("id") for _, attributes in reader.tags}
    assert names.count("h2") == SECTIONS
    assert names.count("svg") >= 4
    said = "".join("".join(reader.text).split())
    for block in document(case.internal, "fr").blocks:
        if isinstance(block, TableBlock):
            for row in block.shown:
                for cell in row:
                    if isinstance(cell, Number):
                        assert "".join(cell.text.split()) in said


def test_values_are_escaped_in_html(case: Case, tmp_path: Path) -> None:
    from dataclasses import replace

    nasty = replace(FIELDS, title="<script>alert(1)</script>", remarks='"><img src=x onerror=1>')
    target = tmp_path / "report.html"
    write_report(make_report(case.opened, nasty), target)
    text = target.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<img" not in text


def test_xlsx_has_every_table_with_real_numbers(case: Case, tmp_path: Path) -> None:
    target = tmp_path / "report.xlsx"
    write_report(case.internal, target)
    book = openpyxl.load_workbook(target)
    tables = [block for block in document(case.internal, "en").blocks if isinstance(block, TableBlock)]
    assert len(book.sheetnames) == len(tables)
    for sheet, table in zip(book.worksheets, tables, strict=True):
        rows = list(sheet.iter_rows(values_only=True))
        assert "INTERNAL EDITION" in str(rows[0][-1])
        assert len(rows) == len(table.rows) + 1
        for row, wanted in zip(rows[1:], table.rows, strict=True):
            for value, cell in zip(row, wanted, strict=False):
                if isinstance(cell, Number) and cell.value is not None:
                    assert value == pytest.approx(cell.value)
        assert all(cell.data_type != "f" for line in sheet.iter_rows() for cell in line), "no formula"
        assert sheet.freeze_panes == "A2"


def test_json_is_the_model_and_follows_the_shipped_schema(case: Case, tmp_path: Path) -> None:
    assert resource_path("report/report.schema.json").read_text(encoding="utf-8") == schema_text(), (
        "run python -m splu_desktop.report.render.schema > resources/report/report.schema.json"
    )
    for report in (case.internal, case.external):
        target = tmp_path / "report.json"
        write_report(report, target)
        data = json.loads(target.read_text(encoding="utf-8"))
        assert list(problems(data)) == []
        assert re.fullmatch("[0-9a-f]{64}", data.pop("digest"))
        assert data == report.as_dict()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d.pop("public"), "public"),
        (lambda d: d["public"]["release"].update(records="many"), "public.release.records"),
        (lambda d: d["public"]["release"].update(extra=1), "public.release.extra"),
        (lambda d: d["public"]["guarantees"][0]["repeated"][1].pop("t_p"), "public.guarantees[0].repeated[1].t_p"),
        (lambda d: d.update(edition="secret"), "edition"),
        (lambda d: d["public"]["risk"]["recognisable"]["causes"][0].append(1), "public.risk.recognisable.causes[0]"),
    ],
)
def test_the_schema_names_what_does_not_fit(case: Case, change: object, place: str) -> None:
    data = json.loads(json.dumps({**case.external.as_dict(), "digest": "0" * 64}))
    change(data)  # type: ignore[operator]
    assert place in [where for where, _ in problems(data)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_report_can_be_cancelled_at_any_stage(case: Case, ending: str, tmp_path: Path) -> None:
    def run(progress: Watched) -> None:
        behind = Background(case.imported)
        report = make_report(case.opened, FIELDS, behind, progress=progress)
        write_report(report, tmp_path / f"report{ending}", progress=progress)

    stages: list[str] = []
    run(Watched(lambda stage, _: stages.append(stage)))
    (tmp_path / f"report{ending}").unlink()
    places = sorted({stages.index(stage) for stage in stages})
    for stop in places:
        seen: list[str] = []
        watched = Watched(lambda stage, _: seen.append(stage), lambda stop=stop: len(seen) > stop)  # noqa: B023
        with pytest.raises(Cancelled):
            run(watched)
        assert list(tmp_path.iterdir()) == [], "nothing is left behind"


REFUSED = [
    (["--out", "report.docx"], "must end in .pdf"),
    (["--out", "r.pdf", "--internal"], "--internal and --source"),
    (["--out", "r.pdf", "--language", "xx"], "does not speak"),
    (["--out", "r.pdf", "--paper", "A5"], "no paper “A5”"),
    (["--out", "nowhere/r.pdf"], "does not exist"),
    (["--out", "r.pdf", "--title", "x" * 5_000], "4,000 characters"),
]


@pytest.mark.parametrize(("options", "sentence"), REFUSED)
def test_refusals_write_nothing(
    case: Case,
    options: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(case.release), *options]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert sentence in err
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_both_editions_and_never_over_a_file(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.json"
    assert main(["report", str(case.release), "--out", str(target), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["edition"] == "external"
    assert main(["report", str(case.release), "--out", str(target)]) == 2
    assert "exists already" in capsys.readouterr().err
    command = ["report", str(case.release), "--internal", "--source", str(case.source), "--overwrite"]
    assert main([*command, "--out", str(target)]) == 0
    assert json.loads(target.read_text(encoding="utf-8"))["edition"] == "internal"


def test_another_source_is_refused_before_anything_is_measured(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing recipe was told after two minutes of attacks."""
    from splu_desktop.files.importer import read

    monkeypatch.setattr(make, "carried_out", lambda *_: pytest.fail("attacked first"))

    lines = case.source.read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "short.csv").write_text("".join(lines[:-5]), encoding="utf-8")
    with pytest.raises(NotItsSource, match="2,995 records where the release has 3,000"):
        make_report(case.opened, None, Background(read(tmp_path / "short.csv")))
    (tmp_path / "other.csv").write_text("age,ward\n1,2\n", encoding="utf-8")
    with pytest.raises(BadSetting, match="has no column"):
        make_report(case.opened, None, Background(read(tmp_path / "other.csv")))


def test_an_encrypted_zip_with_generalised_columns_is_reported_and_verified(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    password = tmp_path / "password"
    password.write_text("correct horse battery staple\n", encoding="utf-8")
    archive, report = tmp_path / "release.zip", tmp_path / "report.json"
    key = ["--password-file", str(password)]
    options = ["--sa", "illness:5", "--generalise", "age:width=20", "--zip", *key]
    assert main(["publish", str(case.source), *options, "--out", str(archive)]) == 0
    # The register remembers the plan, so the source can be generalised again and compared.
    command = ["report", str(archive), "--internal", "--source", str(case.source), *key]
    assert main([*command, "--out", str(report)]) == 0
    data = json.loads(report.read_text(encoding="utf-8"))
    age = next(column for column in data["original"]["columns"] if column["name"] == "age")
    assert age["generalised"], "the internal edition says how"
    assert all(check["passed"] for check in data["original"]["checks"])
    assert main(["verify", str(report), str(archive), *key]) == 0
    capsys.readouterr()
    assert main(["report", str(archive), "--out", str(tmp_path / "r.pdf")]) == 2
    assert "password" in capsys.readouterr().err
    assert not (tmp_path / "r.pdf").exists()


def test_a_column_with_a_tolerance_per_value_is_reported(case: Case, tmp_path: Path) -> None:
    folder, report = tmp_path / "release", tmp_path / "report.json"
    options = ["--sa", "smoker", "--tolerance", "smoker:yes=0.6", "--drop", "illness"]
    assert main(["publish", str(case.source), *options, "--out", str(folder)]) == 0
    command = ["report", str(folder), "--internal", "--source", str(case.source)]
    for target in (report, tmp_path / "report.pdf", tmp_path / "report.xlsx", tmp_path / "report.html"):
        assert main([*command, "--language", "de", "--out", str(target)]) == 0
    data = json.loads(report.read_text(encoding="utf-8"))
    assert list(problems(data)) == []
    (found,) = data["public"]["guarantees"]
    assert {row["value"]: row["tolerance"] for row in found["values"]} == {"yes": 0.6, "no": 1.0}
    assert main(["verify", str(report), str(folder)]) == 0
    said = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Als nicht sensibel behandelt die Ziehung" in said


def test_rows_left_out_are_counted_and_their_problems_told_in_the_readers_language(tmp_path: Path) -> None:
    source, release = tmp_path / "rows.csv", tmp_path / "release"
    lines = [f"{i % 7},{'abcdefg'[i % 7]}{',much' * (i % 300 == 5)}" for i in range(3_000)]
    source.write_text("\n".join(["group,illness", *lines]) + "\n", encoding="utf-8")
    read_so = ["--on-problem", "long=drop"]
    assert main(["publish", str(source), "--sa", "illness:4", *read_so, "--out", str(release)]) == 0
    target = tmp_path / "report.json"
    assert main(["report", str(release), "--internal", "--source", str(source), *read_so, "--out", str(target)]) == 0
    found = json.loads(target.read_text(encoding="utf-8"))["original"]["source"]
    assert (found["records"], found["rows_dropped"]) == (2_990, 10)
    page = tmp_path / "report.html"
    words = ["--language", "de", "--out", str(page)]
    assert main(["report", str(release), "--internal", "--source", str(source), *read_so, *words]) == 0
    text = page.read_text(encoding="utf-8")
    assert "Zeile 7 hat 3 Felder, die Tabelle 2" in text
    assert "Zeile auslassen" in text

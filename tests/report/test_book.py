"""The table book: margins agree, ranges hold, nothing is gained by subtracting, files open, faults are named."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import openpyxl
import pytest

from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.mechanism import law
from splu_desktop.core.mechanism.cell_noise import MOST
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.verdict import verdict
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.sanitise import prepare
from splu_desktop.core.table import Kind, Table
from splu_desktop.files.language import language
from splu_desktop.files.register.earlier import earlier_releases
from splu_desktop.files.register.ledger import Register
from splu_desktop.report.book.counting import NoisyCounts, ReleaseCounts
from splu_desktop.report.book.document import PrintedBook, book_document, count_cell
from splu_desktop.report.book.make import ENDINGS, hand_out_protected, print_protected, write_book
from splu_desktop.report.book.printed_book import Figure, Line, PrintedTable, count_tables
from splu_desktop.report.book.tables import BadBook, BookTable, make_book, read_book
from splu_desktop.report.document import TableBlock
from tests.columns import blocks_of, column_of
from tests.core.releases import Releases, table

TABLES = (
    BookTable("dx", each=("sex", "age", "unit"), show="both"),
    BookTable("dx", by=("sex", "age")),
    BookTable("dx", "flu", by=("month",), across="unit", show="rate"),
    BookTable("sex", by=("unit",)),
)
RNG = np.random.default_rng(11)
N = 6_000
SOURCE = table(
    {
        "sex": RNG.choice(["f", "m"], N),
        "age": RNG.choice(["0-17", "18-64", "65+"], N, p=[0.2, 0.5, 0.3]),
        "unit": RNG.choice(["A", "B", "C", "D"], N),
        "month": RNG.choice([f"2025-{month:02}" for month in range(1, 7)], N),
        "dx": RNG.choice(["cold", "flu", "none", "rare"], N, p=[0.2, 0.1, 0.697, 0.003]),
    }
)
RELEASES = Releases(SOURCE, {("dx",): 4.0}, classes=("sex", "age"))


def printed(seed: int) -> PrintedBook:
    published = RELEASES.draw(seed)
    tables = count_tables(TABLES, ReleaseCounts(Reader(published), TABLES))
    return PrintedBook("A book", tables, "0123456789abcdef", "2026-11-28")


def figures_of(line: Line) -> list[Figure]:
    return [figure for figure, _ in line.cells]


def truth_of(asked: BookTable, table: PrintedTable, line: Line, label: str) -> int:
    """Count in the source what a cell says."""
    names = table.heads if len(asked.groups) < 2 else (line.labels[0],) if line.labels else ()
    labels = line.labels[-len(names) :] if line.labels else ()
    wanted = dict(zip(names, labels, strict=False)) | {asked.column: asked.value or label}
    wanted |= {asked.across: label} if asked.across and label else {}
    inside = np.ones(N, bool)
    for name, value in wanted.items():
        inside &= SOURCE[name].labels[SOURCE[name].codes] == value
    return int(inside.sum())


def total(table: PrintedTable, at: int, **labels: str) -> int:
    """Add up the numbers of a column of a table over lines with some labels."""
    heads = table.heads
    kept = [line for line in table.lines if line.labels and
            all(line.labels[heads.index(name)] == label for name, label in labels.items())]  # fmt: skip
    return sum(line.cells[at][0].number for line in kept)


def test_ranges_hold_the_truth_in_at_least_94_of_100_cells() -> None:
    held = []
    for seed in range(20):
        book = printed(seed)
        for each in book.tables[:3]:
            for line in each.lines:
                for label, figure in zip(each.labels, figures_of(line), strict=True):
                    held.append(figure.low <= truth_of(each.table, each, line, label) <= figure.high)
                    assert figure.trust == "hidden" or not figure.is_told or figure.low <= figure.number <= figure.high
    assert len(held) > 1_500
    assert np.mean(held) >= 0.94


def test_all_margins_agree_and_lie_near_their_own_estimates() -> None:
    published = RELEASES.draw(3)
    reader = Reader(published)
    stacked, crossed, rates, exact = count_tables(TABLES, ReleaseCounts(reader, TABLES))
    for at in range(4):
        whole = stacked.lines[-1].cells[at][0].number
        by_kind = {line.labels[0] for line in stacked.lines if line.labels}
        for kind in by_kind:
            parts = [line.cells[at][0].number for line in stacked.lines if line.labels and line.labels[0] == kind]
            assert sum(parts) == whole
        assert total(crossed, at) == crossed.lines[-1].cells[at][0].number == whole
        for line in stacked.lines[:2]:
            assert line.cells[at][0].number == total(crossed, at, sex=line.labels[1])
        own = reader.column_grid(published.table["unit"].codes, 4, "dx").figures.estimate
        units = [line.cells[at][0].number for line in stacked.lines if line.labels and line.labels[0] == "unit"]
        assert np.abs(np.array(units) - own[:, at]).max() < 4
    flu = stacked.labels.index("flu")
    for at, unit in enumerate("ABCD"):
        line = next(line for line in stacked.lines if line.labels[1:] == (unit,))
        assert rates.lines[-1].cells[at][0].number == total(rates, at) == line.cells[flu][0].number
    for line in (*stacked.lines, *crossed.lines):
        assert sum(figure.number for figure in figures_of(line)) == line.rows.number
    assert exact.lines[-1].cells[0][0].trust == "exact"


def test_subtracting_tables_tells_small_counts_no_better_than_the_release() -> None:
    """Two bearers of a value in a class: a total less all other lines is wrong as often as T_P says."""
    source = table({"sex": ["f"] * 100 + ["m"] * 100, "dx": ["x"] * 2 + ["no"] * 98 + ["x"] * 30 + ["no"] * 70})
    releases = Releases(source, {("dx",): 5.0}, classes=("sex",))
    asked, wrong = (BookTable("dx", "x", by=("sex",)), BookTable("dx", "x")), []
    for seed in range(400):
        crossed, whole = count_tables(asked, ReleaseCounts(Reader(releases.draw(seed)), asked))
        left = whole.lines[-1].cells[0][0].number - crossed.lines[1].cells[0][0].number
        assert left == crossed.lines[0].cells[0][0].number
        wrong.append(abs(left - 2) > 0.3 * 2)
    promised = law.error_probability(releases.blocks[0].draw, 2, 0.3, 100)
    assert np.mean(wrong) > promised - 3 * 0.025


def small_source(rows: int = 300) -> tuple[Table, Plan]:
    rng = np.random.default_rng(5)
    columns = {
        "Patient": [f"P{row % (rows * 2 // 3):03}" for row in range(rows)],
        "Ward": rng.choice(["A", "B", "C"], rows, p=[0.1, 0.5, 0.4]).tolist(),
        "Sex": rng.choice(["f", "m"], rows).tolist(),
        "Died": np.where(rng.random(rows) < 0.1, "yes", "no").tolist(),
    }
    roles = {"Patient": Role.IDENTIFIER, "Ward": Role.NSA, "Sex": Role.NSA, "Died": Role.SA}
    questions = (AskedTable("Died", "yes", ("Ward",)), AskedTable("Died", "yes", ("Sex",)))
    made = Table(tuple(column_of(name, texts) for name, texts in columns.items()))
    return made, Plan(roles, blocks_of(["Died"]), persons=ByPerson("Patient"), questions=questions)


def test_protected_counts_are_near_agree_and_stay_whenever_they_are_made(tmp_path: Path) -> None:
    source, plan = small_source()
    register = Register(tmp_path / "register")
    book = print_protected(source, plan, "Deaths", register=register)
    wards, sexes = book.tables
    assert wards.lines[-1] == sexes.lines[-1]
    assert wards.lines[-1].rows.truth == 200  # persons, not rows
    for line in (*wards.lines, *sexes.lines):
        for figure in (line.rows, *figures_of(line)):
            assert figure.truth is not None
            assert abs(figure.number - figure.truth) <= MOST
    order = np.random.default_rng(1).permutation(source.n)
    assert print_protected(source.take(order), plan, "Deaths", register=register) == book
    assert print_protected(source, plan, "Deaths", register=Register(tmp_path / "other")) != book
    path = tmp_path / "deaths.docx"
    hand_out_protected(book, source, plan, path, register=register)
    (entry,) = register.read().entries
    assert (entry.kind, register.releases()) == ("tables", ())
    # Who has the tables learns no row by a release besides, but the custodian decides knowingly.
    later = verdict(source, plan, earlier=earlier_releases(register, source, plan))
    (line,) = (each for each in later.lines if each.name == "second-release")
    assert line.value == pytest.approx(later.figures.certainty.riskiest, abs=0.02)


def test_a_label_of_few_persons_stands_in_no_protected_table(tmp_path: Path) -> None:
    source, plan = small_source()
    rare = column_of("Ward", ["X" if row == 7 else "AB"[row % 2] for row in range(source.n)])
    dead = column_of("Died", ["unknown" if row == 9 else "yes" if row % 9 == 0 else "no"
                                       for row in range(source.n)])  # fmt: skip
    table_of_few = Table((source["Patient"], rare, source["Sex"], dead))
    for questions in ((AskedTable("Died", None, ("Ward",)),), ()):
        book = print_protected(table_of_few, replace(plan, questions=questions), "", register=Register(tmp_path))
        words = {word for text in book_document(book, language("en")).texts() for word in re.findall(r"\w+", text)}
        assert {"A", "B", "yes"} <= words
        assert not {"X", "unknown"} & words


def test_ranges_of_protected_counts_hold_the_truth() -> None:
    source, plan = small_source(900)
    held = []
    for key in range(20):
        counts = NoisyCounts(prepare(source, plan), plan, key.to_bytes(32, "big"))
        asked = make_book((), counts.table, counts.secret).tables
        for each in count_tables(asked, counts):
            figures = [figure for line in each.lines for figure in (line.rows, *figures_of(line))]
            held += [figure.low <= (figure.truth or 0) <= figure.high for figure in figures]
    assert np.mean(held) >= 0.94


def test_a_book_opens_in_each_format_and_language(tmp_path: Path) -> None:
    book = printed(1)
    for code, word in (("en", "hidden"), ("de", "verborgen"), ("fr", "caché")):
        for ending in ENDINGS:
            write_book(book, tmp_path / f"{code}{ending}", code)
        with zipfile.ZipFile(tmp_path / f"{code}.docx") as packed:
            pages = {name: ElementTree.fromstring(packed.read(name)) for name in packed.namelist()}
        texts = "".join(pages["word/document.xml"].itertext())
        assert word in texts
        assert word in (tmp_path / f"{code}.html").read_text(encoding="utf-8")
        sheets = openpyxl.load_workbook(tmp_path / f"{code}.xlsx").worksheets
        assert len(sheets) == 2 + len(book.tables)
        assert sheets[1]["C2"].value == book.tables[0].lines[0].rows.number
        assert [cell.value for cell in sheets[-1][2]][4:6] == [
            book.tables[0].lines[0].cells[0][0].low, book.tables[0].lines[0].cells[0][0].high
        ]  # fmt: skip
    notes = [block.text for block in book_document(book, language("en")).blocks if hasattr(block, "text")]
    assert any("subtracting tells nothing new" in note for note in notes)


def test_what_a_page_cannot_hold_side_by_side_stands_below_or_in_parts() -> None:
    """Fifty diagnoses side by side had columns of one letter; a sheet holds any number."""
    values = [f"Diagnosis {at:02}" for at in range(30)]
    source = table({"sex": RNG.choice(["f", "m"], N), "dx": RNG.choice(values, N), "day": RNG.choice(values[:9], N)})
    published = Releases(source, {("dx",): 4.0}).draw(1)
    tables = BookTable("dx", by=("sex",)), BookTable("dx", by=("day",)), BookTable("sex", each=("day",))
    book = PrintedBook("A book", count_tables(tables, ReleaseCounts(Reader(published), tables)))
    blocks = [block for block in book_document(book, language("en")).blocks if isinstance(block, TableBlock)]
    assert max(len(block.header) for block in blocks) <= 7
    by_sex, *by_day, sexes = blocks
    assert [*by_sex.header] == ["dx", "f", "m", "All"]
    assert [row[0] for row in by_sex.rows] == ["rows", *values]
    assert [row[0] for row in sexes.rows] == [*values[:9], "All"]
    assert [name for block in by_day for name in block.header[1:]] == [*values[:9], "All"]
    for at, line in enumerate(book.tables[0].lines):
        assert [row[1 + at] for row in by_sex.rows] == [
            count_cell(of, language("en")) for of in (line.rows, *(cell[0] for cell in line.cells))
        ]
    sheets = [
        block for block in book_document(book, language("en"), sheets=True).blocks if isinstance(block, TableBlock)
    ]
    assert len(sheets) == 2 + len(tables)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "not valid TOML"),
        ("", "holds no table"),
        ('[[table]]\ncount = "dx=flue"\n', "table 1: There is no “dx=flue”; did you mean “dx=flu”?"),
        ('[[table]]\ncount = "dx"\nby = ["sx"]\n', "did you mean “sex”"),
        ('[[table]]\ncount = "sex"\nby = ["dx"]\n', "“dx” is secret"),
        ('[[table]]\ncount = "dx"\nacross = "sex"\n', "need one value"),
        ('[[table]]\ncount = "dx"\nshow = "rates"\n', "“show” is count, rate or both"),
        ('[[table]]\nby = ["sex"]\n', "'count' is missing"),
        ('[[table]]\ncount = "dx"\nlines = "sex"\n', "an entry “lines” that has no effect"),
        ('[[table]]\nmean = "dx"\nby = "sex"\n', "“dx” holds no numbers"),
    ],
)
def test_a_fault_in_a_book_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "book.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadBook, match=re.escape(words)):
        read_book(path, SOURCE, ("dx",))


def test_averages_stand_with_the_ranges_of_their_own_analysis(tmp_path: Path) -> None:
    """Of a secret number 95 of 100 ranges hold the source's mean, groups side by side included; else it is exact."""
    rng, n = np.random.default_rng(7), 3_000
    sex, age = rng.choice(["f", "m"], n), rng.choice(["young", "old"], n)
    days, bmi = rng.poisson(3 + 2 * (age == "old")), rng.integers(20, 30, n)
    columns = [column_of(name, texts.tolist()) for name, texts in (("sex", sex), ("age", age))]
    columns += [column_of(name, list(map(str, numbers)), kind=Kind.INTEGER)
                for name, numbers in (("days", days), ("bmi", bmi))]  # fmt: skip
    source = Table(tuple(columns))
    path = tmp_path / "book.toml"
    path.write_text('[[table]]\nmean = "days"\neach = ["sex", "age"]\nacross = "sex"\n', encoding="utf-8")
    with pytest.raises(BadBook, match="twice"):
        read_book(path, source, ("days",))
    path.write_text(
        '[[table]]\nmean = "days"\nby = "age"\nacross = "sex"\n[[table]]\nmean = "bmi"\nby = "age"\n', "utf-8"
    )
    book, held = read_book(path, source, ("days",)).tables, []
    for seed in range(100, 115):  # another stream than the source's
        published = Releases(source, {("days",): 3.0}, classes=("sex",)).draw(seed)
        crossed, exact = count_tables(book, ReleaseCounts(Reader(published), book))
        for line in crossed.lines:
            for label, figure in zip(crossed.labels, figures_of(line), strict=True):
                inside = (age == line.labels[0] if line.labels else True) & (sex == label if label else True)
                held.append(figure.low <= days[np.broadcast_to(inside, n)].mean() <= figure.high)
    assert np.mean(held) >= 0.94 - 3 * (0.05 * 0.95 / (4 * 15)) ** 0.5  # four of nine cells are apart
    assert len(held) == 15 * 9
    for line in exact.lines:
        (figure,) = figures_of(line)
        assert figure.number == pytest.approx(bmi[age == line.labels[0] if line.labels else slice(None)].mean())
        assert (figure.trust, figure.low) == ("exact", figure.high)


def test_the_example_of_the_documents_can_be_read(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs/recipient.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    path = tmp_path / "book.toml"
    path.write_text(example, encoding="utf-8")
    names = ("dx", "sex", "age", "unit", "month")
    values = [["yes", "no"], ["f", "m"], ["young", "old"], ["A", "B"], ["2025-01", "2025-02"]]
    words = table(dict(zip(names, values, strict=True)))
    days = column_of("days", ["2", "3"], kind=Kind.INTEGER)
    book = read_book(path, Table((*words.columns, days)), ("dx", "days"))
    assert [each.show for each in book.tables] == ["both", "rate", "count", "mean"]
    assert all(one != other for one, other in pairwise(book.tables))

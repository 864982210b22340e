"""Nothing leaves the page, nothing is lost, headers are repeated: for texts of any length, script and number."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.files.language import LANGUAGES
from splu_desktop.report import content
from splu_desktop.report.document import Block, Document, FigureBlock, Heading, Number, Pages, Paragraph, TableBlock
from splu_desktop.report.model import Verdict
from splu_desktop.report.public import filled as public_of
from splu_desktop.report.render import layout
from splu_desktop.report.render.fonts import SHAPED
from splu_desktop.report.render.layout import BOTTOM, MARGIN, PAPERS, TOP, set_pages
from splu_desktop.report.render.page import Drawing, Fill, PdfLayout, Text
from splu_desktop.report.render.pdf import _Pen
from splu_desktop.report.scene import Box, Path, Scene, Words
from tests.report.conftest import Case

LONG = "Patientenversicherungsnummernverwaltungsabteilungskennzeichen_mit_sehr_langem_Namen" * 3
VALUES = [
    "שלום עולם, מרפאה צפונית",
    "السكري من النوع الثاني",
    "高血压和糖尿病",
    "โรคเบาหวานชนิดที่ 2",
    "मधुमेह और उच्च रक्तचाप",
    "சர்க்கரை நோய்",
    "제2형 당뇨병",
    "🦠 ཀ unknown letters",
    "Ménière’s ñ ß ø Ł ő",
    LONG,
    "a b " * 60,
    "=1+1",
    "x",
]


def document(*blocks: Block) -> Document:
    return Document(
        title="Title " + LONG,
        edition="INTERNAL EDITION",
        internal=True,
        footer=LONG,
        language="en",
        page_of="Page {page} of {pages}",
        blocks=blocks,
    )


def laid_out(made: Document, paper: str) -> tuple[PdfLayout, _Pen]:
    pen = shared_pen()
    return set_pages(made, paper, pen.width), pen


@cache
def shared_pen() -> _Pen:
    """Loading the fonts takes longer than setting a page, and measuring changes nothing in them."""
    return _Pen(document(*(Paragraph(text) for text in VALUES)), "A4")


@pytest.fixture(scope="module", autouse=True)
def font_files() -> Iterator[None]:
    yield
    shared_pen().close()
    shared_pen.cache_clear()


def check_inside(layout: PdfLayout, pen: _Pen) -> None:
    for page in layout.pages:
        for op in page.ops:
            if isinstance(op, Text):
                assert op.x >= MARGIN - 0.01
                assert op.x + pen.width(op.text, op.size, op.bold) <= layout.width - MARGIN + 0.5, op.text[:60]
                if op.node is not None:
                    assert op.y - 0.75 * op.size >= TOP - 0.01
                    assert op.y <= layout.height - BOTTOM + 0.01
            elif isinstance(op, Fill):
                assert op.x >= MARGIN - 0.01
                assert op.x + op.width <= layout.width - MARGIN + 0.01
            else:
                assert isinstance(op, Drawing)
                assert op.y + op.scale * op.scene.height <= layout.height - BOTTOM + 0.01
                assert op.x + op.scale * op.scene.width <= layout.width - MARGIN + 0.01


def squeezed(text: str) -> str:
    return "".join(text.replace("\u200e", "").split())


@pytest.mark.parametrize("paper", PAPERS)
def test_a_long_table_of_values_in_all_scripts(paper: str) -> None:
    rows = [(f"{i} {VALUES[i % len(VALUES)]}", Number(f"{i * 1000:,}", i), "in between") for i in range(800)]
    table = TableBlock("Values", ("Value", "Published count", "State"), rows, "lrl", (3, 1, 1))
    layout, pen = laid_out(document(Heading("Values"), table), paper)
    check_inside(layout, pen)
    said = [op.text for page in layout.pages for op in page.ops if isinstance(op, Text) and op.node is not None]
    for number in (0, 7, 399, 799):
        assert f"{number * 1000:,}" in said
    whole = squeezed("".join(said))
    for text in {row[0] for row in rows[:40]}:
        for word in text.split():
            assert squeezed(word) in whole, "no letter is cut off"
    with_rows = [
        page for page in layout.pages if any(isinstance(op, Text) and op.text == "in between" for op in page.ops)
    ]
    assert len(with_rows) > 20
    for page in with_rows:
        assert any(isinstance(op, Text) and op.bold and op.text == "State" for op in page.ops), "the header is repeated"


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=120), min_size=1, max_size=8),
    st.sampled_from(sorted(PAPERS)),
    st.integers(1, 6),
)
@settings(max_examples=25, deadline=None)
def test_any_text_stays_inside(texts: list[str], paper: str, columns: int) -> None:
    rows = [tuple(texts[(i + j) % len(texts)] for j in range(columns)) for i in range(30)]
    header = tuple(texts[j % len(texts)] for j in range(columns))
    align = "".join("lr"[j % 2] for j in range(columns))
    made = document(
        Heading(texts[0]),
        Paragraph(texts[-1], "lead"),
        TableBlock("T", header, rows, align, [1.0] * columns),
        Paragraph(" ".join(texts)),
    )
    layout, pen = laid_out(made, paper)
    # Figures are never broken, so a column of them that holds long words can't be kept narrow by breaking spaces alone.
    check_inside(layout, pen)


def test_a_cell_longer_than_a_page_goes_on_on_the_next() -> None:
    words = [f"word{i}" for i in range(4_000)]
    layout, pen = laid_out(document(TableBlock("T", ("A", "B"), [(" ".join(words), "x")], "ll", (1, 1))), "A4")
    check_inside(layout, pen)
    said = " ".join(op.text for page in layout.pages for op in page.ops if isinstance(op, Text)).split()
    assert set(words) <= set(said)
    assert len(layout.pages) > 5


@pytest.mark.parametrize("above", range(30, 70, 2))
def test_a_header_never_stands_without_a_row(above: int) -> None:
    """However long the first row is, and wherever on a page its table begins."""
    table = TableBlock("T", ("Condition", "Finding"), [("shares", "word " * 300)], "ll", (1, 1))
    layout, pen = laid_out(document(*[Paragraph("x", "item")] * above, Heading("Risks"), table), "A4")
    check_inside(layout, pen)
    for page in layout.pages:
        said = [op.text for op in page.ops if isinstance(op, Text)]
        assert "Condition" not in said or any("word word" in text for text in said)
        assert "Risks" not in said or "Condition" in said


@pytest.mark.parametrize("above", range(30, 70, 3))
@pytest.mark.parametrize("words", [60, 130, 400])
def test_no_row_is_parted_that_a_page_has_room_for(above: int, words: int) -> None:
    """A risk with what it was accepted for began with three lines at a page's foot; a longer one left it empty."""
    rows = [(f"at {number}", f"row{number} " + "risk " * words, "accepted " * (words // 3)) for number in range(5)]
    table = TableBlock("T", ("Condition", "Finding", "Words"), rows, "lll", (1, 4, 1.5))
    layout, pen = laid_out(document(*[Paragraph("x", "item")] * above, Heading("Risks"), table), "A4")
    check_inside(layout, pen)
    pages = [[op for op in page.ops if isinstance(op, Text) and op.node is not None] for page in layout.pages]
    lines = [Counter(id(op.node) for op in page if op.text.startswith(("row", "risk", "accepted"))) for page in pages]
    tall = max(sum(each[node] for each in lines) for each in lines for node in each) * 7.5 * 1.3
    for here, there in itertools.pairwise(lines):
        for node in here.keys() & there.keys():
            assert tall > (layout.height - BOTTOM) / 4, "a row that stands on one page"
            assert min(here[node], there[node]) >= 3, "no line or two by themselves"
    if words == 400:
        whole = [filled(layout, page) for page in range(len(layout.pages) - 1)]
        assert min(whole) > 1 / 3, whole


@pytest.mark.parametrize("above", range(30, 70, 2))
def test_a_heading_goes_where_its_table_goes(above: int) -> None:
    """“The promise” stood at the foot of a page, its two tall rows on the next, and the front named the former.

    A table that takes no more than a quarter of a page stands on one: of twelve files two stood by themselves.
    """
    tall = TableBlock("T", ("how it was drawn " * 6,), [("row " + "word " * 20,)] * 2, "l", (1,))
    wide = TableBlock("F", ("File",), [(f"row {number}",) for number in range(11)], "l", (1,))
    for table in (replace(tall, header=("how",), rows=[("row " + "word " * 100,)] * 2), tall, wide):
        blocks = [*[Paragraph("x", "item")] * above, Heading("Promise", 1), table, *[Paragraph("y", "item")] * 40]
        layout, pen = laid_out(document(*blocks), "A4")
        check_inside(layout, pen)
        pages = [[op.text for op in page.ops if isinstance(op, Text)] for page in layout.pages]
        (page,) = (page for page in pages if "Promise" in page)
        assert sum(text.startswith("row") for text in page) == len(table.rows)


@pytest.mark.parametrize("above", range(30, 70, 2))
def test_a_paragraph_that_leads_to_a_table_stands_above_it(above: int) -> None:
    """Pages of real reports began with a table whose words stood at the foot of the page before."""
    table = TableBlock("T", ("Number",), [(f"row {number}",) for number in range(40)], "l", (1,))
    leads = Paragraph("leads " * 60)
    for blocks in ([leads, table], [Heading("What it is", 2), leads, table]):
        layout, pen = laid_out(document(*[Paragraph("x", "item")] * above, *blocks), "A4")
        check_inside(layout, pen)
        said = [[op.text for op in page.ops if isinstance(op, Text)] for page in layout.pages]
        page = next(page for page in said if "Number" in page)
        assert any(text.startswith("leads") for text in page)
        assert all(any(text.startswith("leads") for text in page) for page in said if "What it is" in page)


@pytest.mark.parametrize("above", range(30, 70, 2))
@pytest.mark.parametrize("words", [20, 60, 110])
def test_no_line_and_no_note_stands_apart_from_what_it_belongs_to(above: int, words: int) -> None:
    """Pages of the hospital's report began with a paragraph's last line, and with the note on the table before."""
    table = TableBlock("T", ("Number",), [(f"row {number}",) for number in range(above % 7 + 1)], "l", (1,))
    note = Paragraph("noted " * words, "note")
    layout, pen = laid_out(document(*[Paragraph("word " * words)] * (above // 4), table, note), "A4")
    check_inside(layout, pen)
    pages = [[op for op in page.ops if isinstance(op, Text) and op.node is not None] for page in layout.pages]
    lines = [Counter(id(op.node) for op in page) for page in pages]
    for here, there in itertools.pairwise(lines):
        assert all(min(here[node], there[node]) > 1 for node in here.keys() & there.keys()), "a line by itself"
    begun = next(page for page in pages if any(op.text.startswith("noted") for op in page))
    assert any(op.text.startswith("row") for op in begun), "a note without a row of its table"


@pytest.mark.parametrize("above", range(30, 70))
@pytest.mark.parametrize("noted", [False, True])
def test_no_page_begins_with_the_last_row_of_a_table(above: int, noted: bool) -> None:
    """Of eleven columns the last stood by itself below a repeated header; so did the last of three promises."""
    table = TableBlock("T", ("Number",), [(f"row {number}",) for number in range(above % 5 + 2)], "l", (1,))
    after = [*[Paragraph("noted", "note")] * noted, *[Paragraph("y", "item")] * 40]
    layout, pen = laid_out(document(*[Paragraph("x", "item")] * above, table, *after), "A4")
    check_inside(layout, pen)
    for page in layout.pages:
        rows = [op.text for op in page.ops if isinstance(op, Text) and op.text.startswith("row")]
        assert len(rows) != 1 or rows[0] == "row 0", rows
    assert (
        sum(isinstance(op, Text) and op.text.startswith("row") for page in layout.pages for op in page.ops)
        == above % 5 + 2
    )


def test_sixty_columns_are_sixty_rows_and_figures_shrink_to_the_page() -> None:
    wide = Scene(2_000, 500, [Path(((0, 0), (2_000, 500)))])
    rows = [(f"{LONG} {i}", "published unchanged (NSA)", Number("1,234", 1234)) for i in range(60)]
    made = document(
        FigureBlock(wide, "caption", "words"), TableBlock("C", ("Column", "Role", "Values"), rows, "llr", (2, 2, 1))
    )
    check_inside(*laid_out(made, "Letter"))


def test_references_and_bookmarks_name_the_pages_of_the_headings() -> None:
    keys = [f"k{number}" for number in range(12)]
    rows = [(key, Pages((key,))) for key in keys]
    blocks: list[Block] = [Heading("First"), TableBlock("Where", ("What", "Page"), rows, "ll", (1, 1))]
    for number, key in enumerate(keys):
        blocks += [Heading(f"Chapter {number}", new_page=number % 4 == 0, key=key), Paragraph("text " * 350)]
    layout, _ = laid_out(document(*blocks), "A4")
    said = [op.text for op in layout.pages[0].ops if isinstance(op, Text) and op.node is not None]
    for mark, key in zip(layout.bookmarks[1:], keys, strict=True):
        on_page = [op.text for op in layout.pages[mark.page].ops if isinstance(op, Text)]
        assert mark.text in on_page
        assert said[said.index(key) + 1] == str(mark.page + 1)
    pages = [mark.page for mark in layout.bookmarks]
    assert pages == sorted(pages)


def filled(layout: PdfLayout, page: int) -> float:
    ends = [
        op.y + op.scale * op.scene.height if isinstance(op, Drawing) else op.y
        for op in layout.pages[page].ops
        if not isinstance(op, Text) or op.node is not None
    ]
    inside = [end for end in ends if end <= layout.height - BOTTOM + 1]
    return (max(inside) - TOP) / (layout.height - BOTTOM - TOP)


@given(st.integers(3, 60), st.integers(20, 160), st.sampled_from(sorted(PAPERS)))
@settings(max_examples=20, deadline=None)
def test_no_page_has_a_few_lines_only(paragraphs: int, words: int, paper: str) -> None:
    """Of pages that follow each other: what has a page of its own is as long as it is."""
    layout, _ = laid_out(document(*[Paragraph("word " * words) for _ in range(paragraphs)]), paper)
    if len(layout.pages) > 1:
        assert min(filled(layout, page) for page in range(len(layout.pages))) > 1 / 3


@pytest.mark.parametrize("internal", [False, True])
def test_what_is_a_page_too_long_is_set_closer(internal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A German external edition with all law packs had 11 pages where closer spaces make it 10."""
    most = 14 if internal else 10
    each = replace(document(), internal=internal)
    signed = [Heading("Front"), Paragraph("a"), Heading("Back", new_page=True), Paragraph("b")]

    def made(number: int) -> PdfLayout:
        blocks = [block for i in range(number) for block in (Heading(f"{i}", 2), Paragraph("words " * 60))]
        return laid_out(replace(each, blocks=(*signed, Heading("A", new_page=True), *blocks)), "A4")[0]

    with monkeypatch.context() as patched:
        patched.setattr(layout, "_PAGES", {False: 99, True: 99})
        number = next(number for number in range(8 * most, 14 * most) if len(made(number).pages) == most + 1) + 2
    assert len(made(number).pages) == most


def test_a_long_word_of_a_narrow_column_stays_whole() -> None:
    """“Anonymisierungsbericht” lost its last letter to a line of its own, in a table with room."""
    word, words = "Anonymisierungsberichte", "einige Wörter " * 12
    header = ("Stelle", "Was verlangt wird", "Wo der Bericht es erfüllt", "Durch", "Seite")
    row = (word, words, words, "datenverantwortliche Person", "1, 2")
    made, _ = laid_out(document(TableBlock("t", header, [row], "lllll", (1.1, 3, 3, 0.9, 0.7))), "A4")
    assert word in [op.text for op in made.pages[0].ops if isinstance(op, Text)]


def test_lines_of_a_left_to_right_text_keep_their_direction() -> None:
    names = ", ".join(f"“{name}”\u200e" for name in ["שם ראשון", "عمود", "plain"] * 12)
    layout, _ = laid_out(document(Paragraph(f"Columns: {names}.")), "A4")
    lines = [op.text for op in layout.pages[0].ops if isinstance(op, Text) and op.node is not None]
    import unicodedata

    for line in lines:
        first = next(c for c in line if unicodedata.bidirectional(c) in ("L", "R", "AL"))
        assert unicodedata.bidirectional(first) == "L"


def test_widths_are_the_fonts_own() -> None:
    """The layout's measure agrees with fpdf2's for every script, within a hundredth of the text."""
    pen = shared_pen()
    for text in [*VALUES, "Résumé № 5 – “quoted”", "\u202f1\u202f234"]:
        pen._font(False, 10)
        pen._shape(bool(SHAPED.search(text)))
        plain = pen.pdf.get_string_width(pen.clean(text))
        assert pen.width(text, 10, False) == pytest.approx(plain, rel=0.01)
    assert np.isclose(pen.width("abc", 20, True), 2 * pen.width("abc", 10, True))


def test_columns_of_long_figures_share_a_page_and_short_words_stay_whole() -> None:
    figures = tuple(Number("1,234,567,890,123,456 (99.99 %)", 0.0) for _ in range(8))
    layout, pen = laid_out(document(TableBlock("T", [LONG] * 8, [figures] * 5, "r" * 8, [1.0] * 8)), "A4")
    check_inside(layout, pen)
    rows = [("a value of some length", Number("5", 5), "beantwortbar", Number("1", 1))] * 3
    header = ("Wert", "Veröffentlicht", "Nach veröffentlichter Anzahl", "Fehlerwahrscheinlichkeit")
    layout, pen = laid_out(document(TableBlock("T", header, rows, "lrlr", (4, 1, 0.5, 1))), "Letter")
    check_inside(layout, pen)
    assert "beantwortbar" in {op.text for op in layout.pages[0].ops if isinstance(op, Text)}


@pytest.mark.parametrize("code", LANGUAGES)
def test_words_of_a_figure_stay_in_it(case: Case, code: str) -> None:
    """Axis titles are as long as the language makes them."""
    pen = shared_pen()
    for block in content.document(case.internal, code).blocks:
        if not isinstance(block, FigureBlock):
            continue
        scene = block.scene
        for item in scene.items:
            if not isinstance(item, Words):
                continue
            width = pen.width(item.text, item.size, False)
            back = {"start": 0.0, "middle": width / 2, "end": width}[item.anchor]
            along, room = (item.y, scene.height) if item.up else (item.x, scene.width)
            if item.up:  # from below upwards
                back = width - back
            assert along - back >= -1, item.text
            assert along - back + width <= room + 1, item.text


def test_every_colour_of_bars_is_in_their_legend(case: Case) -> None:
    """What an estimate leaves open of an attack stood in the grey that its legend calls “without the table”."""
    for report in (case.external, case.internal):
        for block in content.document(report).blocks:
            boxes = (
                [item for item in block.scene.items if isinstance(item, Box)] if isinstance(block, FigureBlock) else []
            )
            legend = {box.colour for box in boxes if box.width == box.height}
            bars = {box.colour for box in boxes if box.width != box.height}
            assert not legend or bars == legend, block


@pytest.mark.parametrize("code", ["en", "de"])  # French takes a line or two more
def test_the_front_has_air_between_its_parts(case: Case, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The German external front of a census table with five things to be weighed had none: headings stood on tables."""
    asked = replace(case.external.public.cover.fields, threshold="0.2", attempt="Nobody was found.", law="gdpr")
    public = public_of(case.external.public, asked)
    reasons = ("no-threshold", "unique-records", "inferred", "combinations", "risk-above")
    said = replace(public.cover, verdict=Verdict("reservations", reasons))
    made = content.document(replace(case.external, public=replace(public, cover=said)), code)
    monkeypatch.setattr(layout, "_CLOSER", layout._CLOSER[:4])
    monkeypatch.setattr(layout, "_SMALLER", ())
    pen = _Pen(made, "A4")
    try:
        level_1 = [mark.page for mark in set_pages(made, "A4", pen.width).bookmarks if mark.level == 0]
    finally:
        pen.close()
    assert level_1[:3] == [0, 1, 2]

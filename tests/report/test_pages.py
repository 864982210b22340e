"""Pages: two to sign, at most six behind, none half empty, no small letter, no long sentence."""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf
import pytest

from splu_desktop.files.language import LANGUAGES
from splu_desktop.report.document import Document, FigureBlock, Paragraph, TableBlock, cell_text
from splu_desktop.report.make import pages
from splu_desktop.report.render import typeset
from splu_desktop.report.render.html import as_html
from tests.report.conftest import TITLE, Case

_ENDS = re.compile(r"(?<=[.!?])\s+(?=\S)")


# Each verdict in each language, for the owner and for others in turn: half of all, since to set one takes a second.
_CASES = [(*pair, (at + at // 2) % 2 == 0) for at, pair in enumerate(itertools.product(LANGUAGES, ("kept", "missed")))]


@pytest.fixture(scope="module", params=_CASES, ids=str)
def document(request: pytest.FixtureRequest, cases: dict[str, Case]) -> Document:
    language, name, internal = request.param
    return cases[name].report(internal=internal).document(language)


@pytest.fixture(scope="module")
def compiled(document: Document) -> tuple[Any, dict[str, str]]:
    return typeset._set(document)


@pytest.fixture(scope="module")
def pdf(compiled: tuple[Any, dict[str, str]]) -> pypdf.PdfReader:
    compiler, inputs = compiled
    return pypdf.PdfReader(
        io.BytesIO(compiler.compile(format="pdf", sys_inputs=inputs, pdf_standards=typeset._STANDARDS))
    )


def test_two_pages_to_sign_and_few_behind(document: Document, compiled: tuple[Any, dict[str, str]]) -> None:
    front, lowest = typeset._end(compiled[0], "front")
    assert front == typeset.FRONT_PAGES
    assert lowest >= typeset._HALF
    last, lowest = typeset._end(compiled[0], "annex")
    assert last - front <= document.most_annex
    assert lowest >= typeset._HALF


def test_no_letter_is_small_and_no_page_half_empty(pdf: pypdf.PdfReader) -> None:
    sizes, ends = set(), []
    for page in pdf.pages:
        heights = []

        def visit(
            text: str, cm: list[float], tm: list[float], font: object, size: float, heights: list[float] = heights
        ) -> None:
            if text.strip():
                sizes.add(round(abs(size * tm[3] * cm[3]) or abs(size * tm[1] * cm[0]), 2))
                heights.append(tm[4] * cm[1] + tm[5] * cm[3] + cm[5])

        page.extract_text(visitor_text=visit)
        foot = min(heights)
        ends.append(float(page.mediabox.height) - min(each for each in heights if each > foot + 9))
    assert min(sizes) >= typeset.SMALLEST - 0.05, sorted(sizes)[:3]
    assert min(ends) >= typeset._HALF - 20, ends  # a part ends a line below its last letter


def _tags(node: Any) -> Iterator[Any]:
    """Yield the structure elements below one, with their parents' first."""
    node = node.get_object()
    if isinstance(node, list):
        for each in node:
            yield from _tags(each)
    elif isinstance(node, dict):
        if "/S" in node:
            yield node
        if "/K" in node:
            yield from _tags(node["/K"])


def test_pages_are_tagged_as_the_standards_want(document: Document, pdf: pypdf.PdfReader) -> None:
    """What can be read of PDF/A-2a and PDF/UA-1; typst refuses to write what it knows to break them."""
    root = pdf.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == document.language
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert pdf.metadata is not None
    assert pdf.metadata.title is not None
    assert "panic" in pdf.metadata.title
    assert [each.get_object()["/S"] for each in root["/OutputIntents"]] == ["/GTS_PDFA1"]
    xmp = root["/Metadata"].get_data().decode()
    for part in (
        "pdfaid:part>2",
        "pdfaid:conformance>A",
        "pdfuaid:part>1",
        f"<rdf:li>{document.language}<",
        "dc:title",
    ):
        assert part in xmp
    assert "/Encrypt" not in pdf.trailer
    for page in pdf.pages:
        assert page["/Tabs"] == "/S"
        assert "/StructParents" in page
        for font in page["/Resources"]["/Font"].values():
            (letters,) = font.get_object()["/DescendantFonts"]
            assert "/FontFile2" in letters.get_object()["/FontDescriptor"].get_object()
    tags = list(_tags(root["/StructTreeRoot"]["/K"]))
    levels = [int(each["/S"][2:]) for each in tags if re.fullmatch(r"/H\d", each["/S"])]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))  # no level is left out
    for each in tags:
        if each["/S"] == "/Figure":
            assert each["/Alt"].strip()
        if each["/S"] == "/Table":
            heads = [own for own in _tags(each["/K"]) if own["/S"] == "/TH"]
            assert heads
            assert all("/K" in own and "/Column" in str(own["/A"]) for own in heads)  # none is empty


def test_texts_are_set_as_they_stand(cases: dict[str, Case]) -> None:
    document = cases["kept"].report(internal=False).document("en")
    assert TITLE in document.title
    text = pypdf.PdfReader(io.BytesIO(typeset.as_pdf(document))).pages[0].extract_text()
    assert '#panic("read")' in text
    assert "$y$" in text
    assert "[U+1F9A0]" in text  # a letter that no font has


def test_only_a_word_that_its_column_is_too_narrow_for_is_hyphenated() -> None:
    values = ("Entbindung im Krankenhaus, keine Beatmung", "unter 2 (Verweildauer)", "Nikotinabhängigkeitssyndrom")
    texts = []
    for last in (1.0, 5.0):
        table = TableBlock(("", "", ""), [values], "lll", (1.5, 1.9, last))
        pdf = typeset.as_pdf(Document("t", "e", False, "f", "de", "{page}", (table,)))
        texts.append(pypdf.PdfReader(io.BytesIO(pdf)).pages[0].extract_text().replace("\u200b", ""))
    words = {word for value in values[:2] for word in re.findall(r"\w+", value)}
    for text in texts:
        assert words <= set(re.findall(r"\w+", text))
    assert [values[2] in text for text in texts] == [False, True]


@pytest.mark.parametrize(
    "name", ["anna.muellerova", "svc20261130backup17", "Datenverantwortliche", "a-lena.mueller@klinikum.example"]
)
def test_no_word_reaches_into_the_next_column(name: str) -> None:
    """Accounts of 15 to 21 letters stood upon the reason beside them."""
    table = TableBlock(("#", "what", "by", "why"), [("1", "x", name, "NEXT")], "rlll", (0.3, 4.2, 1.4, 3.0))
    pdf = typeset.as_pdf(Document("t", "e", False, "f", "de", "{page}", (table,)))
    found: list[tuple[float, float, str]] = []

    def visit(text: str, cm: list[float], tm: list[float], _font: object, _size: float) -> None:
        found.append((cm[4] + tm[4] * cm[0], cm[5] + tm[5], text.strip("\u00ad\u200b \n")))

    pypdf.PdfReader(io.BytesIO(pdf)).pages[0].extract_text(visitor_text=visit)
    start, end = (next(x for x, _, text in found if text == head) for head in ("by", "why"))
    lines: dict[int, str] = {}
    for x, y, text in found:
        if start - 1 < x < end - 1 and text != "by":
            lines[round(y)] = lines.get(round(y), "") + text
    assert "".join(lines.values()) == name
    assert max(map(len, lines.values())) <= 13  # letters that fit


def test_a_note_leaves_no_page_half_empty() -> None:
    """A table and its note went to the next page together, however long the table was."""
    rows = [(f"question {n}", "how often did you feel like this " * 9) for n in range(14)]
    table = TableBlock(("a", "b"), rows, "ll", (1.0, 3.0), most=12, more=lambda rest: f"{rest} more")
    front = [Paragraph("filled line by line " * 40)] * 3
    pdf = typeset.as_pdf(Document("t", "e", False, "f", "en", "{page}", (*front, Paragraph("before"), table)))
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages]
    assert len(pages) == 2
    assert "question 0" in pages[0]
    assert "2 more" in pages[1]


def test_a_name_is_broken_before_its_day_and_not_within_it() -> None:
    parts = typeset._breakable("consultations-2026-11-30 and 2026-a_long.name/of:some-table").split("\u200b")
    assert parts == ["consultations-", "2026-11-30 and 2026-", "a_", "long.", "name/", "of:", "some-", "table"]


def test_no_row_is_parted_by_the_end_of_a_page_unless_it_may_be_longer_than_one() -> None:
    rows = [
        (f"r{n}", " ".join(f"{word}{n}" for word in ("first", *("words of a row",) * 14, "last"))) for n in range(30)
    ]
    table = TableBlock(("a", "b"), [*rows, ("long", "more " * 1500)], "ll", (1.0, 3.0))
    pdf = typeset.as_pdf(Document("t", "e", False, "f", "en", "{page}", (), (table,)))
    texts = [page.extract_text().split() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages]
    assert sum(text.count("more") for text in texts) == 1500  # shown whole
    for n in range(30):
        assert sum({f"first{n}", f"last{n}"} <= {*text} for text in texts) == 1


def test_what_pages_leave_out_is_said_with_its_number(cases: dict[str, Case]) -> None:
    """Also where rows were cut so that pages are enough."""
    rows = [(f"value {at}", "1") for at in range(41)]
    shown = TableBlock(("a", "b"), rows, "ll", (1.0, 1.0), most=20, more=lambda rest: f"{rest} more")
    (cut,) = typeset._cut_tables([shown], 0.5)
    assert [each["text"] for each in typeset._blocks([shown, cut]) if each["kind"] == "text"] == ["21 more", "31 more"]
    assert "21 more</p>" in as_html(Document("t", "e", False, "f", "en", "{page}", (shown,)))
    assert len(TableBlock(("a", "b"), rows, "ll", (1.0, 1.0), most=40).shown_rows) == 41  # one takes the note's room


def test_what_the_release_adds_is_the_difference_of_the_figures_beside_it(cases: dict[str, Case]) -> None:
    for name, internal in itertools.product(cases, (True, False)):
        document = cases[name].report(internal=internal).document("en")
        (risks,) = [b for b in document.blocks if isinstance(b, TableBlock) and "gain" in b.header]
        at = risks.header.index("gain")
        for row in risks.rows:
            before, after, more = (cell_text(cell) for cell in row[at - 2 : at + 1])
            assert int(more.replace("−", "-")) == int(after.split()[0]) - int(before.split()[0])


def test_each_term_has_its_line_in_the_list_of_words(cases: dict[str, Case]) -> None:
    terms = (
        "alike",
        "secret value",
        "riskiest",
        "strength",
        "gain",
        "named with",
        "range",
        "T_P",
        "T_f",
        "T_E",
        "ratio",
    )
    for name, internal in itertools.product(cases, (True, False)):
        document = cases[name].report(internal=internal).document("en")
        words = next(each for each in reversed(document.annex) if isinstance(each, TableBlock))
        said, told = " ".join(document.texts()), " ".join(cell_text(cell) for row in words.rows for cell in row)
        assert [term for term in terms if term in said and term not in told] == []


def test_no_sentence_is_long_and_two_pages_are_soon_read(document: Document) -> None:
    for block in document.blocks:
        texts = [block.text] if isinstance(block, Paragraph) else []
        if isinstance(block, TableBlock):
            texts = [cell_text(cell) for row in block.shown_rows for cell in row]
        if isinstance(block, FigureBlock):
            texts = [block.words]
        for text in texts:
            for sentence in _ENDS.split(text):
                assert len(sentence.split()) <= 30, sentence
    front = Document(**{**document.__dict__, "annex": ()})
    assert sum(len(text.split()) for text in front.texts()) <= 1_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_pictures_too(cases: dict[str, Case], language: str) -> None:
    found = pages(cases["kept"].report(internal=False), language)
    assert 4 <= len(found) <= 6
    assert all(page.startswith(b"\x89PNG") for page in found)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not say what memory is held")
def test_a_window_that_shows_many_reports_does_not_hold_them() -> None:
    """Typst keeps parts of its last ten documents: some 35 MB for each of these, 100 for a report."""
    held = list[int]()
    for number in range(6):
        lines = (Paragraph(f"Line {line} of report {number} says something about persons.") for line in range(240))
        typeset.as_pages(Document(f"Report {number}", "e", False, "f", "en", "{page}", tuple(lines)))
        held.append(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20)
    assert held[-1] - held[1] < 100, held

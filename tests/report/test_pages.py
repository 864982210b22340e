"""Pages: two to sign, at most six behind, none half empty, no small letter, no long sentence."""

from __future__ import annotations

import io
import re

import pypdf
import pytest

from splu_desktop.report.document import Document, FigureBlock, Paragraph, TableBlock, cell_text
from splu_desktop.report.make import pages
from splu_desktop.report.render import typeset
from tests.report.conftest import TITLE, Case

_ENDS = re.compile(r"(?<=[.!?])\s+(?=\S)")


@pytest.fixture(params=[True, False], ids=["internal", "external"])
def document(request: pytest.FixtureRequest, case: Case) -> Document:
    return case.report(internal=request.param).document("en")


def test_two_pages_to_sign_and_none_half_empty(document: Document) -> None:
    compiler, _ = typeset._set(document)
    front, lowest = typeset._end(compiler, "front")
    assert front == typeset.FRONT_PAGES
    assert lowest >= typeset._HALF
    last, lowest = typeset._end(compiler, "annex")
    assert last - front <= document.most_annex
    assert lowest >= typeset._HALF


def test_no_letter_is_small_and_pages_are_tagged(document: Document) -> None:
    reader = pypdf.PdfReader(io.BytesIO(typeset.as_pdf(document)))
    sizes = set()
    for page in reader.pages:

        def visit(text: str, cm: list[float], tm: list[float], font: object, size: float) -> None:
            if text.strip():
                sizes.add(round(abs(size * tm[3] * cm[3]) or abs(size * tm[1] * cm[0]), 2))

        page.extract_text(visitor_text=visit)
    assert min(sizes) >= typeset.SMALLEST - 0.05, sorted(sizes)[:3]
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    xmp = root["/Metadata"].get_data()
    assert b"pdfaid:part>2" in xmp
    assert b"pdfuaid:part>1" in xmp


def test_texts_are_set_as_they_stand(cases: dict[str, Case]) -> None:
    document = cases["kept"].report(internal=False).document("en")
    assert TITLE in document.title
    text = pypdf.PdfReader(io.BytesIO(typeset.as_pdf(document))).pages[0].extract_text()
    assert '#panic("read")' in text
    assert "$y$" in text
    assert "[U+1F9A0]" in text  # a letter that no font has


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


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_pages_are_pictures_too(cases: dict[str, Case], language: str) -> None:
    found = pages(cases["kept"].report(internal=False), language)
    assert 4 <= len(found) <= 6
    assert all(page.startswith(b"\x89PNG") for page in found)

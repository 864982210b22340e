"""Every letter of a value can be read in the PDF: by the font of its script, else as its Unicode number."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.report.document import Document, Paragraph
from splu_desktop.report.render import fonts
from splu_desktop.report.render.pdf import write_pdf

SAMPLES = {
    "NotoSansThai.ttf": "โรคเบาหวาน",
    "NotoSansDevanagari.ttf": "क्षयरोग",
    "NotoSansBengali.ttf": "ডায়াবেটিস",
    "NotoSansTamil.ttf": "நீரிழிவு",
    "NotoSansTelugu.ttf": "మధుమేహం",
    "NotoSansGujarati.ttf": "ડાયાબિટીસ",
    "NotoSansGurmukhi.ttf": "ਸ਼ੂਗਰ",
    "NotoSansKannada.ttf": "ಮಧುಮೇಹ",
    "NotoSansMalayalam.ttf": "പ്രമേഹം",
    "NotoSansOriya.ttf": "ମଧୁମେହ",
    "NotoSansSinhala.ttf": "දියවැඩියාව",
    "NotoSansKhmer.ttf": "ទឹកនោមផ្អែម",
    "NotoSansMyanmar.ttf": "ဆီးချို",
    "NotoSansEthiopic.ttf": "የስኳር በሽታ",
    "SPLUHangul.ttf": "당뇨병",
}


def document(*texts: str) -> Document:
    return Document(
        title="Title",
        edition="EXTERNAL EDITION",
        internal=False,
        footer="footer",
        language="en",
        page_of="Page {page} of {pages}",
        blocks=tuple(Paragraph(text) for text in texts),
        strange_letters="Letters stand as numbers.",
    )


@pytest.mark.parametrize(("name", "text"), SAMPLES.items())
def test_a_script_has_its_font(name: str, text: str) -> None:
    assert fonts.needed(["plain", text]) == [name]
    with TTFont(resource_path(f"fonts/{name}")) as font:
        letters = {ord(letter) for letter in unicodedata.normalize("NFC", text)} - {0x20}
        assert letters <= set(font.getBestCmap())


def test_no_font_is_opened_for_what_the_main_ones_write() -> None:
    assert fonts.needed(["Ménière’s, Ελληνικά, ДИАБЕТ, שלום, السكري, 高血压, Տաք, ქართული"]) == []


@given(st.text(max_size=40), st.text(max_size=40))
def test_different_values_stay_different(one: str, other: str) -> None:
    """With no font but for ASCII: all that may fall together is what looks alike in any font."""

    def known(letter: int) -> bool:
        return letter < 128 and chr(letter) not in "[]"

    def plain(text: str) -> str:
        return "".join(
            " " if fonts._blank(letter) else letter
            for letter in unicodedata.normalize("NFC", text)
            if unicodedata.category(letter) != "Cf"
        )

    first, second = fonts.written(one, known), fonts.written(other, known)
    if plain(one) != plain(other):
        assert first != second
    assert fonts.written("é🦠🦠x", known) == "[U+00E9 U+1F9A0 U+1F9A0]x"


def test_a_pdf_says_so_where_letters_stand_as_numbers(tmp_path: Path) -> None:
    sizes = {}
    for name, text in (("plain", "fever"), ("strange", "fever 🦠")):
        write_pdf(document(text), tmp_path / f"{name}.pdf")
        sizes[name] = (tmp_path / f"{name}.pdf").read_bytes()
    assert sizes["plain"] != sizes["strange"]
    write_pdf(document("โรค", "당뇨병"), tmp_path / "scripts.pdf")
    raw = (tmp_path / "scripts.pdf").read_bytes()
    assert b"NotoSansThai" in raw
    assert b"SPLUHangul" in raw
    assert b"NotoSansTamil" not in raw

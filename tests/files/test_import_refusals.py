"""Every file that is no table is refused with one sentence, and none crashes, hangs or exhausts memory."""

from __future__ import annotations

import gzip
import random
import re
import zipfile
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
import xlsxwriter

from splu_desktop import api
from splu_desktop.core.errors import FileFault, SpluError
from splu_desktop.core.messages import fold_text
from splu_desktop.core.progress import Cancelled, WatchedProgress
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ImportChoices, read
from splu_desktop.files.isolation import memory
from tests.optional import real


def refused(path: Path, words: str, choices: ImportChoices | None = None) -> None:
    with pytest.raises(SpluError, match=words) as caught:
        read(path, choices)
    sentence = str(caught.value)
    assert path.name in sentence or str(path) in sentence or choices is not None
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-32", "hex", "rot13", "undefined", "a\0b", "raw_unicode_escape", "utf-7"]
)
def test_an_encoding_that_does_not_fit_is_said_to(tmp_path: Path, encoding: str) -> None:
    """UTF-16 without its mark was a fault of the program; each codec of Python reads it or is refused."""
    path = tmp_path / "odd.csv"
    path.write_bytes("Größe,b\n1,x\n2,y\n".encode())
    refused(path, "is no encoding|is not written in|no records|is empty", ImportChoices(encoding=encoding))


def test_accents_written_apart_are_those_of_their_letters(tmp_path: Path) -> None:
    """“Größe” as macOS writes it was another column than “Größe” as it is typed, and the refusal listed it."""
    path = tmp_path / "mac.csv"
    path.write_text("Gro\u0308ße,Gr\u00f6ße,Ort\n1,2,Mu\u0308nchen\n3,4,Mu\u0308nchen\n5,6,Bonn\n", "utf-8")
    table = read(path).table
    assert table.names == ("Gr\u00f6ße", "Gr\u00f6ße (2)", "Ort")
    assert table["Ort"].fold_index[fold_text("M\u00fcnchen")] == table["Ort"].fold_index[fold_text("Mu\u0308nchen")]


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("tariffa DRG", "2.529,23", Kind.DECIMAL),
        ("DRG-Gewicht", "0,785", Kind.DECIMAL),
        ("DRG", "127", Kind.CATEGORY),
        ("ICD", "250,1", Kind.CATEGORY),
    ],
)
def test_a_fraction_is_an_amount_where_codes_have_none(tmp_path: Path, name: str, value: str, kind: Kind) -> None:
    """What a DRG costs was kept as text, since its name says DRG; codes of the ICD have a point."""
    path = tmp_path / "drg.csv"
    path.write_text(f"{name};b\n" + "".join(f"{value[:-1]}{k};x\n" for k in range(1, 9)))
    assert read(path, ImportChoices(decimal=",")).table[name].kind is kind


CONTENTS = [
    ("empty.csv", b"", "nothing but blanks"),
    ("blank.csv", b"\r\n\r\n  \n", "nothing but blanks"),
    ("page.xls", b"<html><body><table><tr><td>a</td></tr></table></body></html>", "HTML"),
    ("old.xls", b'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', "XML"),
    ("letter.csv", b"%PDF-1.7\n%...", "PDF"),
    ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG"),
    ("cut.csv.gz", gzip.compress(b"a,b\n1,2\n" * 1000)[:-20], "gzip"),
    ("cut.xlsx", b"PK\x03\x04" + b"\x00" * 40, "damaged"),
    ("cut.sav", b"$FL2@(#) SPSS DATA FILE" + bytes(30), "damaged"),
    ("cut.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "damaged"),
    ("noise.csv", bytes(random.Random(1).randrange(1, 32) for _ in range(4000)), "no text"),
    ("header.csv", b"a,b,c\n", "no record below"),
]


@pytest.mark.parametrize(("name", "content", "words"), CONTENTS, ids=[case[0] for case in CONTENTS])
def test_content(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    refused(path, words)


@pytest.mark.parametrize("name", ["<b>Sex</b>", "<i>Age</i> at visit", '<span style="color:red">Sex</span>'])
def test_a_name_in_bold_makes_no_page_of_a_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{name};dx\n" + "m;flu\nf;gout\n" * 9)
    assert read(path).table.names == (name, "dx")


_ENDINGS = ("xlsx", "xls", "xlsb", "ods", "parquet", "sav", "dta", "sas7bdat", "csv", "txt", "gz", "zip")


@pytest.mark.parametrize("ending", _ENDINGS)
def test_chance_bytes_are_no_table_whatever_their_name(tmp_path: Path, ending: str) -> None:
    """They were read as Greek or Arabic text: one in 15 is a control character, where a tenth was let pass."""
    path = tmp_path / f"chance.{ending}"
    for seed in range(40):
        content = random.Random(seed).randbytes((200, 5_000)[seed % 2])
        path.write_bytes(content)
        refused(path, "no text|is damaged")  # a byte of Stata's may come first
        path.write_bytes(gzip.compress(content))
        refused(path, "no text|GZ|is damaged")


def test_a_few_control_characters_make_no_text_unreadable(tmp_path: Path) -> None:
    text = "Größe,Ort\n" + "".join(f"{k},Ort {k % 7}\n" for k in range(300))
    for name, content in (
        ("t.csv", text.replace("Ort 3", "Ort\x13 3", 3).encode("cp1252")),
        ("old.xls", text.encode("cp850") + b"\x1a" * 100),  # as old programs end a text
        ("wide.csv", text.replace("Ort ", "Όρος Ж ").encode("utf-16-le")),  # without its mark
    ):
        path = tmp_path / name
        path.write_bytes(content)
        assert read(path).table.n >= 300


def test_places(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere.csv", "There is no file")
    refused(tmp_path, "is a folder")
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "a,b\n1,2\n")
        archive.writestr("b.csv", "a,b\n1,2\n")
    refused(path, "ZIP")
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    refused(path, "Word")


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        with archive.open("xl/worksheets/sheet1.xml", "w") as file:
            for _ in range(200):
                file.write(bytes(1 << 20))
    refused(path, "unpack to")


def test_two_cells_at_opposite_corners_are_no_danger(tmp_path: Path) -> None:
    """Calamine, to which a sheet with a comment in it is left, would ask for room for every cell between.

    That would end the whole program.
    """
    path = tmp_path / "corners.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_number(1_048_575, 16_383, 1)
    refused(path, "broke off|not enough memory")


def test_a_packed_text_that_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,1\n" * (40 << 20), 9))
    refused(path, "unpack to")


def test_a_table_that_doesn_t_fit_is_refused_before_loading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n" * 100)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    refused(path, "not enough memory")


def test_impossible_choices(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    refused(path, "no encoding", ImportChoices(encoding="klingon"))
    refused(path, "header row", ImportChoices(header_row=99))
    book = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(book)) as workbook:
        sheet = workbook.add_worksheet("Data")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, 2])
    refused(book, "no sheet “Other”; its sheets are: “Data”", ImportChoices(sheet="Other"))


def test_cancelling_stops_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 2_000_000)
    stages: list[str] = []
    watched = WatchedProgress(lambda stage, done: stages.append(stage), lambda: "Reading" in stages)
    with pytest.raises(Cancelled):
        read(path, progress=watched)
    assert "Finding types" not in stages


SEEDS = [
    b'id,name,born\n1,Ann,1980-01-02\n2,Bob,1975-03-04\n3,"Cy, D",\n',
    b"a;b;c\r\n1,5;x;2\r\n2,5;y;3\r\n",
    b'"x"\t"y"\n"1"\t"2"\n',
    "ä,ö\nü,ß\n".encode("utf-16"),
    "Name,Größe\nJörg,180\n".encode("cp1252"),
    b"title\n\na,b\n1,2\n3,4\n,\nTotal,6\n",
    b"\xff\xfe",
    b'"',
    b",,,\n,,,\n",
    b"a\rb\rc\r",
    b"\x00" * 40,
    b"sep=;\na;b\n1;2\n",
]


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """600 mutilated files: a result or a sentence, nothing else."""
    draw = random.Random(20_261_121)
    path = tmp_path / "f.csv"
    read_count = 0
    for _ in range(600):
        data = bytearray(draw.choice(SEEDS))
        for _ in range(draw.randint(0, 6)):
            at = draw.randrange(len(data) + 1)
            match draw.randint(0, 3):
                case 0:
                    data[at:at] = draw.choice([b'"', b"\n", b"\r", b",", b";", b"\\", b"\x00", b"\xe4", b"'", b"\t"])
                case 1:
                    del data[at : at + draw.randint(1, 9)]
                case 2:
                    data[at:at] = bytes([draw.randrange(256)])
                case 3:
                    data[at:at] = data[: draw.randint(0, 30)]
        path.write_bytes(bytes(data))
        try:
            found = read(path, allow_empty=True)
        except FileFault:
            continue
        read_count += 1
        assert all(column.n == found.table.n for column in found.table.columns)
    assert read_count > 300


def test_a_cell_outside_of_every_sheet_is_refused_before_loading(tmp_path: Path) -> None:
    """Two such cells in an old workbook would end the whole program, as above."""
    source = real("messy_xlsx/dates-1904.xls")
    data = bytearray(source.read_bytes())
    found = re.search(
        rb"(?:\xbd\x00.\x00|\x7e\x02\x0a\x00|\x03\x02\x0e\x00)[\x00\x01]\x00(?=[\x00-\x05]\x00)", data, re.DOTALL
    )
    assert found is not None
    data[found.end() : found.end() + 2] = (60_000).to_bytes(2, "little")
    path = tmp_path / "far.xls"
    path.write_bytes(data)
    refused(path, "damaged|broke off|not enough memory")
    path.write_bytes(source.read_bytes()[:700])
    refused(path, "damaged")


def test_a_damaged_name_inside_a_workbook_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/wörkbook.xml", "x")
    path.write_bytes(path.read_bytes().replace("wö".encode(), b"w\xc3\xc3"))
    refused(path, "damaged or incomplete")


@pytest.mark.parametrize("start", [b"\x1c\0\0\0\0\0\0\0ENCRYPTEDSAV\0\0", b"PARE"], ids=["SPSS", "Parquet"])
def test_a_locked_file_asks_for_a_copy_without_the_password(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "locked.dat"
    path.write_bytes(start + random.Random(1).randbytes(3000))
    refused(path, "without the password")


@pytest.mark.parametrize("lost", [1, 79, 81, 1000])
def test_a_transport_file_that_was_cut_off_is_not_read_in_part(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "t.xpt"
    pyreadstat.write_xport(pd.DataFrame({"age": [float(k) for k in range(300)], "dx": ["gout"] * 300}), path)
    assert read(path).table.n == 300
    path.write_bytes(path.read_bytes()[:-lost])
    refused(path, "damaged or incomplete")


def test_a_line_that_is_no_flat_object_is_named_in_a_short_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n' * 5 + '{"a": {"b": 1}}\n' + '{"a": 1}\n')
    with pytest.raises(FileFault, match="line 6 is no flat object") as caught:
        read(path)
    assert len(str(caught.value).split()) <= 25


@pytest.mark.parametrize("text", ['{{"sex": "m", "dx": "a{}"}}\n', '{{"sex": "m", "dx{}": "gout"}}\n'])
def test_half_a_letter_is_refused_while_it_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text.format("") * 5 + text.format("\\ud83e\\udda0") * 5)  # a whole one
    assert read(path).table.n == 10
    path.write_text(text.format("") * 5 + text.format("\\ud83e") * 5)
    refused(path, "Unicode")


def test_a_frame_with_half_a_letter_is_refused() -> None:
    frame = pd.DataFrame({"sex": ["m", "f"] * 50, "dx": pd.Series(["gout", "a\ud83e"] * 50, dtype=object)})
    with pytest.raises(SpluError, match="Unicode"):
        api.propose(frame)


def test_a_key_said_twice_is_no_flat_object(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"age": 1}\n' * 5 + '{"age": 1, "age": 2}\n')
    refused(path, "line 6 is no flat object")

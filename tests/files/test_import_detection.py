"""Encodings, dialects, headers, numbers, dates and missing values, each told apart by what stands in the file."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import Decision, ImportChoices, ProblemKind, TableReading, preview, read
from splu_desktop.files.importer.columns.header import find_header
from splu_desktop.files.importer.text import dialect, encoding
from splu_desktop.files.importer.text import layout as text_layout

pytestmark = pytest.mark.usefixtures("readers_here")


def table(tmp_path: Path, text: str | bytes, choices: ImportChoices | None = None) -> TableReading:
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, choices)


def shown(found: TableReading, name: str) -> list[str]:
    column = found.table[name]
    return [str(column.labels[k]) for k in column.codes]


ALPHABETS = {
    "German": ("Name,Straße,Größe\nMüller,Hauptstraße 5,Übelkeit\nJörg,Bäckerweg,schön\n", "cp1252 cp850 mac_roman"),
    "French": ("Prénom,Décès,Hôpital\nRené,été,Hôtel-Dieu\nFrançois,âgé,opération\n", "cp1252 mac_roman cp850"),
    "Spanish": ("Año,Sección,Niño\nMuñoz,año,corazón\nEspaña,2011,sí\n", "cp1252 mac_roman cp850"),
    "Polish": ("Imię,Nazwisko,Płeć\nŁukasz,Żółć,mężczyzna\nStanisław,Wróbel,ćwiczenie\n", "cp1250 iso8859_2"),
    "Czech": ("Jméno,Příjmení\nJiří,Dvořák\nTomáš,Černý\nMůj,kůň\n", "cp1250 iso8859_2"),
    "Turkish": ("Adı,Soyadı,Şehir\nAyşe,Yılmaz,İstanbul\nÇağrı,Güneş,Muğla\n", "cp1254"),
    "Russian": ("Имя,Фамилия,Диагноз\nИван,Петров,Грипп\nМария,Сидорова,Пневмония\n", "cp1251 koi8_r cp866 iso8859_5"),
    "Greek": ("Όνομα,Επώνυμο\nΓιώργος,Παπαδόπουλος\nΜαρία,Νικολάου\n", "cp1253"),
    "Greek with Ά, of Windows": ("Όνομα,Επώνυμο\nΆννα,Άνθης\nΜαρία,Νικολάου\n", "cp1253"),
    "Greek with Ά, of ISO": ("Όνομα,Επώνυμο\nΆννα,Άνθης\nΜαρία,Νικολάου\n", "iso8859_7"),
    "Hebrew": ("שם,מין\nדוד,זכר\nשרה,נקבה\n", "cp1255"),
    "Arabic": ("الاسم,الجنس\nمحمد,ذكر\nفاطمة,أنثى\n", "cp1256"),
    "Chinese, simplified": ("姓名,性别,诊断\n王小明,男,肺炎\n李华,女,感冒发烧\n", "gb18030 gbk"),
    "Chinese, traditional": ("姓名,性別,診斷\n王小明,男,肺炎\n李華,女,感冒發燒\n", "big5"),
    "Japanese": ("名前,性別,診断\n田中さん,男,かぜをひいた\n鈴木,女,インフルエンザ\n", "cp932 euc_jp iso2022_jp"),
    "Korean": ("이름,성별,진단\n김철수,남,폐렴\n이영희,여,감기\n", "cp949"),
    "Greek in capitals": (
        "ΟΝΟΜΑ,ΗΛΙΚΙΑ\nΠΑΠΑΔΟΠΟΥΛΟΣ,50\nΔΙΑΒΗΤΗΣ,39\nΚΑΡΔΙΟΛΟΓΙΚΗ,61\nΑΝΔΡΑΣ,23\nΝΙΚΟΛΑΟΥ,45\nΥΠΕΡΤΑΣΗ,7\n",
        "cp1253 iso8859_7",
    ),
    "Greek of DOS and Mac": (
        "Όνομα,Επώνυμο,Διάγνωση\nΓιώργος,Παπαδόπουλος,Πνευμονία\nΜαρία,Νικολάου,Διαβήτης\n",
        "cp737 mac_greek",
    ),
    "Russian in capitals": (
        "ФАМИЛИЯ,ОТДЕЛЕНИЕ,ДИАГНОЗ\nПЕТРОВ,ХИРУРГИЯ,АППЕНДИЦИТ\nСИДОРОВА,ТЕРАПИЯ,ПНЕВМОНИЯ\n",
        "cp1251 koi8_r iso8859_5",
    ),
    "Russian of Mac": ("Имя,Фамилия,Диагноз\nИван,Петров,Грипп\nМария,Сидорова,Пневмония\n", "mac_cyrillic"),
    "Ukrainian": (
        "Прізвище,Відділення,Діагноз\nШевченко,Хірургія,Пневмонія\nКравченко,Терапія,Гіпертонія\n",
        "cp1251 koi8_u",
    ),
    "Arabic of ISO": ("الاسم,الجنس,التشخيص\nمحمد,ذكر,السكري\nفاطمة,أنثى,التهاب رئوي\nإبراهيم,ذكر,سعال\n", "iso8859_6"),
    "Hebrew of DOS": ("שם,מין,אבחנה\nדוד כהן,זכר,דלקת ריאות\nשרה לוי,נקבה,סוכרת\nיעל,נקבה,כאב בחזה\n", "cp862"),
    "Turkish of DOS": ("Adı,Soyadı,Şehir\nAyşe,Yılmaz,İstanbul\nÇağrı,Güneş,Muğla\n", "cp857"),
    "Turkish with three in a row": ("Tanı,Ağrı\nŞeker hastalığı,ağrı\nKırık,çığlık\n", "cp1254"),
    "Vietnamese": (
        "Ho\u0323 tên,Khoa,Châ\u0309n đoán\nNguyê\u0303n,Nô\u0323i,viêm phô\u0309i\nTrâ\u0300n,đau ngư\u0323c\n",
        "cp1258",
    ),
    "French with œ": ("Prénom,Décès,Siège\nRené,été,Cœur\nFrançois,âgé,Œsophage\n", "iso8859_15"),
    "French with ´ for ’": ("Prénom,Décès,Siège\nRené,l´été,poumon\nFrançois,âgé,œil\n", "cp1252"),
    "French bands of age": (
        "Tranche,Motif,Arrêt\n18 à 30,épaule,1\n31 à 45,genou,2\n46 à 60,x,3\n61 à 75,y,4\n",
        "cp1252",
    ),
    "Japanese of half width": (
        "患者氏名,ﾌﾘｶﾞﾅ\n山田太郎,ﾔﾏﾀﾞ\n佐藤花子,ｻﾄｳ ﾊﾅｺ\n鈴木一郎,ｽｽﾞｷ ｲﾁﾛｳ\n渡辺直美,ﾜﾀﾅﾍﾞ ﾅｵﾐ\n",
        "cp932",
    ),
    "Japanese, few kana": (
        "患者氏名,病棟,診断\n渡辺直美,循環器内科,胃がん\n岡田拓也,整形外科,心筋梗塞\n石川恵,小児科,右足の腫れ\n",
        "euc_jp cp932",
    ),
    "units": ("Temp °C,Größe\n37°,5 µm\n38 °C,§ 5\n", "cp1252"),
    "quotes": ("a,b\n“hello”,it’s – fine\nx,y\n", "cp1252 mac_roman"),
    "any": ("Name,Größe\nŁukasz,漢字\n", "utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32"),
}


@pytest.mark.parametrize(
    ("name", "codec"), [(name, c) for name, (_, codecs) in ALPHABETS.items() for c in codecs.split()]
)
def test_encodings(name: str, codec: str) -> None:
    text = ALPHABETS[name][0]
    data = text.encode(codec)
    found = encoding.detect([data])
    assert data.decode(found.name).lstrip("\ufeff") == text


def test_one_accented_letter_late_in_a_file(tmp_path: Path) -> None:
    rows = "".join(f"{i},Jane,Rome\n" for i in range(60_000))
    found = table(tmp_path, f"id,name,town\n{rows}1,René,Köln\n".encode("cp1252"))
    assert found.choices.encoding == "cp1252"
    assert "René" in found.table["name"].labels


def test_damaged_utf_8_is_read_and_listed(tmp_path: Path) -> None:
    rows = "".join(f"{i},Müller\n" for i in range(50)).encode()
    found = table(tmp_path, b"id,name\n" + rows + b"50,M\xc3ller\n")
    assert found.choices.encoding == "utf-8"
    listed = [p for p in found.problems if p.kind is ProblemKind.UNDECODABLE]
    assert [(p.row, p.column) for p in listed] == [(52, "name")]


def test_an_unsure_guess_says_so(tmp_path: Path) -> None:
    found = table(tmp_path, b"id,text\n1,\x89\xdb\xaa\x9d\xdb x\n2,\xcc\xb1\x89\xdb\n3,y\n")
    assert any("isn't sure" in note for note in found.notes)  # the command line tells notes beside a plan


DIALECTS = [
    ("a,b\n1,2\n", ",", '"'),
    ("a;b\n1,5;2\n2,5;3\n", ";", '"'),
    ("a\tb\n1\t2\n", "\t", '"'),
    ("a|b\n1|2\n", "|", '"'),
    ("a^b\n1^2\n3^4\n", "^", '"'),
    ("a~b\n1~2\n3~4\n", "~", '"'),
    ("a:b\n1:2\n3:4\n", ":", '"'),
    ("a||b\n1||2\n3||4\n", "||", '"'),
    ("a::b\n1::2\n3::4\n", "::", '"'),
    ("a b c\n1 2 3\n4 5 6\n", " ", '"'),
    ("a   b   c\n1  2  3\n 4   5  6\n", " ", '"'),
    ("a\x01b\n1\x012\n3\x014\n", "\x01", '"'),
    ("'a','b'\n'x, y','2'\n'z','3'\n", ",", "'"),
    ("sep=;\na;b\n1;2\n", ";", '"'),
    ('a\tb\n5" pipe\t3\n"6 inch\t4\n7\t5\n8\t6\n', "\t", '"'),
    ('a;b\n"x; y";1\n"z";2\n', ";", '"'),
    ("id;note\n1;one, two, three\n2;four, five\n3;six\n", ";", '"'),
]


@pytest.mark.parametrize(("text", "delimiter", "quote"), DIALECTS, ids=[repr(case[0][:12]) for case in DIALECTS])
def test_dialects(text: str, delimiter: str, quote: str) -> None:
    found, _ = dialect.detect(text, ImportChoices())
    assert (found.delimiter, found.quote) == (delimiter, quote)


@pytest.mark.parametrize(
    "text",
    [
        "name\nJohn Smith\nJane Doe\n",
        "seen\n2020-01-01 10:00\n2020-01-02 11:30\n",
        "mail\na@b.de\nc@d.de\n",
        "time\n10:30\n11:40\n",
        "Wert\n1,5\n2,5\n3,25\n",
        "id\n1\n2\n",
        "link\nhttps://a.de/x?y=1\nhttps://b.de/z\n",
    ],
)
def test_a_single_column_is_not_split(tmp_path: Path, text: str) -> None:
    found = table(tmp_path, text)
    assert len(found.table.columns) == 1
    assert shown(found, found.table.names[0]) == text.split("\n")[1:-1]


def test_backslash_before_a_quote(tmp_path: Path) -> None:
    found = table(tmp_path, 'a,b\n"x\\"y, z",3\n"q",4\n')
    assert shown(found, "a") == ['x"y, z', "q"]


HEADERS = [
    ("plain", [["id", "age"], ["1", "30"], ["2", "40"]], (0, 0)),
    ("none", [["1", "30", "x"], ["2", "40", "y"], ["3", "41", "x"]], (-1, -1)),
    ("title", [["Report of 2020", "", ""], ["", "", ""], ["id", "age", "sex"], ["1", "30", "m"]], (2, 2)),
    ("years", [["Region", "2019", "2020", "2021"], ["North", "5", "6", "7"], ["South", "1", "2", "3"]], (0, 0)),
    ("units", [["id", "weight", "height"], ["", "(kg)", "(cm)"], ["1", "70", "180"], ["2", "71", "181"]], (0, 1)),
    ("groups", [["", "men", "", "women", ""], ["age", "n", "%", "n", "%"], ["30", "1", "2", "3", "4"]], (0, 1)),
    ("comments", [["# by X", "v1"], ["# on Monday"], ["id", "name"], ["1", "a"], ["2", "b"]], (2, 2)),
    ("notes", [["Report", "made", "by"], ["me"], [], ["id", "name", "n"], ["1", "a", "2"], ["2", "b", "3"]], (3, 3)),
    ("dates", [["id", "2020-01-01", "2020-02-01"], ["a", "1", "2"], ["b", "3", "4"]], (0, 0)),
    ("teeth", [["Card", "Sex", *map(str, range(11, 19))], ["9", "f", *"fkxfkxfk"], ["6", "m", *"kkxffkkx"]], (0, 0)),
    ("roster", [["Who", *(f"2024-01-0{day}" for day in range(1, 8))], ["Jo", *"NDNDNNN"], ["Al", *"DNDNDDN"]], (0, 0)),
    ("a number among marks", [["m", "1", "x"], ["f", "y", "x"], ["m", "y", "z"], ["f", "1", "x"]], (-1, -1)),
    ("repeated value", [["m", "yes"], ["f", "no"], ["m", "no"], ["f", "yes"]], (-1, -1)),
]


@pytest.mark.parametrize(("name", "rows", "where"), HEADERS, ids=[case[0] for case in HEADERS])
def test_headers(name: str, rows: list[list[str]], where: tuple[int, int]) -> None:
    found = find_header(rows)
    assert (found.first, found.last) == where
    assert found.reason


def test_row_names_without_a_name_of_their_own(tmp_path: Path) -> None:
    found = table(tmp_path, '"x" "y"\n"1" 1.5 2\n"2" 2.5 3\n"3" 3.5 4\n')
    assert found.table.names == ("Column 1", "x", "y")
    assert shown(found, "y") == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("age,crp,dx\n" + "50,1,5,flu\n61,12,0,gout\n50,3,9,flu\n" * 5, True),
        ("age,crp,dx\n" + "50,1,5,flu\n61,12,gout\n50,3,9,flu\n" * 5, True),
        ("age,crp,dx\n" + '50,"1,5",flu\n61,12,gout\n' * 5, False),
        ("age,crp,dx\n" + "50,1,flu,\n61,12,gout,\n" * 5, False),
        ("x,y\n" + "".join(f"{i},1,5\n" for i in range(9)), False),
    ],
)
def test_records_with_more_fields_than_the_header_are_told_as_commas_within_numbers(
    tmp_path: Path, text: str, told: bool
) -> None:
    """But not R's names of rows, nor a comma that ends each line."""
    found = table(tmp_path, text)
    assert any("numbers with a comma between quotes" in p.sentence for p in found.problems) is told
    assert (found.table.names[0] == "Column 1") is text.startswith("x")


def test_rows_above_the_header_are_counted(tmp_path: Path) -> None:
    found = table(tmp_path, "Report\nof May\n\nid,n\n1,2\n3,4\n")
    assert [(p.row, p.value) for p in found.problems if p.kind is ProblemKind.SKIPPED_ROWS] == [
        (1, "Report"),
        (2, "of May"),
    ]


def test_what_one_date_column_tells_holds_for_the_others(tmp_path: Path) -> None:
    found = table(tmp_path, "id,seen,left\n1,01/02/2020,01/31/2020\n2,03/04/2020,03/05/2020\n")
    assert found.choices.date_order == "mdy"
    assert not [p for p in found.problems if p.kind is ProblemKind.DATE_ORDER]
    assert found.table["seen"].values is not None
    assert found.table["seen"].values[0] == np.datetime64("2020-01-02")


def test_group_names_are_joined(tmp_path: Path) -> None:
    found = table(tmp_path, ",men,,women,\nage,n,%,n,%\n30,1,2,3,4\n31,5,6,7,8\n")
    assert found.table.names == ("age", "men n", "men %", "women n", "women %")
    assert found.choices.header_rows == 2


def test_types(tmp_path: Path) -> None:
    found = table(
        tmp_path,
        "code,icd,n,x,price,share,yes,when,stamp\n"
        '007,V57,1,1.50,"$1,200.00",5%,y,2020-01-31,2020-01-31 10:00\n'
        "012,250.01,2,2,$3.50,7.5%,n,2020-02-01,2020-02-01 11:30:05\n",
    )
    kinds = [column.kind for column in found.table.columns]
    assert kinds == [
        Kind.CATEGORY,
        Kind.CATEGORY,
        Kind.INTEGER,
        Kind.DECIMAL,
        Kind.DECIMAL,
        Kind.DECIMAL,
        Kind.BOOLEAN,
        Kind.DATE,
        Kind.DATETIME,
    ]
    assert shown(found, "code") == ["007", "012"]
    assert shown(found, "x") == ["1.50", "2"]
    assert found.table["price"].values is not None
    assert found.table["price"].values.tolist() == [3.5, 1200.0]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("id;x\n1;1.234,5\n2;7,25\n", [7.25, 1234.5]),
        ("id;x\n1;1.613\n2;379\n3;2.003\n", [379, 1613, 2003]),
        ('id,x\n1,"1,234.5"\n2,7.25\n', [7.25, 1234.5]),
        ('id,x\n1,"1,234"\n2,"7,250"\n', [1234, 7250]),
        ("id;x\n1;1 234,5\n2;7\n", [7, 1234.5]),
        ("id;x\n1;1'234.5\n2;7\n", [7, 1234.5]),
        ("id,x\n1,1e3\n2,-2.5\n", [-2.5, 1000]),
    ],
)
def test_number_formats(tmp_path: Path, text: str, numbers: list[float]) -> None:
    found = table(tmp_path, text)
    column = found.table["x"]
    assert column.values is not None
    assert column.values.tolist() == numbers
    # Of the file's own marks: "numbers are written like 1,234.5" stood in reports on files without a thousands mark.
    example = found.reasons["decimal"].removeprefix("numbers are written like ")
    assert {mark for mark in example if not mark.isdigit()} <= set(text)


@pytest.mark.parametrize(
    ("days", "first"),
    [
        (["31/01/2020", "02/03/2020"], "2020-01-31"),
        (["01/31/2020", "02/03/2020"], "2020-01-31"),
        (["31.1.2020", "2.3.2020"], "2020-01-31"),
        (["2020/01/31", "2020/03/02"], "2020-01-31"),
        (["31 January 2020", "2 March 2020"], "2020-01-31"),
        (["Jan 31, 2020", "Mar 2, 2020"], "2020-01-31"),
        (["31. Januar 2020", "2. März 2020"], "2020-01-31"),
        (["31 janvier 2020", "2 mars 2020"], "2020-01-31"),
        (["31 de enero de 2020", "2 de marzo de 2020"], "2020-01-31"),
        (["31-Jan-20", "02-Mar-20"], "2020-01-31"),
        (["20200131", "20200302"], "2020-01-31"),
        (["43861", "43892"], "2020-01-31"),
    ],
)
def test_dates(tmp_path: Path, days: list[str], first: str) -> None:
    column = table(tmp_path, "id;visit date\n" + "".join(f"{i};{day}\n" for i, day in enumerate(days))).table[
        "visit date"
    ]
    assert column.kind is Kind.DATE
    assert column.values is not None
    assert column.values[column.code_of(days[0])] == np.datetime64(first)


def test_dates_that_can_be_read_both_ways_are_asked_about(tmp_path: Path) -> None:
    text = "id,seen\n1,03/04/2020\n2,05/06/2021\n"
    found = table(tmp_path, text)
    asked = next(p for p in found.problems if p.kind is ProblemKind.DATE_ORDER and p.column == "seen")
    # Nothing was kept as text, dropped or taken as missing, and it is of the column, not of one row.
    assert (asked.done, asked.told_rows, asked.as_dict()["decision"], asked.as_dict()["rows"]) == ("", 0, "", 0)
    assert asked.sentence in found.notes
    told = table(tmp_path, text, ImportChoices(date_order="mdy"))
    assert not told.notes
    assert not [p for p in told.problems if p.kind is ProblemKind.DATE_ORDER]
    assert told.table["seen"].values is not None
    assert told.table["seen"].values[0] == np.datetime64("2020-03-04")


@pytest.mark.parametrize(("other", "asked"), [(1, False), (30, True), (150, True), (270, True), (299, False)])
def test_dates_that_were_written_in_both_orders_are_asked_about(tmp_path: Path, other: int, asked: bool) -> None:
    """Of what both orders allow nobody knows which it is; a slip among hundreds is one that does not fit."""
    days = [np.datetime64("2023-01-01") + i for i in range(300)]
    mixed = np.random.default_rng(1).permutation(300) < other
    texts = [
        ("{1}/{2}/{0}" if m else "{2}/{1}/{0}").format(*str(d).split("-")) for d, m in zip(days, mixed, strict=True)
    ]
    found = table(tmp_path, "id,seen\n" + "".join(f"{i},{text}\n" for i, text in enumerate(texts)))
    told = [p for p in found.problems if p.kind is ProblemKind.DATE_ORDER]
    assert bool(told) == asked
    # The sentence names the order that was taken.
    assert (found.choices.date_order or "dmy") == ("mdy" if other == 299 else "dmy")


def test_missing_values_are_proposed_and_only_the_sure_ones_taken(tmp_path: Path) -> None:
    rows = [
        "5,Anna,None,34,?",
        "6,nan,7.1,-9,b",
        "7,Nan,6.9,999,b",
        "NA,Eva,None,51,a",
        ",Null,8.0,62,a",
        "9,Lea,7.7,45,a",
    ]
    found = table(tmp_path, "n,name,hba1c,age,arm\n" + "\n".join(rows) + "\n")
    state = {(t.column, t.token): t.applied for t in found.missing_tokens}
    assert state["n", ""]
    assert state["n", "NA"]
    assert state["arm", "?"]
    assert state["age", "-9"] is False
    assert state["age", "999"] is False
    assert state["name", "nan"] is False
    assert state["hba1c", "None"] is False
    assert not found.table["name"].missing.any()
    # Whoever proposes or publishes is told, since in a band -9 is a low age like any other.
    assert sum("age = -9" in note and "age = 999" in note for note in map(str, found.notes)) == 1
    told = table(
        tmp_path,
        "n,name,hba1c,age,arm\n" + "\n".join(rows) + "\n",
        ImportChoices(missing={"age": ("-9", "999"), "hba1c": ("None",), "n": ()}),
    )
    assert sorted(told.table["age"].labels[told.table["age"].missing]) == ["-9", "999"]
    assert told.table["hba1c"].kind is Kind.DECIMAL
    assert not told.table["n"].missing.any()
    assert not any("age = " in note for note in map(str, told.notes))


@pytest.mark.parametrize(
    ("decision", "records", "missing"), [(Decision.KEEP, 9, 0), (Decision.MISSING, 9, 1), (Decision.DROP, 8, 0)]
)
def test_what_is_done_with_a_value_that_does_not_fit(
    tmp_path: Path, decision: Decision, records: int, missing: int
) -> None:
    text = "age,sex\n" + "".join(f"{30 + i},m\n" for i in range(8)) + "forty,f\n"
    found = table(tmp_path, text, ImportChoices(decisions={ProblemKind.MISFIT: decision}))
    assert found.table["age"].kind is Kind.INTEGER
    assert found.table.n == records
    assert found.rows_dropped == 9 - records
    assert int(found.table["age"].counts()[found.table["age"].missing].sum()) == missing
    assert [(p.row, p.column, p.value, p.decision) for p in found.problems] == [(10, "age", "forty", decision)]


def test_rows_with_too_many_or_too_few_fields(tmp_path: Path) -> None:
    text = "a,b,c\n" + "1,2,3\n" * 30 + "1,2,3,4\n" + "1,2\n" + "1,2,3\n" * 30
    found = table(tmp_path, text)
    assert found.table.n == 62
    assert [(p.kind, p.row) for p in found.problems] == [(ProblemKind.LONG_ROW, 32), (ProblemKind.SHORT_ROW, 33)]
    drop = {ProblemKind.LONG_ROW: Decision.DROP, ProblemKind.SHORT_ROW: Decision.DROP}
    fewer = table(tmp_path, text, ImportChoices(decisions=drop))
    assert fewer.table.n == 60
    assert len(fewer.problems) == 2


def test_padding_and_repeated_names(tmp_path: Path) -> None:
    found = table(tmp_path, "a,a,,b,,\n1,2,3,4,,\n,,,,,\n5,6,7,8,,\n")
    assert found.table.names == ("a", "a (2)", "Column 3", "b")
    assert found.table.n == 2
    assert sum(p.kind is ProblemKind.NAME_CHANGED for p in found.problems) == 2


def test_every_choice_overrules_detection(tmp_path: Path) -> None:
    text = "x;y\n1,5;a\n2,5;b\n"
    found = table(tmp_path, text, ImportChoices(delimiter=",", header_row=0, types={"Column 1": Kind.CATEGORY}))
    assert found.choices.delimiter == ","
    assert found.table.n == 3
    assert found.table["Column 1"].kind is Kind.CATEGORY
    again = table(tmp_path, text, table(tmp_path, text).choices)
    assert again.table.names == ("x", "y")
    assert again.choices == table(tmp_path, text).choices


def test_preview_shows_the_first_records_and_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Report\n\nid,age\n" + "".join(f"{i},{i % 90}\n" for i in range(5000)))
    seen = preview(path, limit=50)
    assert seen.reading.table.names == ("id", "age")
    assert seen.reading.table.n == 50
    assert [column.written_texts()[:2].tolist() for column in seen.reading.table.columns] == [["0", "1"]] * 2
    assert seen.head[0] == ("Report",)
    assert seen.rows[0] == 4
    assert seen.reading.choices.header_row == 3


@pytest.mark.parametrize("late", ["Köln", "Łódź"])
def test_the_first_part_of_a_file_may_end_within_a_letter(tmp_path: Path, late: str) -> None:
    """What is previewed and what is read agree, wherever the first part is cut."""
    path = tmp_path / "t.csv"
    head = "id,town\n" + "".join(f"{i},Rome\n" for i in range(40_000))
    for shift in range(3):
        text = head[: text_layout.HEAD - 20 - shift].rsplit("\n", 1)[0] + "\n"
        filler = "9" * (text_layout.HEAD - len(text.encode()) - 3 - shift)
        rest = "".join(f"{i},{late}\n" for i in range(2000))
        path.write_text(f"{text}{filler},{late}\n{rest}", encoding="utf-8", newline="")
        assert read(path).choices.encoding == "utf-8"
        assert preview(path).reading.choices.encoding == "utf-8"
        assert late in read(path).table["town"].labels


def test_an_encoding_that_shows_late_is_that_of_the_names_too(tmp_path: Path) -> None:
    """The header says nothing for certain, the records far below do: everything is read by what they say."""
    rows = "".join(f"{i},Rome\n" for i in range(60_000))
    data = f"id,größe\n{rows}".encode("cp1250") + "1,Łódź\n2,Święty Krzyż\n3,Żółkiew\n".encode("cp1250") * 30
    found = table(tmp_path, data)
    assert found.choices.encoding == "cp1250"
    assert found.table.names == ("id", "größe")
    assert "Łódź" in found.table["größe"].labels


@pytest.mark.parametrize(
    ("codec", "names", "values", "right"),
    [
        ("gb18030", ["pid", "年龄", "性别"], "男女", True),  # fields of one character each
        ("cp949", ["번호", "성별", "사망"], "남여", True),
        ("cp1253", ["κωδ", "φύλο", "έκβαση"], "ΑΘ", False),  # too few letters for anybody to tell
        ("cp1252", ["Fall", "Dosis µg", "Temp °C"], "mw", False),
    ],
)
def test_a_table_of_few_letters_is_read_rightly_or_asked_about(
    tmp_path: Path, codec: str, names: list[str], values: str, right: bool
) -> None:
    chance = random.Random(3)
    rows = [
        f"P{i},{chance.randint(1, 95)}{'岁' if codec == 'gb18030' else ''},{chance.choice(values)}" for i in range(60)
    ]
    (tmp_path / "t.csv").write_bytes("\n".join([",".join(names), *rows]).encode(codec))
    found = read(tmp_path / "t.csv")
    assert not right or found.table.names == tuple(names)
    assert found.table.names == tuple(names) or any("isn't sure" in p.sentence for p in found.problems)


@pytest.mark.parametrize("encoding", ["cp1250", "iso8859_2"])
def test_a_word_of_accented_letters_alone_is_a_word(tmp_path: Path, encoding: str) -> None:
    rows = [f"{each};Łukasz Żółć{each};Wewnętrzny" for each in range(300)]
    path = tmp_path / "polish.csv"
    path.write_text("\n".join(["Nr;Imię i nazwisko;Oddział", *rows]) + "\n", encoding=encoding)
    assert read(path).table.names == ("Nr", "Imię i nazwisko", "Oddział")

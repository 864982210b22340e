"""One meaning per value: however a cell is written, it counts as one; what is unchanged goes out as it came in."""

from __future__ import annotations

import datetime
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from splu_desktop.core.table import Column, Kind
from splu_desktop.files.importer import ImportChoices, TableReading, read
from splu_desktop.files.importer.columns.date_texts import parse_dates
from splu_desktop.files.importer.columns.kinds import Texts
from splu_desktop.files.importer.columns.many_texts import look_at
from splu_desktop.files.importer.columns.number_texts import MarkEvidence, NumberFormat, plain_numbers
from splu_desktop.files.importer.period_texts import name_formats, period_text
from splu_desktop.files.isolation.faults import BadChoice, FileFault
from tests.columns import column_of

ROWS = {
    "dx": ["Ménière", "flu", "gout", "flu", "Ménière", "gout", "flu", "flu", "gout"],
    "stage": ["1", "2", "3", "1", "2", "3", "1", "2", "1"],
    "day": ["2024-01-05", "2024-01-06", "2024-02-01", "2024-01-05", "2024-03-09", "2024-03-10", "", "2024-01-05", ""],
    "at": [f"2024-01-0{k + 1} 23:30:00" for k in range(9)],
}
RESPELLED = {
    "dx": lambda text: " " + unicodedata.normalize("NFD", text).upper() + "  ",
    "stage": lambda text: text + ".0",
    "day": lambda text: text and ".".join(reversed(text.split("-"))),
    "at": lambda text: text.replace(" ", "T") + "+02:00",
}


def written(path: Path, columns: dict[str, list[str]]) -> TableReading:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    path.write_text("".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
    return read(path)


def meanings(column: Column) -> list[object]:
    if column.values is not None:
        return column.values[column.codes].tolist()
    return [unicodedata.normalize("NFC", str(text)).casefold().strip() for text in column.labels[column.codes]]


@pytest.mark.parametrize("which", [slice(0, None, 2), slice(1, None, 2), slice(0, 4)])
def test_cells_written_in_another_way_change_no_count_and_no_date(tmp_path: Path, which: slice) -> None:
    plain = written(tmp_path / "a.csv", ROWS).table
    texts = {name: list(cells) for name, cells in ROWS.items()}
    for name, cells in texts.items():
        cells[which] = [RESPELLED[name](cell) for cell in cells[which]]
    other = written(tmp_path / "b.csv", texts)
    for column in plain.columns:
        found = other.table[column.name]
        assert found.kind is column.kind
        assert found.m == column.m
        assert sorted(found.counts().tolist()) == sorted(column.counts().tolist())
        assert meanings(found) == meanings(column)
        assert found.written_texts().tolist() == texts[column.name]  # but what goes out unchanged
    notes = [p.sentence for p in other.problems if "in several ways" in p.sentence]
    assert len(notes) == 1


def test_choices_as_resolved_give_the_same_table(tmp_path: Path) -> None:
    cells = {"a": ["1", "NA", "", "2.0", "2", "5", "7", "9"], "b": ["Flu", "flu ", "?", "", "gout", "x", "y", "z"]}
    first = written(tmp_path / "t.csv", cells)
    again = read(tmp_path / "t.csv", first.choices)
    for one, other in zip(first.table.columns, again.table.columns, strict=True):
        assert one.labels.tolist() == other.labels.tolist()
        assert one.missing.sum() == 1
        assert one.written_texts().tolist() == other.written_texts().tolist() == cells[one.name]


def test_the_commonest_way_is_the_label_and_a_tidy_one_of_equals(tmp_path: Path) -> None:
    found = written(tmp_path / "t.csv", {"a": ["Flu", "flu", "Flu", "x  y", "x y"], "b": list("12345")}).table["a"]
    assert found.labels.tolist() == ["Flu", "x y"]
    assert found.with_codes(found.codes).written_texts().tolist() == ["Flu", "Flu", "Flu", "x y", "x y"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "1.0", "1,0", "2", "2.00", "2,0", "3.5", "3,5"], [1.0, 2.0, 3.5]),
        (["1,5", "1.5", "2,25", "2.25", "1.250,5"], [1.5, 2.25, 1250.5]),
        (["<5", "<5,0", "7.5", "7,5", "8", "9", "10"], None),
        (["50%", "50,0 %", "50.0%", "60%"], [0.5, 0.6]),
        (["5 mg", "5,0 mg", "5.0 mg", "6.5 mg", "7 mg", "8 mg", "9 mg"], [5.0, 6.5, 7.0, 8.0, 9.0]),
        (["1", "2", "1,2", "2,3", "3"], None),
    ],
)
def test_both_decimal_marks_in_a_column_are_one(tmp_path: Path, cells: list[str], values: list[float] | None) -> None:
    """But lists of codes such as 1,2 beside whole numbers stay texts."""
    first = written(tmp_path / "t.csv", {"a": cells, "b": [str(i) for i in range(len(cells))]})
    found = first.table["a"]
    assert found.m == (5 if values is None else len(values))
    assert values is None or (found.values is not None and found.values.tolist() == values)
    assert found.written_texts().tolist() == cells
    again = read(tmp_path / "t.csv", first.choices).table["a"]
    assert again.labels.tolist() == found.labels.tolist()


def test_both_decimal_marks_are_told_where_no_value_has_both(tmp_path: Path) -> None:
    found = written(tmp_path / "t.csv", {"a": ["1.5", "2,7", "3"], "b": list("123")})
    assert any("2,7 was read as 2.7." in problem.sentence for problem in found.problems)


def test_spellings_stay_apart_where_somebody_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("gene;n\nBRCA;1\nbrca;2\nBRCA;3\n", encoding="utf-8")
    assert read(path).table["gene"].m == 1
    assert read(path, ImportChoices(keep_spellings=("gene",))).table["gene"].m == 2


def test_bounds_of_one_meaning_are_one_value(tmp_path: Path) -> None:
    cells = {"crp": ["<5", " <5", "< 5.0", "≥5", ">= 5", *"56789"], "n": list("0123456789")}
    found = written(tmp_path / "t.csv", cells).table["crp"]
    assert found.m == 7
    assert found.written_texts().tolist() == cells["crp"]


def test_days_written_with_midnight_are_days(tmp_path: Path) -> None:
    cells = {"day": ["2024-01-05 00:00:00", "2024-01-06", "07.01.2024"] * 3, "n": list("123456789")}
    assert written(tmp_path / "t.csv", cells).table["day"].kind is Kind.DATE


@pytest.mark.parametrize(
    "pair",
    [
        ("Crohn's", "Crohn’s"), ("1-4 h", "1–4 h"), ("ＨＩＶ", "HIV"), ("２型", "2型"), ("ｶﾞﾝ", "ガン"),
        ("АIDS", "AIDS"), ("C50.9", "c509"), ("01", "1"), ("01067", "1067"), ("KIZAMIK", "kızamık"),
        ("İshal", "ishal"), ("III 期", "Ⅲ 期"), ("wait...", "wait…"), ("٣ أ", "3 أ"), ("زكام", "زكـام"),
        ("8:05", "08:05"), ("8:05", "08:05:00"), ("18:05", "18:05:00"), ("20-29", "20 - 29"),
        ("flu,acute", "flu, acute"), ("T1 (left)", "T1(left)"),
        ("זכר", "\u202bזכר\u202c"), ("أنثى", "\u2067أنثى\u2069"), ("Στένωση", "ΣΤΕΝΩΣΗ"),
    ],
)  # fmt: skip
def test_letters_that_look_alike_and_codes_as_programs_cut_them_are_one_value(
    pair: tuple[str, str], tmp_path: Path
) -> None:
    long = "0" * len(pair[0]) if pair[0].isdigit() else "stroke"
    cells = {"a": [*pair, "gout", "gut", long.replace("0", "9"), pair[1]], "b": list("123456")}
    found = written(tmp_path / "t.csv", cells).table["a"]
    assert found.codes[0] == found.codes[1] == found.codes[5]
    assert found.m == 4
    assert found.written_texts().tolist() == cells["a"]


def test_what_says_something_else_stays_apart(tmp_path: Path) -> None:
    cells = {
        "crp": ["5", "<5", "5.0", "≥5", "7", "8", "9", "10", "11"],
        "code": ["007", "7", "07", "8", "9", "1", "2", "3", "4"],
        "icd9": ["0010", "010", "10", "2500", "25001", "1", "2", "3", "4"],  # cholera, tuberculosis
        "gene": ["м2", "n2", "α-1", "a-1", "b-1", "ß-1", "CO2", "CO3", "СО4"],
        "at": ["8:05", "18:05", "8:05:30", "08:50", "80:5", "00:05", "0:50", "8:0", "1:05"],
        "mark": ["a-b", "a b", "ab", "a/b", "a,b", "(a) b", "a(b)", "a;b", "a.b"],
    }
    table = written(tmp_path / "t.csv", cells).table
    assert sorted(table["crp"].labels) == sorted(["5", "<5", "≥5", "7", "8", "9", "10", "11"])
    assert {table[name].m for name in ("code", "icd9", "gene", "at", "mark")} == {9}


@pytest.mark.parametrize("answers", ["yes y Yes no n NO", "ja J j nein N n", "oui o O non n N", "TRUE t T false f F"])
def test_spellings_of_an_answer_are_one_value(tmp_path: Path, answers: str) -> None:
    """A yes that is drawn from y and yes shows more of itself than promised."""
    cells = {"smokes": answers.split() * 5, "n": [str(i) for i in range(30)]}
    first = written(tmp_path / "t.csv", cells)
    found = first.table["smokes"]
    assert (found.kind, found.m, found.counts().tolist()) == (Kind.BOOLEAN, 2, [15, 15])
    assert found.written_texts().tolist() == cells["smokes"]
    kept = read(tmp_path / "t.csv", ImportChoices(keep_spellings=("smokes",))).table["smokes"]
    assert kept.m == len(set(answers.split()))


def test_written_texts_follow_records_and_end_where_values_change(tmp_path: Path) -> None:
    column = written(tmp_path / "t.csv", {"a": ["flu", "Flu", "gout", "flu"], "b": list("1234")}).table["a"]
    order = np.array([1, 2])
    assert column.take(order).written_texts().tolist() == ["Flu", "gout"]
    assert column.take(order).without_unused_labels().written_texts().tolist() == ["Flu", "gout"]
    assert column.take(np.array([3, 1])).without_unused_labels().written_column().labels.tolist() == ["Flu", "flu"]
    assert column.with_codes(column.codes[::-1]).written_texts().tolist() == ["flu", "gout", "flu", "flu"]


def test_null_is_known_before_escapes_are_undone(tmp_path: Path) -> None:
    lines = [f'{k},"says \\"no\\"",{"Y" if k % 3 else chr(92) + "N"},{"N" if k % 2 else "Y"}\n' for k in range(60)]
    (tmp_path / "t.csv").write_text("id,text,a,b\n" + "".join(lines), encoding="utf-8")
    found = read(tmp_path / "t.csv").table
    assert dict(zip(found["a"].labels, found["a"].counts(), strict=True)) == {"Y": 40, "\\N": 20}
    assert found["a"].labels[found["a"].missing].tolist() == ["\\N"]
    assert set(found["b"].labels) == {"N", "Y"}


def test_a_mark_of_a_clock_is_a_mark_and_a_period_has_its_grain() -> None:
    ends = column_of("end", ["2020-01-05", "9999-12-31", "1900-01-01", ""], kind=Kind.DATE)
    assert dict(zip(ends.labels, ends.marks, strict=True)) == {
        "1900-01-01": True, "2020-01-05": False, "9999-12-31": True, "": True,
    }  # fmt: skip
    assert column_of("m", ["2020-01", "2020-12", ""]).grain == "month"
    assert column_of("q", ["2020 Q1", "2021Q4"]).grain == "quarter"
    assert column_of("x", ["2020-01", "may"]).grain == ""


def test_times_keep_the_clock_of_their_place(tmp_path: Path) -> None:
    cells = [f"2024-12-31T2{k % 3}:15:00{'-05:00' if k % 2 else '+01:00'}" for k in range(20)]
    found = written(tmp_path / "t.csv", {"at": cells, "n": [str(k) for k in range(20)]})
    column = found.table["at"]
    assert column.values is not None
    assert set(column.values.astype("datetime64[Y]").astype(str)) == {"2024"}
    assert [p.column for p in found.problems if "offsets" in p.sentence] == ["at"]
    assert column_of("at", cells, kind=Kind.DATETIME).values is not None


@pytest.mark.parametrize(
    ("kind", "form", "stored", "text"),
    [
        ("stata", "%tm", 604.0, "2010-05"),
        ("stata", "%tq", 201.0, "2010 Q2"),
        ("stata", "%tw", 0.0, "1960-W01"),
        ("stata", "%th", -1.0, "1959 H2"),
        ("stata", "%ty", 2010.0, "2010"),
        ("stata", "%tmMonth_CCYY", 604.0, "2010-05"),
        ("spss", "QYR8", 13_607_913_600.0, "2014 Q1"),
        ("spss", "MOYR8", 13_607_913_600.0, "2014-01"),
        ("sas", "YEAR4.", 18_263.0, "2010"),
        ("sas", "YYQ", 18_263.0, "2010 Q1"),
        ("sas", "MONYY7.", 18_263.0, "2010-01"),
        ("sas", "DTYYQC6", 1_577_923_200.0, "2010 Q1"),
        ("sas", "DTDATE9", 1_577_923_200.0, "2010-01-01"),
        ("sas", "TIME8.", 97_260.0, "27:01:00"),
        ("spss", "TIME8", 18_000.0, "05:00:00"),
        ("spss", "DTIME12", 356_460.0, "99:01:00"),
        ("spss", "WKDAY9", 1.0, "Sunday"),
    ],
)
def test_periods_of_statistics_programs_are_written_out(kind: str, form: str, stored: float, text: str) -> None:
    period = period_text(kind, form)
    assert period is not None
    assert period(stored) == text


@pytest.mark.parametrize(
    ("kind", "forms", "days", "moments"),
    [
        ("stata", ["%tdNN/DD/CCYY", "%-td", "%tcCCYY-NN-DD_HH:MM:SS", "%9.0g", "%tm"], 2, 1),
        ("sas", ["WORDDATE18", "NLDATE20", "JULIAN7", "DTMONYY7", "E8601DZ20", "DTDATE9", "DOLLAR8.2", None], 3, 2),
        ("spss", ["DATE11", "F8.2"], 0, 0),
    ],
)
def test_formats_of_days_and_moments_are_named_for_the_library(
    kind: str, forms: list[str | None], days: int, moments: int
) -> None:
    found = name_formats(kind, forms)
    assert list(map(len, found)) == [days, moments]


@pytest.mark.parametrize(
    "text",
    [
        "20240105T053000+0100",
        "20240105053000-0500",
        "20240105053000.000+0100",
        "2024-01-05 05:30:00 America/New_York",
        "2024-01-05 05:30 (UTC+2)",
        "05.01.2024 05:30 UTC+02:00",
        "Fri Jan 05 2024 05:30:00 GMT+0100 (Central European Standard Time)",
    ],
)
def test_the_clock_counts_however_an_offset_is_written(tmp_path: Path, text: str) -> None:
    cells = {"at": [text.replace(f"{5:02}:30", f"{k:02}:30").replace("0530", f"{k:02}30") for k in range(9)]}
    column = written(tmp_path / "t.csv", {**cells, "n": list("123456789")}).table["at"]
    assert column.values is not None
    assert column.values.astype(str).tolist() == [f"2024-01-05T{k:02}:30:00.000000" for k in range(9)]


def test_other_formats_are_no_periods() -> None:
    assert [
        period_text(*each) for each in (("stata", "%td"), ("spss", "F8.2"), ("sas", "YYMMDD10."), ("sas", None))
    ] == [None] * 4


def test_lines_of_metadata_stand_above_a_header(tmp_path: Path) -> None:
    lines = ["#Patient\tSex\tAge", "#who\twhat\twhen", "#STRING\tSTRING\tNUMBER", "PATIENT\tSEX\tAGE"]
    lines += [f"P{k}\t{'mf'[k % 2]}\t{'[Not Available]' if k == 3 else 20 + k}" for k in range(12)]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = read(tmp_path / "t.txt").table
    assert found.names == ("PATIENT", "SEX", "AGE")
    assert (found.n, found["AGE"].kind, int(found["AGE"].missing.sum())) == (12, Kind.INTEGER, 1)


def test_durations_of_more_than_a_day_keep_their_days(tmp_path: Path) -> None:
    seconds = pd.DataFrame({"stay": [18_000.0, 97_260.0, 356_460.0, float("nan")] * 5, "n": range(20)})
    pyreadstat.write_sav(seconds, tmp_path / "t.sav", variable_format={"stay": "DTIME12"})
    pyreadstat.write_xport(seconds, tmp_path / "t.xpt", variable_format={"stay": "TIME8."}, file_format_version=8)
    for name in ("t.sav", "t.xpt"):
        found = read(tmp_path / name).table["stay"]
        assert sorted(found.labels.tolist()) == ["", "05:00:00", "27:01:00", "99:01:00"]


@pytest.mark.parametrize("costs", ["1.{}99,5", "{}99,5"])
def test_a_thousands_mark_proved_elsewhere_holds_for_all_columns_of_texts(tmp_path: Path, costs: str) -> None:
    """By a number that has both marks, or one whose decimal mark is the other; what was no text has a point."""
    cells = {"Kosten": [costs.format(k) for k in range(1, 9)], "Schritte": ["1.200", "2.500"] * 4}
    found = written(tmp_path / "t.csv", cells).table["Schritte"]
    assert found.values is not None
    assert found.values.tolist() == [1200.0, 2500.0]
    frame = pd.DataFrame({"Kosten": cells["Kosten"], "x": [1.251, 2.503] * 4})
    pyreadstat.write_sav(frame, tmp_path / "t.sav")
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.sav", "t.parquet"):
        column = read(tmp_path / name).table["x"]
        assert column.values is not None
        assert column.values.tolist() == [1.251, 2.503]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("n;x\n1;1.200\n2;3.450\n", ["x"]),
        ("n;x\n1;1.200\n2;950\n", []),
        ("n;x;y\n1;1.200;0,5\n2;3.450;7,25\n", []),
        ("n,x\n1,1.200\n2,3.450\n", []),
    ],
)
def test_a_point_that_may_be_either_mark_is_told(tmp_path: Path, text: str, told: list[str]) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert [p.column for p in read(tmp_path / "t.csv").problems if "thousands or decimals" in p.sentence] == told


def test_a_record_whose_number_has_a_digit_less_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("patient,bed\n" + "".join(f"P{k},B{k}\n" for k in range(1, 25)))
    found = read(tmp_path / "t.csv").table
    assert (found.names, found.n) == (("patient", "bed"), 24)


@pytest.mark.parametrize("mark", ["#", "% "])
def test_a_single_line_of_metadata_is_no_header_and_a_header_is_no_metadata(tmp_path: Path, mark: str) -> None:
    path, rows = tmp_path / "t.csv", "".join(f"{k},{'mf'[k % 2]},{'ab'[k % 2]}{k}\n" for k in range(20))
    path.write_text(f"{mark}id: a number,sex: m or f,dx: in words\nid,sex,dx\n{rows}")
    assert read(path).table.names == ("id", "sex", "dx")
    for header in (f"{mark}id,sex,dx", f"{mark}gene,transcript"):
        body = rows if "sex" in header else "".join(f"g{k}a,t{k}b\n" for k in range(20))
        path.write_text(f"{header}\n{body}")
        assert read(path).table.n == 20


@pytest.mark.parametrize(
    "days",
    [
        ("09-May", "14-Oct"),
        ("9-May-23", "14-Oct-23"),
        ("09/mai", "14/out"),
        ("5月9日", "10月14日"),
        ("5. Sep", "10. Okt"),
        ("2024-09-05", "2024-10-14"),
        ("5.IX", "X.14"),
        ("szept.05", "okt.14"),
    ],
)
def test_bands_that_became_days_are_told(tmp_path: Path, days: tuple[str, str]) -> None:
    found = written(
        tmp_path / "t.csv", {"age": ["0-4", days[0], "15-19", days[1]] * 3, "n": [str(k) for k in range(12)]}
    )
    assert any("seems to mean" in p.sentence and "5-9" in p.sentence for p in found.problems)


def test_rows_of_one_kind_are_chosen(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "record_id,redcap_repeat_instrument,sex,crp\n" + "".join(f"{k},,m,\n{k},Labs,,{k}\n" for k in range(30)),
        encoding="utf-8",
    )
    mixed = read(path)
    assert any("redcap_repeat_instrument" in p.sentence for p in mixed.problems)
    labs = read(path, ImportChoices(rows={"redcap_repeat_instrument": ("labs",)}))
    assert (labs.table.n, labs.table["crp"].missing.any()) == (30, False)
    assert read(path, labs.choices).table.n == 30
    blank = read(path, ImportChoices(rows={"redcap_repeat_instrument": ("",)}))
    assert (blank.table.n, blank.table["sex"].m) == (30, 1)
    for rows in ({"sx": ("m",)}, {"sex": ("x",)}):
        with pytest.raises(BadChoice):
            read(path, ImportChoices(rows=rows))


def test_json_of_one_level_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 1, "x": 1.50, "ok": true}\n{"id": 2, "x": null}\n\n{"id": 3, "ok": false, "new": "a"}\n')
    table = read(path).table
    assert [column.written_texts().tolist() for column in table.columns] == [
        ["1", "2", "3"],
        ["1.50", "", ""],
        ["true", "", "false"],
        ["", "", "a"],
    ]
    path.write_text('{"id": 1}\n{"id": {"deep": 2}}\n')
    with pytest.raises(FileFault, match=r"line 2|JSON"):
        read(path)


def test_a_plain_number_is_what_its_digits_say_to_the_last_bit() -> None:
    rng = np.random.default_rng(7)
    digits = ["".join(map(str, rng.integers(0, 10, n))) for n in rng.integers(1, 16, 20_000)]
    points = rng.integers(-4, 16, len(digits)).tolist()  # below 0 without one, else so many digits before it
    texts = [text if at < 0 else f"{text[:at]}.{text[at:]}" for text, at in zip(digits, points, strict=True)]
    texts = [*texts, *(f"-{text}" for text in texts)]
    assert plain_numbers(look_at(texts)).tobytes() == np.array([*map(float, texts)]).tobytes()
    others = ["", "-", ".", "1.2.3", "1-2", "--1", "+1", "1e5", " 1", "1,5", "x" * 99, "٣", "1\x1f2", "1" * 16]
    assert np.isnan(plain_numbers(look_at([*others, "1"]))).tolist() == [True] * len(others) + [False]


def test_marks_of_many_texts_are_those_of_each_added() -> None:
    rng = np.random.default_rng(8)
    texts = ["".join(rng.choice([*"0123456789.,", " ", "€"], n)) for n in rng.integers(1, 9, 20_000)]
    together, added = MarkEvidence(), MarkEvidence()
    together.add(texts)
    for text in texts:
        alone = MarkEvidence()
        alone.add([text])
        added.update(alone)
    assert together == added
    assert min(together[name] for name in ("point", "comma", "points", "commas", "blank", "small", "large")) > 0


@pytest.mark.parametrize(
    ("kind", "dx", "crp", "told"),
    [
        ("FormName", "flu;;gout;", ";5;;7", True),
        ("Repeat Instrument", "flu;;gout;", ";5;;7", True),
        ("Satzart", "flu;;gout;", ";5;;7", True),
        ("FormName", "flu;;gout;flu", "3;5;;7", False),  # both are there in either kind
        ("sex", "flu;;gout;", ";5;;7", False),  # a question that men alone are asked
        ("information", "flu;;gout;", ";5;;7", False),
    ],
)
def test_rows_of_several_kinds_are_told(kind: str, dx: str, crp: str, told: bool, tmp_path: Path) -> None:
    cells = {"id": [str(k) for k in range(40)], kind: ["a", "b"] * 20, "dx": dx.split(";") * 10}
    found = written(tmp_path / "t.csv", {**cells, "crp": crp.split(";") * 10})
    assert any("several kinds" in p.sentence and p.column == kind for p in found.problems) is told


@pytest.mark.parametrize("mark", [".", "/", "-"])
@pytest.mark.parametrize("highest", [(28, 12), (12, 28), (12, 12), (33, 12), (28, 28)])  # (28, 28): both orders
def test_dates_read_all_at_once_are_those_that_each_is_alone(mark: str, highest: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    for time in ("", " 07:05", "T23:59:59", " 24:00", " 07:60"):
        numbers = zip(*(rng.integers(1, top + 1, 60) for top in highest), rng.choice([0, 1999, 2024], 60), strict=True)
        days = [f"{one:02d}{mark}{two:02d}{mark}{year:04d}{time}" for one, two, year in numbers]
        days = [*dict.fromkeys([*days, f"2024-02-28{time}", f"0000-02-28{time}", "unknown"])]
        weights = rng.integers(1, 9, len(days))
        for order in (None, "dmy", "mdy"):
            quick = parse_dates(days, weights, order=order)
            alone = parse_dates([day + " " for day in days], weights, order=order)  # a blank, and no text is plain
            np.testing.assert_array_equal(quick.values, alone.values)
            assert (quick.order, quick.is_ambiguous, quick.offsets) == (alone.order, alone.is_ambiguous, alone.offsets)


@pytest.mark.parametrize("form", ["%d.%m.%y", "%d-%b-%y"])
def test_nobody_is_born_after_today(form: str) -> None:
    """A birth "27" is of 1927 till 2027 has come; another day may lie a year ahead."""
    soon = datetime.date.today() + datetime.timedelta(days=20)
    for name, back in (("Geburtsdatum", 100), ("date of birth", 100), ("review date", 0)):
        texts = Texts(name, [soon.strftime(form)], np.ones(1, np.int64), NumberFormat())
        assert texts.dates().values[0].astype(object).date() == soon.replace(year=soon.year - back)

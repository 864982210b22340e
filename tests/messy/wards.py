"""A hundred messy sheets more, several troubles in each: what one office's export and another's retyping make of a table.

Workbooks with merged titles, merged wards, totals, notes, hidden and other sheets, a second table below or beside, and
dates in several formats; texts with semicolons, tabs and bars, decimal commas, marks of byte order, East Asian
encodings, quotes and NULs. The expectation is written with the file.
"""

from __future__ import annotations

import datetime as dt
import io
import random
from collections.abc import Iterator
from typing import Any

from tests.messy.cases import Case, Rows, csv_bytes, xlsx_bytes

_NAMES = ["case", "ward", "admitted", "age", "creatinine", "outcome"]
_WARDS = ("surgery", "medicine", "geriatrics", "ICU")
_OUTCOMES = ("recovered", "died", "transferred")
_LANGUAGES = {
    "cp932": (["患者", "病棟", "年齢", "転帰"], ("外科病棟", "内科病棟", "小児科病棟"), ("軽快退院", "死亡", "転院しました")),
    "euc_jp": (["患者", "病棟", "年齢", "転帰"], ("外科病棟", "内科病棟", "小児科病棟"), ("軽快退院", "死亡", "転院しました")),
    "gb18030": (["病人", "病房", "年龄", "结果"], ("外科病房", "内科病房", "儿科病房"), ("痊愈出院", "死亡", "转到其他医院")),
    "big5": (["病人", "病房", "年齡", "結果"], ("外科病房", "內科病房", "兒科病房"), ("痊癒出院", "死亡", "轉到其他醫院")),
    "euc_kr": (["환자", "병동", "나이", "결과"], ("외과병동", "내과병동", "소아과병동"), ("회복 퇴원", "사망", "다른 병원 전원")),
}  # fmt: skip


def records(chance: random.Random, n: int) -> Rows:
    """Return n admissions; dates as ISO, decimals with a point."""
    return [
        [
            f"C{2000 + i}",
            chance.choice(_WARDS),
            f"2024-{chance.randint(1, 12):02d}-{chance.randint(13, 28):02d}",
            str(chance.randint(18, 97)),
            f"{chance.uniform(0.5, 8):.2f}",
            chance.choice(_OUTCOMES),
        ]
        for i in range(n)
    ]


def _cells(row: list[str]) -> list[Any]:
    """Return a record as a workbook holds it: dates and numbers by their type."""
    return [row[0], row[1], dt.date.fromisoformat(row[2]), int(row[3]), float(row[4]), row[5]]


def _read(row: list[str]) -> list[str]:
    """Return what is read of it: a number cell has no zeros at its end."""
    return [*row[:4], f"{float(row[4]):g}", row[5]]


def workbooks(chance: random.Random) -> Iterator[Case]:
    """Workbooks with three troubles each."""
    import openpyxl

    for i in range(48):
        rows = sorted(records(chance, chance.choice((9, 24, 60))), key=lambda row: row[1])
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Admissions"
        told = False
        titles = i % 3
        if titles:
            sheet.append(["Hospital of the Good Shepherd, admissions of 2024"])
            sheet.merge_cells("A1:F1")
            told = True
        if titles == 2:
            sheet.append([None, "confidential, for internal use"])
            sheet.append([])
        top = sheet.max_row + 1 if titles else 1
        for at, name in enumerate(_NAMES):
            sheet.cell(top, 1 + at, name)
        for down, row in enumerate(rows):
            for at, value in enumerate(_cells(row)):
                sheet.cell(top + 1 + down, 1 + at, value)
        last = top + len(rows)
        if i % 4 == 1:  # a ward said once for all its records
            first = top + 1
            for down in range(len(rows)):
                if down == len(rows) - 1 or rows[down + 1][1] != rows[down][1]:
                    if top + 1 + down > first:
                        sheet.merge_cells(start_row=first, end_row=top + 1 + down, start_column=2, end_column=2)
                    first = top + 2 + down
        if i % 4 == 2:
            sheet.cell(last + 1, 1, "Total")
            sheet.cell(last + 1, 4, sum(int(row[3]) for row in rows))
            told = True
        if i % 4 == 3:
            sheet.cell(last + 2, 1, "Source: ward book, copied by hand")
            told = True
        if i % 5 == 1:  # a second table below
            for down, row in enumerate((["Ward", "Head"], ["surgery", "Okafor"], ["medicine", "Larsen"])):
                for at, text in enumerate(row):
                    sheet.cell(last + 5 + down, 1 + at, text)
            told = True
        if i % 5 == 2:  # dates in another format among them
            for down in range(0, len(rows), 7):
                day = dt.date.fromisoformat(rows[down][2])
                sheet.cell(top + 1 + down, 3, day).number_format = "DD/MM/YYYY"
        if i % 5 == 3:
            other = book.create_sheet("Old")
            other.append(["nothing", "here"])
            other.append(["1", "2"])
            other.sheet_state = "hidden"
            told = True
        if i % 5 == 4:
            legend = book.create_sheet("Legend", 0)
            legend.append(["Columns of the other sheet"])
        out = io.BytesIO()
        book.save(out)
        yield Case("wards: workbook", f"ward{i}.xlsx", out.getvalue(), _NAMES, list(map(_read, rows)), told=told)


def texts(chance: random.Random) -> Iterator[Case]:
    """Texts with two or three troubles each."""
    for i in range(36):
        rows = records(chance, chance.choice((12, 40, 90)))
        delimiter = ";\t|"[i % 3]
        names = list(_NAMES)
        if i % 4 == 1:  # decimal commas and days first
            for row in rows:
                year, month, day = row[2].split("-")
                row[2], row[4] = f"{day}.{month}.{year}", row[4].replace(".", ",")
        if i % 4 == 2:  # quotes, delimiters and line ends inside
            for row in rows[::5]:
                row[5] = f'said "fine"{delimiter} and left'
            rows[3][5] = "first line\nsecond line"
        if i % 4 == 3:
            names[4] = "creatinine, mg/dl" if delimiter == "\t" else f"creatinine{delimiter} mg/dl"
        content = csv_bytes([names, *rows], delimiter=delimiter, end="\r\n" if i % 2 else "\n")
        told = False
        if i % 6 == 1:
            content = b"\xef\xbb\xbf" + content
        elif i % 6 == 2:
            content = ("\ufeff" + content.decode()).encode("utf-16-le")
        elif i % 6 == 3:
            content, told = b"Export of the ward system\n\n" + content, True
        elif i % 6 == 4:
            content += f"Total{delimiter * 3}{sum(int(row[3]) for row in rows)}{delimiter * 2}\n".encode()
            told = True
        elif i % 6 == 5:
            content += b"\x00" * 40  # a file that was allotted more room than it needed
        yield Case("wards: text", f"ward{i}.{'tsv' if delimiter == chr(9) else 'csv'}", content, names, rows, told=told)


def east_asian(chance: random.Random) -> Iterator[Case]:
    """Semicolons, tabs and bars in East Asian encodings."""
    for codec, (names, wards, ends) in _LANGUAGES.items():
        for delimiter in ";\t|,":
            rows = [
                [f"P{i}", chance.choice(wards), str(chance.randint(18, 97)), chance.choice(ends)]
                for i in range(chance.choice((15, 60)))
            ]
            content = csv_bytes([names, *rows], delimiter=delimiter, encoding=codec)
            yield Case("wards: East Asian", f"{codec}-{ord(delimiter)}.csv", content, names, rows)


def as_they_come(chance: random.Random) -> Iterator[Case]:
    """What four hospitals send: ages with and without a unit, bounds, crosses, titles, totals and footnotes."""

    def one(*choices: str) -> str:
        return chance.choice(choices)

    names = ["Fallnr", "Station", "Abnahme", "CRP (mg/l)", "Kalium"]
    rows = [
        [
            f"{90_000 + i}", one("Innere", "Gynäkologie"), f"{i % 28 + 1:02d}.03.2025 {i % 24:02d}:{i % 60:02d}",
            one("<0,6", ">320", f"{chance.uniform(1, 90):.1f}".replace(".", ",")),
            f"{chance.uniform(3, 6):.1f}".replace(".", ","),
        ]
        for i in range(80)
    ]  # fmt: skip
    content = "Klinikum Süd;;;;\r\n\r\n".encode("cp1252") + csv_bytes([names, *rows], delimiter=";", encoding="cp1252")
    content += "\r\nSumme;;;80;\r\n* n.b. = nicht bestimmbar\r\n".encode("cp1252")
    kinds = {"Abnahme": "DATETIME", "CRP (mg/l)": "DECIMAL", "Kalium": "DECIMAL"}
    yield Case("wards: as they come", "labor.csv", content, names, rows, types=kinds, told=True)
    for codec, unit, word in (("shift_jis", "歳", "男"), ("latin-1", " ans", "H")):
        names = ["pid", "âge" if codec == "latin-1" else "年齢", "sexe" if codec == "latin-1" else "性別"]
        rows = [
            [f"P{i:03d}", f"{chance.randint(1, 95)}{one(unit, '')}", one(word, "女" if word == "男" else "F")]
            for i in range(60)
        ]
        content = csv_bytes([names, *rows], encoding=codec)
        yield Case("wards: as they come", f"{codec}.csv", content, names, rows, types={names[1]: "INTEGER"}, told=True)
    names = ["case", "ward", "asthma"]
    rows = [[str(700 + i), one("A", "B"), one("0", "0", "1", "x")] for i in range(60)]
    yield Case(
        "wards: as they come",
        "crosses.xlsx",
        xlsx_bytes({"Q1": [names, *rows, ["Total", "", ""]]}),
        names,
        rows,
        told=True,
    )

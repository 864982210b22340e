"""Messy files as hospitals have them, each with the table that a person would read from it.

The expectation is written with the file, never taken from what the program says. `python -m tests.messy.sweep` reads
all of them and counts by class; the quick subset stands in the suite.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Rows = list[list[str]]


@dataclass(frozen=True)
class Case:
    """A file and the table that stands in it.

    Attributes
    ----------
    group : the class of trouble.
    name : file name.
    content : the file's bytes.
    names : the columns' names; None: there is no header, any names will do.
    rows : the records' texts; none where nobody can read a table from it for certain, so that telling is enough.
    sheets : choice of sheets asked for.
    types : column name -> the name of its kind, where that is the trouble.
    missing : (column, text) pairs that are proposed or taken as missing.
    told : whether a listed problem must say that something is unsure or was done.
    """

    group: str
    name: str
    content: bytes
    names: list[str] | None
    rows: Rows
    sheets: str | None = None
    types: dict[str, str] = field(default_factory=dict)
    missing: tuple[tuple[str, str], ...] = ()
    told: bool = False


_WORDS = {
    "ward": ("surgery", "medicine", "geriatrics", "ICU", "paediatrics", "obstetrics"),
    "sex": ("female", "male"),
    "outcome": ("recovered", "died", "transferred", "unchanged"),
    "district": ("North", "South", "East", "West", "Centre"),
    "smoker": ("current", "former", "never"),
    "insurance": ("public", "private", "none", "military"),
    "finding": ("pneumonia", "asthma", "fracture of femur", "sepsis", "migraine", "influenza", "anaemia"),
    "doctor": ("Meier", "Schulze", "Okafor", "Larsen", "Rossi", "Dubois", "Novak"),
}
_VALUED = {
    "age": lambda r: str(r.randint(0, 99)),
    "admitted": lambda r: f"20{r.randint(10, 24)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}",
    "creatinine": lambda r: f"{r.uniform(0.4, 9):.2f}",
    "stay_days": lambda r: str(r.randint(1, 60)),
}


def csv_bytes(
    rows: Sequence[Sequence[str]], *, delimiter: str = ",", encoding: str = "utf-8", end: str = "\n"
) -> bytes:
    """Return rows as a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue().encode(encoding)


def xlsx_bytes(
    sheets: dict[str, Sequence[Sequence[Any]]], merges: Sequence[str] = (), hidden: Sequence[str] = ()
) -> bytes:
    """Return sheets as a workbook; `merges` are ranges of the first one."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([None if cell == "" else cell for cell in row])
        if name in hidden:
            sheet.sheet_state = "hidden"
    for span in merges:
        book.worksheets[0].merge_cells(span)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def table(chance: random.Random, words: Sequence[str], valued: Sequence[str], n: int) -> Rows:
    """Return n records of columns of words and of values."""
    return [
        [*(chance.choice(_WORDS[name]) for name in words), *(_VALUED[name](chance) for name in valued)]
        for _ in range(n)
    ]


def headers(chance: random.Random) -> Iterator[Case]:
    """Where the header stands: text over text, titles, several rows, none at all."""
    for i in range(24):  # texts over texts
        words = chance.sample(sorted(_WORDS), chance.randint(2, 5))
        rows = table(chance, words, (), chance.choice((6, 20, 60)))
        style = chance.choice((str, str.upper, str.title))
        names = [style(word) for word in words]
        yield Case("header: text over text", f"text{i}.csv", csv_bytes([names, *rows]), names, rows)
    for i in range(16):  # texts, none
        words = chance.sample(sorted(_WORDS), chance.randint(2, 5))
        rows = table(chance, words, (), chance.choice((12, 30, 60)))
        yield Case("header: none, text", f"none{i}.csv", csv_bytes(rows), None, rows)
    for i in range(16):  # values, none
        words, valued = chance.sample(sorted(_WORDS), 2), chance.sample(sorted(_VALUED), chance.randint(1, 3))
        rows = table(chance, words, valued, chance.choice((6, 20, 60)))
        yield Case("header: none, values", f"nov{i}.csv", csv_bytes(rows), None, rows)
    titles = (
        ["Admissions 2024"], ["Hospital of the Holy Ghost, Department of Medicine"], ["Export of 03.02.2025 14:05"],
        ["Report:", "admissions"], ["Filter:", "ward = all", "2024"], ["Confidential"], ["Period", "01/2024", "12/2024"],
    )  # fmt: skip
    for i in range(32):  # titles
        words, valued = chance.sample(sorted(_WORDS), chance.randint(2, 4)), chance.sample(sorted(_VALUED), 2)
        rows = table(chance, words, valued if i % 4 else (), 20)
        names = [*words, *(valued if i % 4 else ())]
        above = [list(title) for title in chance.sample(titles, chance.randint(1, 3))]
        above = [[*line, *[""] * max(0, len(names) - len(line))] for line in above] if i % 2 else above
        blank = [[]] if chance.random() < 0.5 else []
        whole = [*above, *blank, names, *rows]
        if i % 3:
            yield Case("header: titles", f"title{i}.csv", csv_bytes(whole), names, rows)
        else:
            yield Case("header: titles", f"title{i}.xlsx", xlsx_bytes({"Data": whole}), names, rows)
    for i in range(24):  # two rows, groups above
        left, right = chance.sample(("Before surgery", "After surgery", "Day 1", "Day 30", "Mother", "Child"), 2)
        inner = chance.sample(("weight", "pulse", "pain", "creatinine"), 2)
        words = chance.sample(sorted(_WORDS), chance.randint(1, 2))
        rows = [
            [*(chance.choice(_WORDS[w]) for w in words), *(str(chance.randint(20, 99)) for _ in range(4))]
            for _ in range(20)
        ]
        top = [*[""] * len(words), left, "", right, ""]
        names = [*words, *(f"{left} {n}" for n in inner), *(f"{right} {n}" for n in inner)]
        whole = [top, [*words, *inner, *inner], *rows]
        if i % 2:
            a = len(words)
            spans = [f"{'ABCDEF'[a]}1:{'ABCDEF'[a + 1]}1", f"{'ABCDEF'[a + 2]}1:{'ABCDEF'[a + 3]}1"]
            yield Case("header: two rows", f"two{i}.xlsx", xlsx_bytes({"Data": whole}, spans), names, rows)
        else:
            yield Case("header: two rows", f"two{i}.csv", csv_bytes(whole), names, rows)
    for i in range(8):  # a row of units
        valued = ["age", "creatinine", "stay_days"]
        words = chance.sample(sorted(_WORDS), 1)
        rows = table(chance, words, valued, 20)
        units = ["", "years", "mg/dl", "days"]
        names = [*words, "age years", "creatinine mg/dl", "stay_days days"]
        yield Case("header: units", f"unit{i}.csv", csv_bytes([[*words, *valued], units, *rows]), names, rows)
    for i in range(8):  # numbers as names
        words = chance.sample(sorted(_WORDS), 2)
        years = [str(2010 + k) for k in range(5)]
        rows = [
            [*(chance.choice(_WORDS[w]) for w in words), *(str(chance.randint(1, 900)) for _ in years)]
            for _ in range(15)
        ]
        yield Case("header: years", f"year{i}.csv", csv_bytes([[*words, *years], *rows]), [*words, *years], rows)


_LETTERS = {
    "ja": (("患者番号", "氏名", "性別", "診断名"), ("山田太郎", "佐藤花子", "鈴木一郎", "高橋ゆき", "田中けんじ"), ("男性", "女性"), ("肺炎", "糖尿病", "高血圧症", "インフルエンザ", "アレルギー性鼻炎"), ("cp932", "shift_jis", "euc_jp", "iso2022_jp")),
    "zh": (("编号", "姓名", "性别", "诊断"), ("王小明", "李娜", "张伟", "刘洋", "陈静"), ("男", "女"), ("肺炎", "糖尿病", "高血压", "流行性感冒", "支气管哮喘"), ("gb18030", "gbk", "gb2312")),
    "tw": (("編號", "姓名", "性別", "診斷"), ("王小明", "李淑芬", "張家豪", "陳怡君", "林志明"), ("男", "女"), ("肺炎", "糖尿病", "高血壓", "流行性感冒", "支氣管哮喘"), ("big5", "cp950")),
    "ko": (("환자번호", "이름", "성별", "진단명"), ("김민수", "이영희", "박지훈", "최수진", "정하늘"), ("남자", "여자"), ("폐렴", "당뇨병", "고혈압", "독감", "천식"), ("euc_kr", "cp949")),
    "el": (("Κωδικός", "Όνομα", "Φύλο", "Διάγνωση"), ("Γιώργος Παπαδόπουλος", "Μαρία Νικολάου", "Ελένη Ιωάννου", "Κώστας Δήμου"), ("άνδρας", "γυναίκα"), ("πνευμονία", "διαβήτης", "υπέρταση", "γρίπη"), ("cp1253", "iso8859_7")),
    "ru": (("Номер", "Имя", "Пол", "Диагноз"), ("Иван Петров", "Мария Смирнова", "Олег Кузнецов", "Анна Попова"), ("мужской", "женский"), ("пневмония", "диабет", "гипертония", "грипп"), ("cp1251", "koi8_r", "cp866", "iso8859_5")),
    "de": (("Nummer", "Name", "Geschlecht", "Diagnose"), ("Jürgen Müller", "Käthe Groß", "Sönke Weiß", "Anna Bäcker"), ("männlich", "weiblich"), ("Lungenentzündung", "Zuckerkrankheit", "Bluthochdruck", "Oberschenkelbrüche"), ("cp1252", "latin_1", "cp850", "mac_roman")),
    "fr": (("Numéro", "Nom", "Sexe", "Diagnostic"), ("Hélène Lefèvre", "François Bérard", "Zoé Chênevert", "Loïc Maçon"), ("homme", "femme"), ("pneumonie", "diabète", "fièvre", "grippe"), ("cp1252", "latin_1", "cp850", "mac_roman")),
    "es": (("Número", "Nombre", "Sexo", "Diagnóstico"), ("José Núñez", "María Peña", "Íñigo Muñoz", "Begoña Ibáñez"), ("varón", "mujer"), ("neumonía", "diabetes", "hipertensión", "gripe"), ("cp1252", "latin_1", "cp850")),
    "pl": (("Numer", "Imię", "Płeć", "Rozpoznanie"), ("Łukasz Wójcik", "Małgorzata Kamińska", "Grażyna Zięba", "Paweł Dąbrowski"), ("mężczyzna", "kobieta"), ("zapalenie płuc", "cukrzyca", "nadciśnienie", "grypa"), ("cp1250", "iso8859_2")),
    "cs": (("Číslo", "Jméno", "Pohlaví", "Diagnóza"), ("Jiří Dvořák", "Růžena Šťastná", "Zdeněk Kříž", "Božena Němcová"), ("muž", "žena"), ("zápal plic", "cukrovka", "vysoký tlak", "chřipka"), ("cp1250", "iso8859_2")),
    "tr": (("Numara", "Ad", "Cinsiyet", "Tanı"), ("Ayşe Yılmaz", "Gökhan Şahin", "Çiğdem Öztürk", "İbrahim Doğan"), ("erkek", "kadın"), ("zatürre", "şeker hastalığı", "yüksek tansiyon", "grip"), ("cp1254",)),
    "he": (("מספר", "שם", "מין", "אבחנה"), ("דוד כהן", "שרה לוי", "יעל מזרחי", "משה פרץ"), ("זכר", "נקבה"), ("דלקת ריאות", "סוכרת", "יתר לחץ דם", "שפעת"), ("cp1255",)),
    "ar": (("رقم", "الاسم", "الجنس", "التشخيص"), ("محمد علي", "فاطمة حسن", "أحمد سالم", "ليلى عمر"), ("ذكر", "أنثى"), ("التهاب رئوي", "داء السكري", "ارتفاع ضغط الدم", "انفلونزا"), ("cp1256",)),
}  # fmt: skip
_SAME = {"latin_1": "cp1252", "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949"}


_PROSE = {
    "ja": (
        "ご飯を食べた後に腹痛",
        "救急車で搬送された",
        "特になし",
        "ﾔﾏﾀﾞ ﾀﾛｳ",
        "東京都千代田区霞が関",
        "大阪市北区梅田",
        "経過観察",
        "咳と発熱",
    ),
    "zh": (
        "患者昨日出现胸痛",
        "北京市朝阳区建国路",
        "无",
        "随访三个月后复查",
        "鄂尔多斯",
        "上海浦东新区",
        "头晕恶心呕吐",
        "已出院",
    ),
    "tw": (
        "病患昨日出現胸痛",
        "臺北市信義區",
        "無",
        "追蹤三個月後複查",
        "高雄市鳳山區",
        "頭暈噁心嘔吐",
        "已出院",
        "屏東縣恆春鎮",
    ),
    "ko": (
        "어제부터 가슴 통증",
        "서울특별시 종로구",
        "없음",
        "삼 개월 후 재검",
        "부산광역시 해운대구",
        "두통과 발열",
        "퇴원",
        "경과 관찰",
    ),
    "el": (
        "πόνος στο στήθος από χθες",
        "Αθήνα",
        "καμία",
        "επανέλεγχος σε τρεις μήνες",
        "Θεσσαλονίκη",
        "ΠΑΤΡΑ",
        "ΠΥΡΕΤΟΣ ΚΑΙ ΒΗΧΑΣ",
        "εξιτήριο",
    ),
    "ru": (
        "боль в груди со вчерашнего дня",
        "Москва",
        "нет",
        "контроль через три месяца",
        "САНКТ-ПЕТЕРБУРГ",
        "ТЕМПЕРАТУРА И КАШЕЛЬ",
        "выписан",
        "Ёлкин",
    ),
}


def encodings(chance: random.Random) -> Iterator[Case]:
    """Every language in each of its encodings, in small, medium and larger files."""
    for language, (names, people, sexes, findings, codecs) in _LETTERS.items():
        for codec in codecs:
            for n in (4, 25, 150):
                rows = [
                    [str(1000 + i), chance.choice(people), chance.choice(sexes), chance.choice(findings)]
                    for i in range(n)
                ]
                content = csv_bytes([names, *rows], encoding=codec, delimiter=chance.choice(",;\t"))
                kind = "East Asian" if language in ("ja", "zh", "tw", "ko") else "other"
                group = f"encoding: {kind}"
                yield Case(group, f"{language}-{codec}-{n}.csv", content, list(names), rows)
    for language, texts in _PROSE.items():  # below ASCII names: prose, one text only, two short values only
        _, people, sexes, _, codecs = _LETTERS[language]
        kind = "East Asian" if language in ("ja", "zh", "tw", "ko") else "other"
        for codec in codecs:
            known = [text for text in texts if "ﾔ" not in text or codec != "iso2022_jp"]
            for i, values in enumerate((known, texts[:1], texts[1:2], sexes, people[:2])):
                for n in (6, 40):
                    rows = [[str(1000 + k), values[k % len(values)], str(chance.randint(20, 90))] for k in range(n)]
                    content = csv_bytes([["number", "text", "age"], *rows], encoding=codec)
                    few = i == 3 or (i in (1, 2) and language in ("el", "ru"))
                    group = f"encoding: {kind}, {'two words' if few else 'below ASCII names'}"
                    yield Case(group, f"ascii-{language}-{codec}-{i}-{n}.csv", content, ["number", "text", "age"], rows)
    for language, (_, people, _, _, codecs) in _LETTERS.items():  # a few letters among much ASCII
        for codec in codecs[:2]:
            rows = [
                [str(i), people[0] if i == 20 else people[1] if i == 33 else "unknown person", str(50 + i)]
                for i in range(60)
            ]
            yield Case(
                "encoding: few letters", f"few-{language}-{codec}.csv",
                csv_bytes([["number", "person", "age"], *rows], encoding=codec), ["number", "person", "age"], rows,
            )  # fmt: skip


def sparse(chance: random.Random) -> Iterator[Case]:
    """Nearly empty records, and rows that really are none."""
    names = ["patient", "ward", "age", "creatinine", "outcome", "remark"]

    def records(n: int) -> Rows:
        return [[f"P{1000 + i}", *row, ""] for i, row in enumerate(
            [[r[0], r[2], r[3], r[1]] for r in table(chance, ("ward", "outcome"), ("age", "creatinine"), n)]
        )]  # fmt: skip

    lasts = (
        ["P1999", "", "", "", "", ""], ["P1999", "", "", "", "", "moved away before the first visit, no data taken"],
        ["P1999", "", "unknown", "", "", ""], ["P1999", "surgery", "", "", "", ""], ["", "surgery", "", "", "died", ""],
        ["P1999", "", "refused", "not done", "", ""], ["P1999", "ICU", "see notes", "haemolytic", "died", ""],
        ["", "", "", "", "", "patient left against advice and did not come back"], ["P1999", "", "", "", "lost", ""],
    )  # fmt: skip
    for i, last in enumerate(lasts):
        rows = [*records(30), last]
        yield Case("sparse: last record", f"last{i}.csv", csv_bytes([names, *rows]), names, rows)
        yield Case("sparse: last record", f"last{i}.xlsx", xlsx_bytes({"S": [names, *rows]}), names, rows)
        middle = records(30)
        middle[12] = last
        yield Case("sparse: inner record", f"inner{i}.csv", csv_bytes([names, *middle]), names, middle)
        several = [*records(30), last, [*last[:-1], "again"], last]
        yield Case("sparse: last records", f"several{i}.csv", csv_bytes([names, *several]), names, several)
    values = ("Total protein", "Total", "Sum of scores", "bilirubin total", "Count fingers")
    for i, value in enumerate(values):  # what looks like a total and is a value
        rows = [[f"P{k}", chance.choice(("Albumin", "CRP", value)), str(k), "lab"] for k in range(30)]
        rows[-1][1] = value
        yield Case(
            "sparse: a value, no total",
            f"value{i}.csv",
            csv_bytes([["id", "test", "n", "by"], *rows]),
            ["id", "test", "n", "by"],
            rows,
        )
    ends: tuple[Rows, ...] = (
        [["Total", "", "1613", "", "", ""]], [["Gesamt", "", "1613", "66.1", "", ""]], [[], ["Source: ward book of 2024"]],
        [[], ["Note: ages are those at admission"], ["* measured twice"]], [["Total", "30", "", "", "", ""]],
        [[], ["30 records"]], [["Grand total:", "", "1,613", "", "", ""]], [["-----"], ["Summe", "", "1613", "", "", ""]],
        [[], ["Printed 2025-01-03 by Dr Meier"]], [["Mean", "", "48.2", "3.1", "", ""]],
    )  # fmt: skip
    for i, end in enumerate(ends):
        rows = records(30)
        if end[0][:1] == ["Mean"]:
            for k, row in enumerate(rows):
                row[0] = str(1000 + k)
        yield Case(
            "sparse: real totals and notes", f"end{i}.csv", csv_bytes([names, *rows, *end]), names, rows, told=True
        )
        yield Case(
            "sparse: real totals and notes",
            f"end{i}.xlsx",
            xlsx_bytes({"S": [names, *rows, *end]}),
            names,
            rows,
            told=True,
        )


def sheets(chance: random.Random) -> Iterator[Case]:
    """Alike sheets as one table, each passed over told."""
    names = ["patient", "ward", "age", "outcome"]

    def records(n: int, start: int) -> Rows:
        return [
            [f"P{start + i}", r[0], r[2], r[1]] for i, r in enumerate(table(chance, ("ward", "outcome"), ("age",), n))
        ]

    for i in range(10):
        made = {f"Hospital {c}": records(chance.randint(8, 60), 1000 * k) for k, c in enumerate("ABCDEF"[: 2 + i % 5])}
        book: dict[str, Sequence[Sequence[Any]]] = {name: [names, *rows] for name, rows in made.items()}
        if i % 3 == 1:
            book = {"Legend": [["Name", "Meaning"], ["ward", "where the patient lay"]], **book}
        if i % 3 == 2:
            book = {name: [[f"Admissions of {name}"], [], *rows] for name, rows in book.items()}
        joined = [[*row, name] for name, rows in made.items() for row in rows]
        yield Case("sheets: all", f"all{i}.xlsx", xlsx_bytes(book), [*names, "Sheet"], joined, sheets="all")
        rows = next(iter(made.values()))
        if i % 3 != 1:
            yield Case("sheets: first, others told", f"one{i}.xlsx", xlsx_bytes(book), names, rows, told=True)


def stray_quotes(chance: random.Random) -> Iterator[Case]:
    """Quotes out of place: the text stays as it is, and it is told."""
    names = ["patient", "remark", "age"]
    strays = (
        'height 5"', '"good" today', 'said "no', '"', 'a "b" c', '5" x 7"', '"quoted" and more', "12' 6\"",
        '"" empty', 'ends with"',
    )  # fmt: skip
    for i, stray in enumerate(strays):
        for many in (1, 4):
            rows = [[f"P{k}", "fine", str(30 + k)] for k in range(25)]
            for k in range(many):
                rows[5 + 4 * k][1] = stray
            lines = [",".join(row) for row in [names, *rows]]
            content = ("\n".join(lines) + "\n").encode()
            yield Case("stray quotes", f"stray{i}-{many}.csv", content, names, rows, told=stray.startswith('"'))
            mixed = [[f"P{k}", "fine, so far" if k % 3 == 0 else "fine", str(30 + k)] for k in range(25)]
            mixed[7][1] = stray
            lines = [",".join(f'"{c}"' if "," in c else c for c in row) for row in [names, *mixed]]
            yield Case(
                "stray quotes",
                f"mixed{i}-{many}.csv",
                ("\n".join(lines) + "\n").encode(),
                names,
                mixed,
                told=stray.startswith('"'),
            )


def kinds(chance: random.Random) -> Iterator[Case]:
    """Codes, marks for no value in several languages, dates with times."""

    def column(values: Sequence[str], n: int) -> Rows:
        return [[f"P{k}", chance.choice(values)] for k in range(n)]

    for i, (values, weight) in enumerate(
        [(("A", "B", "C"), 5), (("M", "F"), 4), (("A", "B", "AB", "0"), 3), (("y", "n"), 9), (("R", "S", "I"), 12)]
    ):
        rows = column([*values, *["9"] * weight * len(values)], 80)
        for k, value in enumerate(values):
            rows[3 * k][1] = value
        yield Case(
            "kinds: letter codes beside 9",
            f"rare{i}.csv",
            csv_bytes([["id", "grade"], *rows, *([f"Q{k}", "9"] for k in range(400))]),
            ["id", "grade"],
            [*rows, *([f"Q{k}", "9"] for k in range(400))],
            types={"grade": "CATEGORY"},
        )
        yield Case(
            "kinds: letter codes beside 9",
            f"code{i}.csv",
            csv_bytes([["id", "grade"], *rows]),
            ["id", "grade"],
            rows,
            types={"grade": "CATEGORY"},
        )
    marks = (
        "NO ANSWER", "No response", "keine Angabe", "Keine Antwort", "sans réponse", "non réponse", "no contesta", "Ns/Nc",
        "non risponde", "geen antwoord", "ej svar", "Don't know", "weiß nicht", "ne sait pas", "no sabe", "não sabe",
        "prefer not to say", "not asked", "nicht gefragt", "無回答", "未回答", "拒答", "нет ответа", "brak odpowiedzi",
    )  # fmt: skip
    for i, mark in enumerate(marks):
        rows = column(("often", "seldom", "never", mark), 60)
        rows[0][1] = mark
        yield Case(
            "kinds: marks for no value",
            f"mark{i}.csv",
            csv_bytes([["id", "pain"], *rows]),
            ["id", "pain"],
            rows,
            missing=(("pain", mark),),
        )
    moments: tuple[Callable[[], str], ...] = (
        lambda: f"{chance.randint(1, 12)}/{chance.randint(13, 28)}/2018 {chance.randint(1, 12)}:{chance.randint(0, 59):02d}{chance.choice('ap')}",
        lambda: f"{chance.randint(1, 12)}/{chance.randint(13, 28)}/2018 {chance.randint(1, 12)}:{chance.randint(0, 59):02d}{chance.choice(('am', 'pm'))}",
        lambda: f"{chance.randint(13, 28)}.{chance.randint(1, 12)}.2018 {chance.randint(0, 23)}:{chance.randint(0, 59):02d} Uhr",
        lambda: f"{chance.randint(13, 28)}.{chance.randint(1, 12)}.2018, {chance.randint(0, 23)}.{chance.randint(0, 59):02d} Uhr",
        lambda: f"{chance.randint(13, 28)}/{chance.randint(1, 12):02d}/2018 {chance.randint(0, 23):02d}h{chance.randint(0, 59):02d}",
        lambda: f"2018-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d} {chance.randint(0, 23):02d}{chance.randint(0, 59):02d}",
        lambda: f"2018{chance.randint(1, 12):02d}{chance.randint(1, 28):02d}T{chance.randint(0, 23):02d}{chance.randint(0, 59):02d}{chance.randint(0, 59):02d}",
        lambda: f"{chance.randint(1, 12)}/{chance.randint(13, 28)}/18 {chance.randint(1, 12)}:{chance.randint(0, 59):02d}:{chance.randint(0, 59):02d} {chance.choice(('a.m.', 'p.m.'))}",
    )  # fmt: skip
    for i, moment in enumerate(moments):
        rows = [[f"P{k}", moment()] for k in range(40)]
        yield Case(
            "kinds: dates with times",
            f"moment{i}.csv",
            csv_bytes([["id", "seen"], *rows]),
            ["id", "seen"],
            rows,
            types={"seen": "DATETIME"},
        )


def all_cases(seed: int = 16) -> list[Case]:
    """Return every case, always the same ones."""
    from tests.messy import office
    from tests.messy.clinics import clinics
    from tests.messy.pollution import polluted
    from tests.messy.wards import as_they_come, east_asian, texts, workbooks

    made = (
        headers, encodings, sparse, sheets, stray_quotes, kinds, polluted, workbooks, texts, east_asian,
        office.exports, office.books, as_they_come, clinics,
    )  # fmt: skip
    return [case for maker in made for case in maker(random.Random(f"{seed} {maker.__name__}"))]

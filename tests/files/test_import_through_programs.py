"""A table that goes through another program as text or file comes back with the same meanings."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.table import Table
from splu_desktop.files.importer import read

pd = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")

N = 60
SEX = ["m" if k % 3 else "f" for k in range(N)]
STAGE = [None if k % 7 == 0 else k % 4 + 1 for k in range(N)]
CRP = [None if k % 5 == 0 else round(0.5 + k / 7, 2) for k in range(N)]
DAY = [None if k % 11 == 0 else dt.date(2020, 1, 1) + dt.timedelta(days=17 * k) for k in range(N)]
DX = [None if k % 13 == 0 else ["Ménière", 'the "usual"', "flu, mild"][k % 3] for k in range(N)]


def frame(days: object = DAY) -> object:
    return pd.DataFrame({"sex": SEX, "stage": STAGE, "crp": CRP, "day": days, "dx": DX})


def mysql(path: Path, mark: str = ",", quote: str = '"') -> None:
    def field(value: object) -> str:
        text = str(value).replace("\\", "\\\\").replace('"', '\\"' if quote else '"')
        return "\\N" if value is None else f"{quote}{text}{quote}"

    names = ("sex", "stage", "crp", "day", "dx")
    rows = [names, *(map(field, row) for row in zip(SEX, STAGE, CRP, DAY, DX, strict=True))]
    path.write_text("".join(mark.join(row) + "\n" for row in rows), encoding="utf-8")


def from_r(path: Path) -> None:
    """As write.csv does: row names, NA, quotes doubled."""

    def field(value: object) -> str:
        text = isinstance(value, (str, dt.date))
        return "NA" if value is None else '"' + str(value).replace('"', '""') + '"' if text else str(value)

    rows = zip(SEX, STAGE, CRP, DAY, DX, strict=True)
    lines = [f'"{k}",' + ",".join(map(field, row)) for k, row in enumerate(rows, 1)]
    path.write_text('"","sex","stage","crp","day","dx"\n' + "\n".join(lines) + "\n", encoding="utf-8")


WRITERS = {
    "pandas.csv": lambda path: frame(pd.to_datetime(DAY)).to_csv(path, index=False),
    "pandas.xlsx": lambda path: frame(pd.to_datetime(DAY)).to_excel(path, index=False),
    "stata.dta": lambda path: pyreadstat.write_dta(frame().fillna({"dx": ""}), str(path)),
    "spss.sav": lambda path: pyreadstat.write_sav(frame(), str(path)),
    "mysql.csv": mysql,
    "mysql.tsv": lambda path: mysql(path, "\t", ""),
    "r.csv": from_r,
}


def meanings(table: Table) -> dict[str, Counter[object]]:
    found = {}
    for name in ("sex", "stage", "crp", "day", "dx"):
        column = table[name]
        if column.values is None:
            told = np.where(column.missing, "", column.labels)
        elif column.values.dtype.kind == "M":
            told = np.where(column.missing, "", column.values.astype("datetime64[D]").astype(str))
        else:
            told = np.where(column.missing, "", np.array([f"{value:g}" for value in column.values]))
        found[name] = Counter(str(told[code]) for code in column.codes)
    return found


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.usefixtures("readers_here")
def test_it_comes_back(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    found = meanings(read(tmp_path / name).table)
    assert found["sex"] == Counter(SEX)
    assert found["stage"] == Counter("" if value is None else str(value) for value in STAGE)
    assert found["crp"] == Counter("" if value is None else f"{value:g}" for value in CRP)
    assert found["day"] == Counter("" if value is None else value.isoformat() for value in DAY)
    assert found["dx"] == Counter("" if value is None else value for value in DX)

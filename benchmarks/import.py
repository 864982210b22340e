"""Time and peak memory of reading CSV and XLSX, beside pandas, polars and DuckDB on the same files in the same run.

    python benchmarks/import.py [--rows 1000000] [--sheet-rows 300000] [--repeat 3]

Each reading runs in a fresh process, so that peak memory is its own; imports are not counted. On a machine that does
other work too, the seconds of processor time are the fairer figure; they add up over threads.

Readers differ in what they deliver:

typed   columns of numbers, dates and texts. The source's exact texts are gone ("007" is 7, "1.50" is 1.5, an empty
        field and "NA" are the same), nothing is detected but types, and a text column is an array of texts.
codes   integer codes over the distinct exact texts of every column: what a publication needs, and what this program's
        table is. It comes with its types, missing values, problem list and the file's SHA-256.

Readers that aren't installed are left out and said so: they are no dependencies of this project (``pip install --group
benchmark``).
"""

# ruff: noqa: N999 - never imported, and named by what it measures
from __future__ import annotations

import argparse
import datetime as dt
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import xlsxwriter

HERE = Path(__file__).resolve().parents[1]

OWN = (
    "import pandas, splu_desktop.files.importer.reader; "
    "from splu_desktop.files.importer import read; t = read(path).table; n = t.n"
)
READERS: dict[str, dict[str, tuple[tuple[str, ...], str, str]]] = {
    "csv": {
        "SPLU Desktop": ((), "codes", OWN),
        "pandas": (("pandas",), "typed", "import pandas as pd; t = pd.read_csv(path); n = len(t)"),
        "polars": (("polars",), "typed", "import polars as pl; t = pl.read_csv(path); n = len(t)"),
        "DuckDB, to pandas": (
            ("duckdb", "pandas"),
            "typed",
            "import duckdb, pandas; t = duckdb.read_csv(str(path)).df(); n = len(t)",
        ),
        "DuckDB, own table": (
            ("duckdb",),
            "typed",
            "import duckdb; duckdb.execute('create table t as from read_csv(?)', [str(path)])\n"
            "n = duckdb.execute('select count(*) from t').fetchone()[0]",
        ),
        "pandas, factorised": (
            ("pandas",),
            "codes",
            "import pandas as pd; t = pd.read_csv(path, dtype=str, keep_default_na=False); n = len(t)\n"
            "c = [pd.factorize(t[k], sort=True) for k in t]",
        ),
        "polars, categorical": (
            ("polars",),
            "codes",
            "import polars as pl; t = pl.read_csv(path, infer_schema=False); n = len(t)\n"
            "t = t.with_columns(pl.all().cast(pl.Categorical))",
        ),
        "DuckDB, enums": (
            ("duckdb",),
            "codes",
            "import duckdb; duckdb.execute('create table t as from read_csv(?, all_varchar=true)', [str(path)])\n"
            "names = [r[0] for r in duckdb.execute('describe t').fetchall()]\n"
            "for k in names: duckdb.execute(f'create type e_{k} as enum (select distinct {k} from t order by 1)')\n"
            "cast = ', '.join(f'cast({k} as e_{k}) {k}' for k in names)\n"
            "duckdb.execute(f'create table c as select {cast} from t')\n"
            "n = duckdb.execute('select count(*) from c').fetchone()[0]",
        ),
    },
    "xlsx": {
        "SPLU Desktop": ((), "codes", OWN),
        "pandas, calamine": (
            ("pandas", "python_calamine"),
            "typed",
            "import pandas as pd, python_calamine; t = pd.read_excel(path, engine='calamine'); n = len(t)",
        ),
        "polars, fastexcel": (
            ("polars", "fastexcel"),
            "typed",
            "import polars as pl, fastexcel; t = pl.read_excel(path, engine='calamine'); n = len(t)",
        ),
        "calamine rows": (
            ("python_calamine",),
            "typed",
            "import python_calamine as c; t = c.load_workbook(str(path)).get_sheet_by_index(0).to_python()\n"
            "n = len(t) - 1",
        ),
    },
}
WRAPPER = """
import json, sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
path = Path({path!r})
{imports}
before, worked = time.perf_counter(), time.process_time()
{code}
took, work = time.perf_counter() - before, time.process_time() - worked
status = Path("/proc/self/status").read_text()  # the peak that getrusage tells is inherited from the parent process
peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps([took, peak, n, work]))
"""


def columns(rows: int) -> dict[str, np.ndarray]:
    """Return 12 columns as a hospital's export has them: a key, dates, codes, measures, words."""
    rng = np.random.default_rng(1)
    codes = [f"{letter}{i:02d}.{j}" for letter in "ABCDEFGIJK" for i in range(30) for j in range(3)]
    return {
        "id": np.arange(1, rows + 1).astype(str),
        "age": rng.integers(0, 100, rows).astype(str),
        "sex": rng.choice(["male", "female"], rows),
        "postcode": np.char.zfill(rng.integers(1000, 99_999, rows).astype(str), 5),
        "ward": rng.choice(["Surgery A", "Medicine 3", "Intensive care", "Maternity"], rows),
        "admitted": (np.datetime64("2015-01-01") + rng.integers(0, 3650, rows)).astype(str),
        "stay": rng.integers(0, 60, rows).astype(str),
        "smoker": rng.choice(["yes", "no", ""], rows),
        "diagnosis": rng.choice(codes, rows),
        "charge": np.char.mod("%.2f", rng.gamma(2, 4000, rows)),
        "weight": np.char.mod("%.1f", rng.normal(75, 15, rows)),
        "drug": rng.choice([f"Compound {i}" for i in range(400)], rows),
    }


def write_csv(path: Path, rows: int) -> None:
    """Write the columns as CSV."""
    table = columns(rows)
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(table) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*table.values(), strict=True))


def write_xlsx(path: Path, rows: int) -> None:
    """Write the columns as XLSX: numbers, dates and texts as cells of their kind."""
    table = columns(rows)
    with xlsxwriter.Workbook(str(path), {"constant_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, list(table))
        for y, row in enumerate(zip(*table.values(), strict=True), 1):
            for x, (name, text) in enumerate(zip(table, row, strict=True)):
                if name in ("id", "age", "stay", "charge", "weight"):
                    sheet.write_number(y, x, float(text))
                elif name == "admitted":
                    sheet.write_datetime(y, x, dt.datetime.fromisoformat(text))
                elif text:
                    sheet.write_string(y, x, text)


def measure(path: Path, code: str) -> tuple[float, float, int, float]:
    """Return seconds, peak megabytes, records and processor seconds of one reading in a process of its own."""
    first, *rest = code.split("\n")
    imports, _, work = first.partition("; ")
    program = WRAPPER.format(root=str(HERE), path=str(path), imports=imports, code="\n".join([work, *rest]))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    took, peak, records, work = json.loads(done.stdout.splitlines()[-1])
    return took, peak, records, work


def main() -> None:
    """Print one table per format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sheet-rows", type=int, default=300_000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind, rows, write in (("csv", args.rows, write_csv), ("xlsx", args.sheet_rows, write_xlsx)):
            if not rows:
                continue
            path = Path(folder) / f"t.{kind}"
            write(path, rows)
            print(f"\n{kind.upper()}, {rows} x 12, {path.stat().st_size / 1e6:.0f} MB; best of {args.repeat}")
            print(f"{'reader':22}{'delivers':>9}{'seconds':>9}{'of fastest':>12}{'processor s':>13}{'peak MB':>9}")
            found: dict[str, tuple[float, float, float]] = {}
            for name, (needs, _, code) in READERS[kind].items():
                lacking = [need for need in needs if importlib.util.find_spec(need) is None]
                if lacking:
                    print(f"{name:22}  not installed: {', '.join(lacking)}")
                    continue
                runs = [measure(path, code) for _ in range(args.repeat)]
                if {run[2] for run in runs} != {rows}:
                    raise SystemExit(f"{name} read another number of records")
                found[name] = min(run[0] for run in runs), min(run[3] for run in runs), max(run[1] for run in runs)
            fastest = min(seconds for seconds, *_ in found.values())
            for name, (seconds, work, peak) in found.items():
                delivers = READERS[kind][name][1]
                print(f"{name:22}{delivers:>9}{seconds:9.2f}{seconds / fastest:11.1f}x{work:13.2f}{peak:9.0f}")


if __name__ == "__main__":
    main()

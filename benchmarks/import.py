"""Time and peak memory of reading CSV and XLSX, beside pandas, polars and DuckDB on the same files in the same run.

    python benchmarks/import.py [--rows 1000000] [--sheet-rows 300000] [--repeat 3]

Each reading runs in a fresh process, so that peak memory is its own. "as codes" turns every column into codes over its
distinct texts after reading, which is what this program's table is and a publication needs; the other rows stop at
typed columns, most of which have lost the source's exact texts. Readers that aren't installed are left out and said so:
polars, fastexcel and DuckDB are no dependencies of this project (``pip install polars fastexcel duckdb``).
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

READERS: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {
    "csv": {
        "SPLU Desktop": ((), "from splu_desktop.files.importer import read; t = read(path).table; n = t.n"),
        "pandas": (("pandas",), "import pandas as pd; t = pd.read_csv(path); n = len(t)"),
        "polars": (("polars",), "import polars as pl; t = pl.read_csv(path); n = len(t)"),
        "DuckDB": (("duckdb", "pandas"), "import duckdb; t = duckdb.read_csv(str(path)).df(); n = len(t)"),
        "pandas, as codes": (
            ("pandas",),
            "import pandas as pd; t = pd.read_csv(path, dtype=str, keep_default_na=False); n = len(t)\n"
            "c = [pd.factorize(t[k], sort=True) for k in t]",
        ),
        "polars, as codes": (
            ("polars",),
            "import polars as pl; t = pl.read_csv(path, infer_schema=False); n = len(t)\n"
            "t = t.with_columns(pl.all().cast(pl.Categorical))",
        ),
    },
    "xlsx": {
        "SPLU Desktop": ((), "from splu_desktop.files.importer import read; t = read(path).table; n = t.n"),
        "pandas, calamine": (
            ("pandas", "python_calamine"),
            "import pandas as pd; t = pd.read_excel(path, engine='calamine'); n = len(t)",
        ),
        "polars, fastexcel": (
            ("polars", "fastexcel"),
            "import polars as pl; t = pl.read_excel(path, engine='calamine'); n = len(t)",
        ),
        "calamine rows": (
            ("python_calamine",),
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
before = time.perf_counter()
{code}
took = time.perf_counter() - before
status = Path("/proc/self/status").read_text()  # the peak that getrusage tells is inherited from the parent process
peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps([took, peak, n]))
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


def measure(path: Path, code: str) -> tuple[float, float, int]:
    """Return seconds, peak megabytes and records of one reading in a process of its own, imports not counted."""
    first, *rest = code.split("\n")
    imports, _, work = first.partition("; ")
    program = WRAPPER.format(root=str(HERE), path=str(path), imports=imports, code="\n".join([work, *rest]))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    took, peak, records = json.loads(done.stdout.splitlines()[-1])
    return took, peak, records


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
            print(f"{'reader':22}{'seconds':>9}{'peak MB':>9}{'of fastest':>12}")
            found: dict[str, tuple[float, float]] = {}
            for name, (needs, code) in READERS[kind].items():
                lacking = [need for need in needs if importlib.util.find_spec(need) is None]
                if lacking:
                    print(f"{name:22}  not installed: {', '.join(lacking)}")
                    continue
                runs = [measure(path, code) for _ in range(args.repeat)]
                if {records for *_, records in runs} != {rows}:
                    raise SystemExit(f"{name} read another number of records")
                found[name] = min(run[0] for run in runs), max(run[1] for run in runs)
            fastest = min(seconds for seconds, _ in found.values())
            for name, (seconds, peak) in found.items():
                print(f"{name:22}{seconds:9.2f}{peak:9.0f}{seconds / fastest:11.1f}x")


if __name__ == "__main__":
    main()

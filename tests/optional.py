"""The parts that a test may do without: these, and no others. Whatever else a test needs, ./check brings.

`@needs("LibreOffice")` skips a test where there is none. A run ends with one line that names what was not there, and
fails if a test was skipped for any other reason.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
BUILT = Path(os.environ.get("SPLU_BUILD_OUT", ROOT / "dist"))
BUNDLE = BUILT / "work/frozen/splu-desktop"
BUILDER = Path(os.environ.get("SPLU_BUILD_VENV", BUILT / "work/venv")) / "bin/python"

# Those that the recipient's kit is promised to run in: on the path, or pyenv's.
PYTHONS = [
    str(path)
    for minor in range(9, 14)
    for path in [*Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"), shutil.which(f"python3.{minor}")]
    if path is not None and "shims" not in str(path)
]

# Packages of R: this project's own, brought by scripts/extras.py, a folder that R is told of, or Debian's.
R_LIBRARY = os.environ.get("R_LIBS_USER") or str(ROOT / ".venv/lib/R")
R_LIBRARIES = (R_LIBRARY, "/usr/local/lib/R/site-library", "/usr/lib/R/site-library")


def _in_r(*packages: str) -> bool:
    there = all(any(Path(each, package).is_dir() for each in R_LIBRARIES) for package in packages)
    return there and shutil.which("Rscript") is not None


HERE = {
    "diffprivlib": importlib.util.find_spec("diffprivlib") is not None,
    "anonypy": importlib.util.find_spec("anonypy") is not None,
    "pycanon": importlib.util.find_spec("pycanon") is not None,
    "statsmodels": importlib.util.find_spec("statsmodels") is not None,
    "DuckDB": all(map(importlib.util.find_spec, ("duckdb", "pyarrow"))),
    "Spark": importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None,
    "LibreOffice": shutil.which("soffice") is not None,
    "Git": shutil.which("git") is not None,
    "GnuPG": all(map(shutil.which, ("gpg", "gpg-agent"))),
    "binutils": sys.platform.startswith("linux") and all(map(shutil.which, ("as", "ld", "nm"))),
    "PowerShell": shutil.which("pwsh") is not None,
    "poppler": shutil.which("pdftotext") is not None,
    "PSPP": shutil.which("pspp") is not None,
    "R": shutil.which("Rscript") is not None,
    "jsonlite": _in_r("jsonlite"),
    "sandwich": _in_r("sandwich", "lmtest"),
    "simex": _in_r("simex"),
    "RRreg": _in_r("RRreg"),
    "ptable": _in_r("ptable"),
    "sdcMicro": _in_r("sdcMicro"),
    "other Pythons": len(PYTHONS) > 1,
    "the bundle": BUNDLE.is_dir() and BUILDER.exists(),
    "the real tables": DATA.is_dir(),
}
BRING = {
    "diffprivlib": "pip install diffprivlib, for a trial",
    "anonypy": "pip install anonypy, for a trial",
    "pycanon": "pip install pycanon, for a trial",
    "statsmodels": "pip install statsmodels, for a trial",
    "DuckDB": "./check --extras brings it",
    "Spark": "pip install 'splu-desktop[spark]' and Java 17, for clusters",
    "LibreOffice": "./check --extras brings it",
    "Git": "./check --extras brings it",
    "GnuPG": "./check --extras brings it",
    "binutils": "./check --extras brings it",
    "PowerShell": "Debian has none",
    "poppler": "./check --extras brings it",
    "PSPP": "./check --extras brings it",
    "R": "./check --extras brings it",
    "jsonlite": "./check --extras brings it for R",
    "sandwich": "./check --extras brings it for R",
    "simex": "./check --extras brings it where CRAN can be reached",
    "RRreg": "install.packages of R, for a trial",
    "ptable": "install.packages of R, for a trial",
    "sdcMicro": "install.packages of R, for a trial",
    "other Pythons": "pyenv brings them, Debian none",
    "the bundle": "packaging/check builds and tests it",
    "the real tables": f"they belong into {DATA}",
}


def needs(part: str) -> pytest.MarkDecorator:
    """Mark a test that can't run without an optional part; ./check --extras runs these alone."""
    assert part in HERE
    return pytest.mark.needs(part)


def real(name: str) -> Path:
    """Return one of the real tables, or skip the test where there is none."""
    path = DATA / name
    if not path.exists():
        pytest.skip("the real tables")
    return path


def skip_what_lacks(items: list[pytest.Item]) -> None:
    """Skip the tests whose part is not here."""
    for item in items:
        for mark in item.iter_markers("needs"):
            if not HERE[mark.args[0]]:
                item.add_marker(pytest.mark.skip(reason=mark.args[0]))


def closing_line(reasons: list[str]) -> tuple[str, list[str]]:
    """Return what one line says of skipped tests, and the reasons that are none of the parts."""
    count = {part: reasons.count(part) for part in HERE if part in reasons}
    named = [f"{part} ({n} test{'s' * (n > 1)}; {BRING[part]})" for part, n in count.items()]
    other = sorted({reason for reason in reasons if reason not in HERE})
    return f"Not run here: {', '.join(named)}." if named else "", other

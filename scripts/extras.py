"""Install the optional parts that a few tests ask for, by the commands that the README and CONTRIBUTING name.

Run by ./check --extras. Parquet's library needs no installing: it is among the developers' packages. What CRAN
alone has for R goes into .venv; where CRAN can't be reached a line says so, and the tests that ask for it are skipped.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import qt_libraries

PACKAGES = {
    "soffice": "libreoffice-calc",
    "pdftotext": "poppler-utils",
    "git": "git",
    "gpg": "gpg",
    "gpg-agent": "gpg-agent",  # holds the secret keys; gpg only recommends it
    "ld": "binutils",
    "Rscript": "r-base-core",
    "pspp": "pspp",
}
R_PACKAGES = ("jsonlite", "sandwich", "lmtest")
CRAN = "https://cloud.r-project.org"
FROM_CRAN = ("simex",)  # R alone, no compiler
R_LIBRARY = Path(__file__).resolve().parents[1] / ".venv/lib/R"  # as tests/optional.py knows it
DUCKDB = "duckdb>=1.4"  # as the extra `large` in pyproject.toml


def main() -> int:
    """Install what lacks. Returns 0 when all is there, else 1."""
    lacking = [package for tool, package in PACKAGES.items() if shutil.which(tool) is None]
    lacking += [f"r-cran-{each}" for each in R_PACKAGES if not Path(f"/usr/lib/R/site-library/{each}").is_dir()]
    if lacking and (reason := qt_libraries.apt_install(lacking)):
        print(f"The optional parts could not be installed ({reason}):", file=sys.stderr)
        print(f"  sudo apt-get install --no-install-recommends {' '.join(lacking)}", file=sys.stderr)
        return 1
    bring_from_cran([each for each in FROM_CRAN if not (R_LIBRARY / each).is_dir()])
    if importlib.util.find_spec("duckdb") is None:  # the engine for large tables, that users may add
        return subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", DUCKDB], check=False).returncode
    return 0


def bring_from_cran(packages: list[str]) -> None:
    """Install packages of R into .venv; say in one line which could not be brought."""
    if not packages:
        return
    R_LIBRARY.mkdir(parents=True, exist_ok=True)
    wanted = f"c({', '.join(map(repr, packages))})"
    script = f"options(timeout = 30); install.packages({wanted}, {str(R_LIBRARY)!r}, {CRAN!r}, quiet = TRUE)"
    subprocess.run(["Rscript", "-e", script], check=False, capture_output=True)
    lacking = [each for each in packages if not (R_LIBRARY / each).is_dir()]
    if lacking:
        print(f"CRAN could not be reached at {CRAN}: no {', '.join(lacking)} for R.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

"""Install the optional parts that a few tests ask for, by the commands that the README and CONTRIBUTING name.

Run by ./check --extras. Parquet's library needs no installing: it is among the developers' packages.
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
DUCKDB = "duckdb>=1.4"  # as the extra `large` in pyproject.toml


def main() -> int:
    """Install what lacks. Returns 0 when all is there, else 1."""
    lacking = [package for tool, package in PACKAGES.items() if shutil.which(tool) is None]
    lacking += [f"r-cran-{each}" for each in R_PACKAGES if not Path(f"/usr/lib/R/site-library/{each}").is_dir()]
    if lacking and (reason := qt_libraries.apt_install(lacking)):
        print(f"The optional parts could not be installed ({reason}):", file=sys.stderr)
        print(f"  sudo apt-get install --no-install-recommends {' '.join(lacking)}", file=sys.stderr)
        return 1
    if importlib.util.find_spec("duckdb") is None:  # the engine for large tables, that users may add
        return subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", DUCKDB], check=False).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())

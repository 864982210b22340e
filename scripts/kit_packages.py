"""Make packages of the recipient's kit: a wheel (`pip install splu-release`) and an R package (`splurelease`).

    python scripts/kit_packages.py OUT

The code is that of resources/kit, its version stands in it; packaging/kit has what describes it. R is left out where
there is none.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE, WORDS = ROOT / "resources/kit", ROOT / "packaging/kit"


def version() -> str:
    """Return the version that the code says of itself."""
    found = re.search(r'^__version__ = "(.+)"', (CODE / "splu_release.py").read_text("utf-8"), re.M)
    assert found is not None
    return found[1]


def make_wheel(out: Path) -> Path:
    """Build the wheel in a folder and return it."""
    source = out / "splu-release"
    shutil.copytree(WORDS / "python", source)
    shutil.copy(CODE / "splu_release.py", source)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out], cwd=source, check=True)
    return next(out.glob("splu_release-*.whl"))


def make_r_package(out: Path) -> Path:
    """Build the R package in a folder and return it, ready for `R CMD INSTALL`."""
    source = out / "splurelease"
    shutil.copytree(WORDS / "r", source)
    (source / "R").mkdir()
    shutil.copy(CODE / "splu_release.R", source / "R")
    publisher = tomllib.loads((ROOT / "resources/publisher.toml").read_text("utf-8"))
    facts = (source / "DESCRIPTION").read_text("utf-8").replace("@VERSION@", version())
    (source / "DESCRIPTION").write_text(facts.replace("@CONTACT@", publisher["contact"]), "utf-8")
    subprocess.run(["R", "CMD", "build", source.name], cwd=out, check=True)
    return next(out.glob("splurelease_*.tar.gz"))


def main() -> None:
    """Build both."""
    out = Path(sys.argv[1]).absolute()
    out.mkdir(parents=True)
    print(make_wheel(out))
    if shutil.which("R") is not None:
        print(make_r_package(out))


if __name__ == "__main__":
    main()

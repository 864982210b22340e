"""The recipient's kit as packages: a wheel, and an R package that `R CMD check` passes, both of the same code."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts import kit_packages
from splu_desktop import __version__
from tests.files.releases import KIT, released, ward_plan, ward_table
from tests.optional import needs


def test_the_kits_say_one_version() -> None:
    assert f'splu_release_version <- "{kit_packages.version()}"' in (KIT / "splu_release.R").read_text("utf-8")
    assert kit_packages.version() == __version__.partition(".dev")[0]


def test_the_wheel_holds_the_module_alone_and_answers(tmp_path: Path) -> None:
    wheel = kit_packages.make_wheel(tmp_path)
    with zipfile.ZipFile(wheel) as packed:
        modules = [name for name in packed.namelist() if ".dist-info/" not in name]
        assert modules == ["splu_release.py"]
        assert packed.read("splu_release.py") == (KIT / "splu_release.py").read_bytes()
    table = ward_table(600)
    released(table, ward_plan(table), tmp_path / "stays")
    ask = "import splu_release; print(splu_release.load('stays').count('sex=f').estimate, splu_release.__version__)"
    environment = {**os.environ, "PYTHONPATH": str(wheel)}
    ran = subprocess.run([sys.executable, "-c", ask], cwd=tmp_path, env=environment, capture_output=True, text=True,
                         check=True)  # fmt: skip
    women = int((table["sex"].labels[table["sex"].codes] == "f").sum())
    assert ran.stdout.split() == [str(women), kit_packages.version()]


@needs("R")
def test_the_r_package_passes_its_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "profile").write_text("options(repos = character())\n")  # else it looks for CRAN
    monkeypatch.setenv("R_PROFILE_USER", str(tmp_path / "profile"))
    package = kit_packages.make_r_package(tmp_path)
    subprocess.run(["R", "CMD", "check", "--no-manual", package.name], cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "splurelease.Rcheck/00check.log").read_text("utf-8")
    assert log.rstrip().endswith("Status: OK"), log

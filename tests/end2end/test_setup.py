"""./start and ./check prepare a machine, or say in one go what it lacks."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the two commands are shell scripts")


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    for name in ("setup", "qt_libraries"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return {name: importlib.import_module(name) for name in ("setup", "qt_libraries")}


def program(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("command", ["start", "check"])
def test_an_old_python_is_refused_with_what_to_install(command: str, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("dirname", "readlink", "cat", "uname"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    program(tools, "python3", 'case $1 in --version) echo "Python 3.9.2" ;; *) exit 1 ;; esac')
    home = tmp_path / "a folder"
    (home / "scripts").mkdir(parents=True)
    for name in (command, "scripts/setup.sh"):
        shutil.copy(ROOT / name, home / name)
    done = subprocess.run(
        [home / command], env={"PATH": str(tools)}, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 1
    assert "needs Python 3.11" in done.stderr
    assert "Python 3.9.2" in done.stderr
    assert "apt-get install python3 python3-venv" in done.stderr


def test_the_environment_follows_pins_declaration_and_folder(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = scripts["setup"]
    lock, declaration = tmp_path / "requirements-run.lock", tmp_path / "pyproject.toml"
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(setup, "LOCKS", {"run": lock})
    lock.write_text("a==1\n")
    declaration.write_text("")
    seen = [setup.fingerprint("run")]
    lock.write_text("a==2\n")
    seen.append(setup.fingerprint("run"))
    declaration.write_text("[project]\n")
    seen.append(setup.fingerprint("run"))
    assert setup.fingerprint("run") == seen[-1]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(setup, "ROOT", elsewhere)
    shutil.copy(declaration, elsewhere)
    seen.append(setup.fingerprint("run"))
    assert len(set(seen)) == 4


def test_what_is_not_an_environment_is_not_cleared(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = scripts["setup"]
    folder = tmp_path / ".venv"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    for name, path in (
        ("VENV", folder),
        ("PYTHON", folder / "bin/python"),
        ("STAMP", folder / "s"),
        ("UNFINISHED", folder / "u"),
    ):
        monkeypatch.setattr(setup, name, path)
    with pytest.raises(setup.SetupFailed, match="not a Python environment"):
        setup.create()
    assert (folder / "thesis.txt").read_text() == "years of work"


def a_machine_lacking(libraries: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with one Qt module, and an `ldd` that finds `libraries` missing."""
    qt = folder / "venv/lib/python3.11/site-packages/PySide6"
    qt.mkdir(parents=True)
    (qt / "QtCore.abi3.so").touch()
    lines = "".join(f"\t{name} => not found\n" for name in libraries)
    program(folder / "bin", "ldd", f"cat <<'END'\nQtCore.abi3.so:\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n{lines}END")
    (folder / "bin/cat").symlink_to(shutil.which("cat") or "cat")
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.setattr(sys, "platform", "linux")
    return folder / "venv"


def test_missing_libraries_are_named_exactly(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = a_machine_lacking(["libEGL.so.1", "libxcb-cursor.so.0", "libodd.so.3"], tmp_path, monkeypatch)
    program(tmp_path / "bin", "apt-get", "exit 99")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    told = scripts["qt_libraries"].provide(venv, screen=True)
    assert "  sudo apt-get install libegl1 libxcb-cursor0\n" in told
    assert "not root" in told
    assert "libodd.so.3" in told


def test_missing_libraries_are_installed_where_allowed(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = a_machine_lacking(["libEGL.so.1", "libGL.so.1"], tmp_path, monkeypatch)
    for tool in ("env", "rm"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool, path="/usr/bin:/bin") or tool)
    log = tmp_path / "log"
    # As on a fresh machine: "install" fails until "update" was run.
    program(
        tmp_path / "bin",
        "apt-get",
        f'echo "$@" >>"{log}"\ncase "$*" in\n*update*) : >"{tmp_path}/known" ;;\n'
        f'*) [ -e "{tmp_path}/known" ] || exit 100; echo "#!/bin/sh" >"{tmp_path}/bin/ldd" ;;\nesac',
    )
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert scripts["qt_libraries"].provide(venv, screen=False) == ""
    calls = log.read_text().splitlines()
    assert len(calls) == 3
    assert calls[-1].endswith("libegl1 libgl1")


def test_nothing_is_asked_of_apt_where_nothing_lacks(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = a_machine_lacking([], tmp_path, monkeypatch)
    program(tmp_path / "bin", "apt-get", f'echo called >"{tmp_path}/called"')
    assert scripts["qt_libraries"].provide(venv, screen=False) == ""
    assert not (tmp_path / "called").exists()

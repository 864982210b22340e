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

from tests.optional import closing_line

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


def test_where_nobody_may_install_they_are_unpacked(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = a_machine_lacking(["libEGL.so.1"], tmp_path, monkeypatch)
    (tmp_path / "bin/mkdir").symlink_to(shutil.which("mkdir", path="/usr/bin:/bin") or "mkdir")
    # The loader looks into the folders that it is told of; two packages come, of which one is of no use.
    program(
        tmp_path / "bin",
        "ldd",
        "IFS=:\nfor folder in $LD_LIBRARY_PATH; do\n"
        '[ ! -e "$folder/libEGL.so.1" ] || { echo "\tlibEGL.so.1 => $folder/libEGL.so.1 (0x1)"; exit; }\n'
        'done\necho "\tlibEGL.so.1 => not found"',
    )
    program(
        tmp_path / "bin",
        "apt-get",
        f'echo "$@" >>"{tmp_path}/log"\n'
        "for word; do case $word in Dir::Cache=*) cache=${word#*=} ;; esac; done\n"
        'case "$*" in *" install "*) : >"$cache/archives/egl.deb"; : >"$cache/archives/driver.deb" ;; esac',
    )
    program(
        tmp_path / "bin",
        "dpkg",
        "case $2 in *egl.deb) name=libEGL.so.1 ;; *) name=libbig.so.2 ;; esac\n"
        'mkdir -p "$3/usr/lib" "$3/usr/share/fonts" && echo "$name" >"$3/usr/lib/$name"',
    )
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert scripts["qt_libraries"].provide(venv, screen=False) == ""
    unpacked = venv / "lib/unpacked"
    assert sorted(path.name for path in unpacked.iterdir()) == ["fonts.conf", "libEGL.so.1", "share"]
    assert (unpacked / "libEGL.so.1").read_text() == "libEGL.so.1\n"
    site = venv / "lib/python3.11/site-packages"
    assert {path.name for path in site.iterdir()} >= {"unpacked_libraries.py", "unpacked_libraries.pth"}
    calls = (tmp_path / "log").read_text().splitlines()
    assert calls[-1].endswith("install -y --no-install-recommends --download-only libegl1")
    assert scripts["qt_libraries"].provide(venv, screen=False) == ""
    assert (tmp_path / "log").read_text().splitlines() == calls, "what is there is not fetched again"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of a Linux system")
def test_unpacked_libraries_are_loaded_when_qt_is_imported(tmp_path: Path) -> None:
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()}
    some = next(path for path in mapped if Path(path).name.startswith("libm.so"))
    shutil.copy(some, tmp_path / "libours.so.7")
    shutil.copy(some, tmp_path / Path(some).name)  # the system has this one itself
    (tmp_path / "libbroken.so.1").write_text("no library")
    (tmp_path / "PySide6.py").touch()
    code = (
        "import sys; from pathlib import Path; import unpacked_libraries as u\n"
        f"u.FOLDER = Path({str(tmp_path)!r}); u.wait()\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "read = Path('/proc/self/maps').read_text\n"
        f"ours = lambda: [n for n in ('libours.so.7', 'libm.so.6') if {str(tmp_path)!r} + '/' + n in read()]\n"
        "import json; print(ours()); import PySide6; print(ours())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT / "scripts"
    )
    assert done.stdout == "[]\n['libours.so.7']\n"


def test_no_test_is_skipped_but_for_a_part_that_has_a_name() -> None:
    line, other = closing_line(["LibreOffice", "the bundle", "LibreOffice"])
    assert line.startswith("Not run here: LibreOffice (2 tests; ")
    assert "the bundle (1 test; " in line
    assert other == []
    line, other = closing_line(["xz is not installed"])
    assert line == ""
    assert other == ["xz is not installed"]

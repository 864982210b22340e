"""What the installers are made of agrees with the project; what can be tried without building them is tried.

The installers themselves are proved by packaging/check, which takes many minutes and root.
"""

from __future__ import annotations

import ast
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from splu_desktop.gui.base import theme
from tests.optional import needs

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import contents  # noqa: E402
import linux  # noqa: E402
import native  # noqa: E402

_SHARE = {
    "applications/splu-desktop.desktop",
    "mime/packages/splu-desktop.xml",
    f"metainfo/{contents.APP_ID}.metainfo.xml",
    "icons/hicolor/scalable/apps/splu-desktop.svg",
    "icons/hicolor/48x48/apps/splu-desktop.png",
}


def _imports() -> Iterator[tuple[Path, str]]:
    for path in (ROOT / "splu_desktop").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path, name.name) for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield path, node.module
                yield from ((path, f"{node.module}.{name.name}") for name in node.names)


def _pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==([^ \\]+)", (ROOT / lock).read_text("utf-8"), re.MULTILINE))


def test_the_icons_are_drawn_in_the_windows_own_colour(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "packaging/icons.py"), str(tmp_path)], check=True)
    assert theme.LIGHT.accent in (tmp_path / "splu-desktop.svg").read_text("utf-8")
    assert (tmp_path / "splu-desktop.ico").read_bytes()[:4] == b"\0\0\1\0"
    assert (tmp_path / "splu-desktop.icns").read_bytes()[:4] == b"icns"


def test_nothing_that_the_program_imports_is_left_out_of_the_bundle() -> None:
    optional = {"pyarrow", "pandas"}  # Parquet, asked for where it is there; pandas by the module api alone
    out = {name for name in contents.EXCLUDED_MODULES if name.partition(".")[0] not in optional}
    found = {
        (path.relative_to(ROOT).as_posix(), module)
        for path, module in _imports()
        if any(module == name or module.startswith(f"{name}.") for name in out)
    }
    assert not found


def test_modules_that_are_imported_by_their_names_are_in_the_bundle() -> None:
    texts = "".join(path.read_text("utf-8") for path in (ROOT / "splu_desktop").rglob("*.py"))
    named = set(re.findall(r'import_module\("([\w.]+)"\)', texts))
    named |= {f"splu_desktop.gui.{name}" for name in re.findall(r'_late\("([\w.]+)"', texts)}
    assert {"splu_desktop.cli.base.self_test", "splu_desktop.gui.shell.guide"} <= named
    assert named <= set(contents.HIDDEN_MODULES)


_WITHOUT = """
import importlib.util, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import contents
class Bundle:
    def find_spec(self, name, path=None, target=None):
        if name in contents.STAND_INS:
            return importlib.util.spec_from_file_location(name, contents.STAND_INS[name])
        if any(name == out or name.startswith(f"{out}.") for out in contents.EXCLUDED_MODULES):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Bundle())
from splu_desktop.cli.main import main
for path in sys.argv[3:]:
    assert main(["inspect", path]) == 0, path
folder = sys.argv[2]
plan = ["--sa", "illness", "--nsa", "sex", "--gamma", "3", "--person", "none", "--accept-all", "a test of bundles"]
assert main(["publish", sys.argv[3], *plan, "--set", "xlsx", "--out", folder]) == 0
assert main(["query", folder, "illness=flu"]) == 0
assert main(["analyse", folder, "odds-ratio", "sex=f", "illness=flu"]) == 0
for kind in ("pdf", "json"):
    assert main(["report", folder, "--out", f"{folder}.{kind}"]) == 0
"""


def test_no_library_misses_what_is_left_out(tmp_path: Path) -> None:
    """With the modules of a bundle alone, each kind of file is read, and a table is published, asked and reported."""
    table = pd.DataFrame({"sex": list("fm") * 1000, "illness": ["flu", "gout", "burn", "cold", "cough"] * 400})
    pyreadstat.write_sav(table, tmp_path / "a.sav")
    pyreadstat.write_dta(table, tmp_path / "a.dta")
    pyreadstat.write_xport(table, tmp_path / "a.xpt")
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_excel(tmp_path / "a.xlsx", index=False)
    table.to_html(tmp_path / "a.html", index=False)
    files = [str(tmp_path / f"a.{ending}") for ending in ("csv", "sav", "dta", "xpt", "xlsx", "html")]
    command = [sys.executable, "-c", _WITHOUT, str(ROOT / "packaging"), str(tmp_path / "release"), *files]
    environment = {**os.environ, "SPLU_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]


def test_all_resources_but_the_script_go_along() -> None:
    there = {path.name for path in (ROOT / "resources").iterdir() if path.suffix != ".py" and path.name[0] not in "._"}
    assert {Path(source).name for source, _ in contents.datas()} == there
    assert {"fonts", "help", "icons", "style", "translations", "sample_hospital.xlsx"} <= there


def test_what_is_frozen_is_what_the_program_was_tested_with() -> None:
    frozen, tested, run = (_pins(f"requirements{part}.lock") for part in ("-packaging", "", "-run"))
    assert run.items() <= frozen.items()
    differing = {name for name in frozen.keys() & tested.keys() if frozen[name] != tested[name]}
    assert not differing


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqvnc.so", False),
        ("PySide6/plugins/platforms/qwindows.dll", True),
        ("PySide6/Qt/plugins/tls/libqopensslbackend.so", False),
        ("PySide6/Qt/plugins/networkinformation/libqglib.so", False),
        ("PySide6/Qt/lib/libQt6Network.so.6", False),
        ("PySide6/Qt/lib/libQt6Gui.so.6", True),
        ("PySide6/Qt/lib/libQt6OpenGL.so.6", False),
        ("PySide6/QtOpenGL.abi3.so", False),
        ("scipy/stats/_stats.cpython-311-x86_64-linux-gnu.so", False),
        ("scipy/special/_ufuncs.cpython-311-x86_64-linux-gnu.so", True),
        ("Cryptodome/Cipher/_raw_aes.abi3.so", True),
        ("Cryptodome/PublicKey/_ec_ws.abi3.so", False),
        ("PySide6/Qt/translations/qtbase_de.qm", True),
        ("PySide6/Qt/translations/qtbase_ja.qm", False),
        ("scipy/special/tests/data.csv", False),
        ("splu_desktop/resources/help/guide.en.md", True),
        ("rustpy_xlsxwriter-0.8.0.dist-info/METADATA", True),
        ("numpy-2.4.6.dist-info/METADATA", False),
    ],
)
def test_what_is_kept(name: str, kept: bool) -> None:
    assert contents.keep(name) is kept


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of a Linux system")
def test_libraries_that_graphics_drivers_need_are_the_systems() -> None:
    for name in (
        "libexpat.so.1",
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libX11.so.6",
        "libGL.so.1",
        "libxcb.so.1",
        "libgtk-3.so.0",
    ):
        assert not contents.keep(name, from_system=True)
    for name in ("libpython3.11.so.1.0", "libxcb-cursor.so.0", "libxkbcommon-x11.so.0", "libxkbcommon.so.0"):
        assert contents.keep(name, from_system=True)


def test_links_go_with_what_they_point_at() -> None:
    files = [
        ("PySide6/Qt/lib/libQt6Network.so.6", "/x", "BINARY"),
        ("libQt6Network.so.6", "PySide6/Qt/lib/libQt6Network.so.6", "SYMLINK"),
        ("PySide6/Qt/lib/libQt6Gui.so.6", "/x", "BINARY"),
        ("libQt6Gui.so.6", "PySide6/Qt/lib/libQt6Gui.so.6", "SYMLINK"),
    ]
    [kept] = contents.chosen(files)
    assert [target for target, _, _ in kept] == ["PySide6/Qt/lib/libQt6Gui.so.6", "libQt6Gui.so.6"]


# -- file types, told to three systems ---------------------------------------------------------------------------


def test_the_three_systems_are_told_the_same_file_types() -> None:
    from splu_desktop.files.project.opening import RELEASE_SUFFIX
    from splu_desktop.files.release.facts import FACTS_NAME

    types = ET.parse(ROOT / "installer/linux/splu-desktop.mime.xml").getroot()
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    globs = {
        kind.attrib["type"]: {glob.attrib["pattern"] for glob in kind.findall("m:glob", space)}
        for kind in types.findall("m:mime-type", space)
    }
    assert globs == {contents.RELEASE_MIME: {f"*{RELEASE_SUFFIX}", FACTS_NAME}}

    mac = contents.mac_info()
    endings = {
        declared["UTTypeTagSpecification"]["public.mime-type"][0]: declared["UTTypeTagSpecification"][
            "public.filename-extension"
        ][0]
        for declared in mac["UTExportedTypeDeclarations"]
    }
    assert endings == {contents.RELEASE_MIME: RELEASE_SUFFIX[1:]}
    declared_types = {entry["UTTypeIdentifier"] for entry in mac["UTExportedTypeDeclarations"]}
    assert {name for entry in mac["CFBundleDocumentTypes"] for name in entry["LSItemContentTypes"]} == declared_types
    plistlib.dumps(mac)

    windows = (ROOT / "installer/windows/splu-desktop.iss").read_text("utf-8")
    assert {*re.findall(r"Classes\\(\.\w+)\"", windows)} == {RELEASE_SUFFIX}


def test_the_first_bytes_tell_a_release_too(tmp_path: Path) -> None:
    from splu_desktop.files.release.facts import FACTS_NAME
    from tests.files.releases import released, ward_plan, ward_table

    types = (ROOT / "installer/linux/splu-desktop.mime.xml").read_text("utf-8")
    (value,) = [ET.fromstring(f"<m {found}/>").attrib["value"] for found in re.findall(r'value="[^"]*"', types)]
    table = ward_table(400)
    released(table, ward_plan(table), tmp_path / "r")
    assert 0 <= (tmp_path / "r" / FACTS_NAME).read_text("utf-8").index(value) <= 16


def test_desktop_entry_and_description_say_what_they_should(tmp_path: Path) -> None:
    linux.share(tmp_path / "share", _icons(tmp_path), 1_700_000_000)
    there = {
        path.relative_to(tmp_path / "share").as_posix() for path in (tmp_path / "share").rglob("*") if path.is_file()
    }
    assert there >= _SHARE
    described = tmp_path / f"share/metainfo/{contents.APP_ID}.metainfo.xml"
    told = ET.parse(described).getroot()
    assert told.findtext("id") == contents.APP_ID
    release = told.find("releases/release")
    assert release is not None
    assert release.attrib == {"version": contents.version(), "date": "2023-11-14"}
    entry = (tmp_path / "share/applications/splu-desktop.desktop").read_text("utf-8")
    assert f"MimeType={contents.RELEASE_MIME};" in entry


def _icons(folder: Path) -> Path:
    icons = folder / "icons"
    icons.mkdir(exist_ok=True)
    for name in ("splu-desktop.svg", *(f"splu-desktop-{size}.png" for size in (16, 24, 32, 48, 64, 128, 256, 512))):
        (icons / name).write_bytes(b"picture")
    return icons


# -- the archive's installer and the self-extracting file --------------------------------------------------------

_PROGRAM = """#!/bin/sh
[ "$1" = --version ] && echo "splu {version}"
"""
_POSIX = pytest.mark.skipif(os.name == "nt", reason="a shell script")


def _archive(folder: Path, version: str = "1.0") -> Path:
    """Return the unpacked archive of a program that only knows its version."""
    root = folder / f"splu-desktop-{version}"
    program = root / "splu-desktop/splu-desktop"
    program.parent.mkdir(parents=True)
    program.write_text(_PROGRAM.format(version=version))
    program.chmod(0o755)
    (root / "splu-desktop/splu").symlink_to("splu-desktop")
    (root / f"splu-desktop/only-in-{version}").write_text("")
    linux.share(root / "share", _icons(folder), 0)
    shutil.copy(ROOT / "installer/linux/install.sh", root / "install.sh")
    return root


# What the installer may use of a system, and nothing else: no xz.
_TOOLS = [
    "basename",
    "cat",
    "chmod",
    "cp",
    "cut",
    "dirname",
    "find",
    "getconf",
    "grep",
    "gzip",
    "head",
    "ln",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "printf",
    "readlink",
    "rm",
    "rmdir",
    "sed",
    "sh",
    "sha256sum",
    "sort",
    "tail",
    "tar",
]


def _sh(
    script: Path, *arguments: str, home: Path, more: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    tools = home.with_name("tools")
    tools.mkdir(exist_ok=True)
    for tool in _TOOLS:
        found = shutil.which(tool, path="/usr/bin:/bin")
        if found and not (tools / tool).exists():
            (tools / tool).symlink_to(found)
    environment = {"HOME": str(home), "PATH": str(tools), **(more or {})}
    return subprocess.run(["sh", str(script), *arguments], capture_output=True, text=True, env=environment, check=False)


def _files(home: Path) -> set[str]:
    return {p.relative_to(home).as_posix() for p in home.rglob("*") if not p.is_dir() and "mimeinfo" not in p.name}


@_POSIX
def test_install_upgrade_and_removal_leave_the_users_files_alone(tmp_path: Path) -> None:
    home = tmp_path / "hôme of ü"
    (home / ".local/share/applications").mkdir(parents=True)
    mine = {"mine.txt", ".local/share/applications/other.desktop", ".local/share/SPLU Desktop/register/1.json"}
    for name in mine:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("mine")
    old, new = _archive(tmp_path / "a", "1.0"), _archive(tmp_path / "b", "1.1")

    assert _sh(old / "install.sh", home=home).returncode == 0
    program = home / ".local/lib/splu-desktop"
    command = home / ".local/bin/splu"
    assert subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout == "splu 1.0\n"
    entry = (home / ".local/share/applications/splu-desktop.desktop").read_text("utf-8")
    assert f'Exec="{program}/splu-desktop" %f\n' in entry
    assert {f".local/share/{name}" for name in _SHARE} <= _files(home)

    assert _sh(new / "install.sh", home=home).returncode == 0
    assert subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout == "splu 1.1\n"
    assert not (program / "only-in-1.0").exists()
    assert {path.name for path in program.parent.iterdir()} == {"splu-desktop"}

    removed = _sh(program / "uninstall/install.sh", "--uninstall", home=home)
    assert removed.returncode == 0, removed.stderr
    assert _files(home) == mine
    assert not (home / ".local/share/mime").exists(), "nothing is left of what the desktop made from our file types"
    assert not (home / ".local/bin").exists()
    again = _sh(new / "install.sh", "--uninstall", home=home)
    assert again.returncode == 1
    assert "not installed" in again.stderr


@_POSIX
def test_a_program_that_does_not_start_there_changes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    assert _sh(_archive(tmp_path / "a", "1.0") / "install.sh", home=home).returncode == 0
    before = _files(home)
    broken = _archive(tmp_path / "b", "1.1")
    (broken / "splu-desktop/splu-desktop").write_text("#!/bin/sh\nexit 126\n")
    told = _sh(broken / "install.sh", home=home)
    assert told.returncode == 1
    assert "Nothing was changed" in told.stderr
    assert _files(home) == before


@_POSIX
def test_the_self_extracting_file_installs_and_notices_damage(tmp_path: Path) -> None:
    root = _archive(tmp_path / "a", contents.version())
    packed = tmp_path / "x.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(root, root.name)
    run = linux._self_extracting(packed, tmp_path / "x.run", root.name)
    home = tmp_path / "home"
    home.mkdir()
    assert _sh(run, "--check", home=home).returncode == 0
    assert _sh(run, "--extract", str(tmp_path / "out"), home=home).returncode == 0
    assert (tmp_path / f"out/{root.name}/install.sh").is_file()
    done = _sh(run, home=home)
    assert done.returncode == 0, done.stderr
    assert (home / ".local/bin/splu").exists()
    content = bytearray(run.read_bytes())
    content[-100] ^= 1
    run.write_bytes(content)
    for arguments in ((), ("--check",)):
        told = _sh(run, *arguments, home=home)
        assert told.returncode == 1
        assert "damaged" in told.stderr


@_POSIX
def test_the_line_that_removes_is_true_wherever_it_was_installed(tmp_path: Path) -> None:
    home, prefix = tmp_path / "home", tmp_path / "an other's place"
    home.mkdir()
    archive = _archive(tmp_path / "a", "1.0")
    for arguments in ((), ("--prefix", str(prefix))):
        assert _sh(archive / "install.sh", *arguments, home=home).returncode == 0
    told = _sh(archive / "install.sh", "--prefix", str(prefix), home=home).stdout
    (line,) = re.findall(r"^To remove it: +(.+)$", told, re.MULTILINE)
    words = shlex.split(line)
    assert words[0] == "sh"
    removed = _sh(Path(words[1]), *words[2:], home=home)
    assert removed.returncode == 0, removed.stderr
    assert str(prefix) in removed.stdout
    assert _files(prefix) == set()
    assert (home / ".local/bin/splu").exists(), "the other copy stays"


@_POSIX
def test_it_installs_where_the_temporary_folder_forbids_programs(tmp_path: Path) -> None:
    script = (ROOT / "installer/linux/self-extract.sh.in").read_text("utf-8")
    run = re.search(r"^(.*install\.sh.*)$", script, re.MULTILINE)
    assert run is not None
    assert run[1].startswith("sh "), "run by a shell, not as a program"
    home, root = tmp_path / "home", _archive(tmp_path / "a", "1.0")
    home.mkdir()
    for path in root.rglob("*.sh"):
        path.chmod(0o644)
    assert _sh(root / "install.sh", home=home).returncode == 0


@_POSIX
@pytest.mark.parametrize(
    ("found", "fits"), [("2.31", False), ("2.9", False), ("2.34", True), ("2.41", True), ("", False)]
)
def test_a_system_that_is_too_old_is_told_so(tmp_path: Path, found: str, fits: bool) -> None:
    home, tools = tmp_path / "home", tmp_path / "tools"
    home.mkdir()
    tools.mkdir()
    (tools / "getconf").write_text(f"#!/bin/sh\n{f'echo glibc {found}' if found else 'exit 1'}\n")
    (tools / "getconf").chmod(0o755)
    told = _sh(_archive(tmp_path / "a", "1.0") / "install.sh", home=home)
    assert (told.returncode == 0) == fits
    if not fits:
        assert len(told.stderr.splitlines()) == 1
        assert "glibc 2.34 or newer" in told.stderr
        assert f"found {found or 'none'}" in told.stderr
        assert _files(home) == set()


def test_the_installer_and_the_bundle_have_one_floor() -> None:
    script = (ROOT / "installer/linux/install.sh").read_text("utf-8")
    assert re.findall(r"^oldest=(\S+)$", script, re.MULTILINE) == [".".join(map(str, native.FLOOR["GLIBC"]))]


# -- Windows and macOS, as far as they can be checked from here --------------------------------------------------


def _sections(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            name = heading[1]
            assert name not in found, f"[{name}] is there twice"
            found[name] = []
        elif line and not line.lstrip().startswith((";", "#")):
            assert name, f"a line before any section: {line}"
            found[name].append(line)
    return found


def test_the_windows_installer_serves_one_user_or_the_machine_and_keeps_the_users_files() -> None:
    text = (ROOT / "installer/windows/splu-desktop.iss").read_text("utf-8")
    build = (ROOT / "installer/windows/build.ps1").read_text("utf-8")
    sections = _sections(text)
    setup = dict(line.split("=", 1) for line in sections["Setup"])
    assert setup["PrivilegesRequired"] == "lowest"
    assert setup["PrivilegesRequiredOverridesAllowed"] == "commandline dialog"
    assert setup["DefaultDirName"].startswith("{autopf}")
    assert setup["ChangesAssociations"] == "yes"
    assert re.fullmatch(r"\{\{[0-9A-F-]{36}\}", setup["AppId"])
    used = set(re.findall(r"\{#(\w+)\}", text)) - {"SourcePath"}
    given = set(re.findall(r"/D(\w+)=", build))
    assert used == given
    # What belongs to one user alone is named in the uninstaller's own choice, and nowhere else.
    roots = set(re.findall(r"^Root: (\w+)", text, re.MULTILINE))
    assert roots == {"HKA"}
    line = "/VERYSILENT /SUPPRESSMSGBOXES /NORESTART /SP-"
    documents = [ROOT / name for name in ("docs/installers.md", "installer/windows/intune.ps1")]
    assert all(line in path.read_text("utf-8") for path in [*documents, ROOT / "installer/windows/splu-desktop.iss"])
    for name in ("Files", "Icons", "Registry", "Run", "UninstallDelete", "InstallDelete", "Tasks", "Languages"):
        for line in sections[name]:
            for part in re.split(r";\s*(?=[A-Z]\w*:)", line):
                assert re.match(r"[A-Z]\w*: ", part), f"[{name}] {line}"
            assert line.count('"') % 2 == 0, line
    removed = " ".join(sections["UninstallDelete"])
    assert "userappdata" not in removed
    assert "localappdata" not in removed
    for message in {name for line in sections["CustomMessages"] for name in re.findall(r"^\w+\.(\w+)=", line)}:
        assert f"{{cm:{message}}}" in text
        assert {line[:2] for line in sections["CustomMessages"] if f".{message}=" in line} == {"en", "de", "fr"}


@needs("PowerShell")
def test_the_windows_build_script_parses() -> None:
    script = ROOT / "installer/windows/build.ps1"
    parser = "[Management.Automation.Language.Parser]::ParseFile"
    parse = f"$e=$null;[void]{parser}('{script}',[ref]$null,[ref]$e);exit $e.Count"
    assert subprocess.run(["pwsh", "-NoProfile", "-Command", parse], check=False).returncode == 0


def test_the_macs_entitlements_hold_no_network() -> None:
    found = plistlib.loads((ROOT / "installer/macos/entitlements.plist").read_bytes())
    assert found
    assert not [key for key in found if "network" in key]


def test_the_proof_knows_the_last_words_of_the_smoke_test() -> None:
    """Two clean systems were called failures since the program said the same in other words."""
    (words,) = re.findall(r'^_WELL = "(.*)"', (ROOT / "packaging/prove.py").read_text("utf-8"), re.M)
    assert f'{words}")' in (ROOT / "splu_desktop/gui/shell/smoke_test.py").read_text("utf-8")

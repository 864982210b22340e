"""`splu --self-test`: an installation is compared with what was built, and every kind of difference is told."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from splu_desktop import __version__
from splu_desktop.cli.base import self_test
from splu_desktop.cli.main import main
from splu_desktop.files.disk import installation


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An installed program of four files, a link and the list of them."""
    folder = tmp_path / "splu-desktop"
    for name in ("splu-desktop", "_internal/libx.so", "_internal/a b/ü.py", "_internal/resources/icon.svg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, "utf-8")
    if sys.platform != "win32":
        (folder / "splu").symlink_to("splu-desktop")
    (folder / "_internal/resources" / installation.LIST).write_text(
        installation.list_files(folder), "utf-8", newline="\n"
    )
    return folder


def _compared(program: Path) -> installation.InstalledFiles:
    return installation.compare(program, (program / "_internal/resources" / installation.LIST).read_bytes())


def test_what_was_built_is_sound_and_its_seal_is_the_sum_of_its_list(program: Path) -> None:
    found = _compared(program)
    assert found.sound
    assert found.files == 4
    content = (program / "_internal/resources" / installation.LIST).read_bytes()
    assert found.seal == hashlib.sha256(content).hexdigest()
    if shutil.which("sha256sum"):
        check = ["sha256sum", "--check", "--quiet", f"_internal/resources/{installation.LIST}"]
        assert subprocess.run(check, cwd=program, check=False).returncode == 0


def test_every_difference_is_told_and_what_lies_beside_is_not(program: Path) -> None:
    (program / "_internal/libx.so").write_text("other")
    (program / "_internal/resources/icon.svg").unlink()
    (program / "_internal/extra.py").write_text("")
    (program / "uninstall").mkdir()
    (program / "uninstall/install.sh").write_text("")
    found = _compared(program)
    assert found.altered_files == ("_internal/libx.so",)
    assert found.missing == ("_internal/resources/icon.svg",)
    assert found.strange == ("_internal/extra.py",)
    assert not found.sound


def test_of_a_mac_program_what_its_signature_covers_is_left_to_it(program: Path) -> None:
    (program / "_internal/libx.so").write_bytes(b"\xcf\xfa\xed\xfe" + b"signed")
    (program / "_CodeSignature").mkdir()
    (program / "_CodeSignature/CodeResources").write_text("")
    assert set(installation.sum_files(program)) == {
        "splu-desktop",
        "_internal/a b/ü.py",
        "_internal/resources/icon.svg",
    }


def test_from_its_source_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--self-test"])
    assert end.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith(f"SPLU Desktop {__version__}\n")
    assert "runs from its source" in told


def _frozen(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resources = program / "_internal/resources"
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program / "splu-desktop"))

    def lies(name: str) -> Path:
        if not (resources / name).exists():
            raise FileNotFoundError(name)
        return resources / name

    for module in (installation, self_test):
        monkeypatch.setattr(module, "resource_path", lies)


def test_an_installation_tells_its_parts_its_seal_and_whether_it_is_whole(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bill = {"components": [{"name": "Qt", "version": "6.10.3"}, {"name": "narwhals", "version": "1"}]}
    (program / "_internal/resources/sbom.cdx.json").write_text(json.dumps(bill))
    sealed = program / "_internal/resources" / installation.LIST
    sealed.unlink()
    sealed.write_text(installation.list_files(program), "utf-8", newline="\n")
    _frozen(program, monkeypatch)
    assert self_test.run() == 0
    told = capsys.readouterr().out
    assert "Qt 6.10.3" in told
    assert "narwhals" not in told
    assert f"Seal {hashlib.sha256(sealed.read_bytes()).hexdigest()};" in told
    assert told.endswith("ok  all 5 files are as they were built, and there is none too many.\n")

    for number in range(12):
        (program / f"_internal/x{number:02}.py").write_text("")
    (program / "splu-desktop").write_text("other")
    assert self_test.run() == 1
    told = capsys.readouterr().out
    assert "FAILED  altered: splu-desktop\n" in told
    assert told.count("FAILED  not of it: ") == 11
    assert "FAILED  not of it: +2\n" in told
    assert "remove it, and install it again" in told

    sealed.unlink()
    assert self_test.run() == 1
    assert "remove it, and install it again" in capsys.readouterr().out

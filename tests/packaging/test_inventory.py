"""Bill of materials and licences of a bundle: nothing in it without an origin, nothing listed that is not there."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tests.optional import BUILDER, BUNDLE, needs

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import inventory  # noqa: E402


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle of a few files, none of them real, and a few frozen modules."""
    files = [
        "splu-desktop",
        "_internal/splu_desktop/resources/fonts/DejaVuSans.ttf",
        "_internal/splu_desktop/resources/icons/lock.svg",
        "_internal/PySide6/QtCore.abi3.so",
        "_internal/PySide6/Qt/lib/libQt6Core.so.6",
        "_internal/PySide6/Qt/lib/libicudata.so.73",
        "_internal/base_library.zip",
        "_internal/python3.11/lib-dynload/_bz2.so",
        *(f"_internal/{name}" for name in _installed("rustpy-xlsxwriter", ".so")),
    ]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"content")
    (tmp_path / "_internal/libQt6Core.so.6").symlink_to("PySide6/Qt/lib/libQt6Core.so.6")
    monkeypatch.setattr(inventory, "modules", lambda _: ["stdnum.luhn", "json.decoder", "splu_desktop.core.table"])
    return tmp_path


def _installed(package: str, ending: str) -> list[str]:
    return [str(file) for file in metadata.files(package) or () if str(file).endswith(ending)]


def test_every_file_has_an_origin(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    components = inventory.Inventory(bundle).components()
    owners = {file: component.name.replace("_", "-") for component in components for file in component.files}
    assert owners["_internal/PySide6/QtCore.abi3.so"] == "PySide6-Essentials"
    assert owners["_internal/PySide6/Qt/lib/libQt6Core.so.6"] == "Qt"
    assert owners["_internal/PySide6/Qt/lib/libicudata.so.73"] == "ICU"
    assert owners["_internal/splu_desktop/resources/fonts/DejaVuSans.ttf"] == "DejaVu fonts"
    assert owners["_internal/splu_desktop/resources/icons/lock.svg"] == "Lucide"
    assert owners["_internal/base_library.zip"] == owners["json.decoder"] == "Python"
    assert owners["stdnum.luhn"] == "python-stdnum"
    assert owners["splu-desktop"] == owners["splu_desktop.core.table"] == "SPLU Desktop"
    assert "_internal/libQt6Core.so.6" not in owners, "a link has no content of its own"

    by_name = {component.name: component for component in components}
    assert by_name["Qt"].licence == "LGPL-3.0-only"
    assert any("FreeType" in key for key in by_name["Qt"].inside)
    crates = {component.name for component in components if component.kind == "crate"}
    assert "rust_xlsxwriter" in crates, "what a package compiled in is listed from its own bill of materials"
    assert all(component.licence for component in components)

    folder = tmp_path_factory.mktemp("licences")
    inventory.write_licences(components, folder)
    listed = (folder / "LICENCES.txt").read_text("utf-8")
    for component in components:
        assert component.name in listed
        if component.files:
            assert any((folder / component.key).iterdir()), f"{component.name} has no text"


@pytest.mark.parametrize("name", ["_internal/libstray.so.1", "_internal/stray/module.so"])
def test_a_file_of_unknown_origin_fails_the_build(bundle: Path, name: str) -> None:
    (bundle / name).parent.mkdir(parents=True, exist_ok=True)
    (bundle / name).write_bytes(b"from nowhere")
    with pytest.raises(inventory.Unknown, match="stray"):
        inventory.Inventory(bundle).components()


def test_a_module_of_unknown_origin_fails_the_build(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "modules", lambda _: ["no_such_package.module"])
    with pytest.raises(inventory.Unknown, match="no_such_package"):
        inventory.Inventory(bundle).components()


@needs("the bundle")
def test_the_bill_and_the_licences_agree_with_a_bundle_that_was_built() -> None:
    command = [str(BUILDER), str(ROOT / "packaging/agree.py"), str(BUNDLE)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr

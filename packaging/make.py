"""Builds the bundle and every installer that this system can make. Run by packaging/build, in its own environment.

    python packaging/make.py OUT [--work DIR] [--bundle-only]

The same sources, packages and system make the same bytes: times are those of the last commit (or SOURCE_DATE_EPOCH).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

import bill
import contents
import facts
import inventory
import seal

_HERE = Path(__file__).resolve().parent


def epoch() -> int:
    """Return the time that everything is dated to."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    if not told:
        command = ["git", "-C", str(contents.ROOT), "log", "-1", "--format=%ct"]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return int(told or 0) or int((contents.ROOT / "pyproject.toml").stat().st_mtime)


def freeze(spec: str, work: Path, icons: Path) -> Path:
    """Run PyInstaller on a spec file. Returns the folder that it wrote its bundles to."""
    dist = work / "frozen"
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += ["--workpath", str(work / "pyinstaller"), "--distpath", str(dist), str(_HERE / spec)]
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": str(epoch()),
        "SPLU_BUILD_ICONS": str(icons),
        "SPLU_BUILD_SOURCE": str(facts.numbered(work)),
        "PYINSTALLER_CONFIG_DIR": str(work / "pyinstaller-config"),
        "QT_QPA_PLATFORM": "offscreen",
    }
    subprocess.run(command, check=True, env=environment)
    return dist


def make_bundle(work: Path) -> tuple[Path, Path, list[inventory.Component]]:
    """Make the bundle with licences and bill of materials in it. Returns it, the icons' folder, and its parts."""
    icons = work / "icons"
    subprocess.run([sys.executable, str(_HERE / "icons.py"), str(icons)], check=True)
    bundle = freeze("splu.spec", work, icons) / contents.NAME
    if sys.platform != "win32":
        (bundle / "splu").symlink_to("splu-desktop")
    if sys.platform.startswith("linux"):
        import native

        native.settle(bundle, work / "native")
    components = inventory.Inventory(bundle).components()
    inventory.write_licences(components, bundle / inventory.LICENCES)
    (bundle / inventory.BILL).write_text(bill.bill(components, bundle, epoch()), "utf-8")
    for path in (bundle / inventory.PLACE).rglob("*"):
        os.utime(path, (epoch(), epoch()))
    seal.write(bundle)
    os.utime(bundle / seal.PLACE, (epoch(), epoch()))
    if sys.platform == "darwin":  # where PyInstaller has made the program of the same files already
        inner = bundle.parent / "SPLU Desktop.app/Contents/Resources/splu_desktop/resources"
        shutil.copytree(bundle / inventory.LICENCES, inner / "licences", dirs_exist_ok=True)
        shutil.copyfile(bundle / inventory.BILL, inner / "sbom.cdx.json")
    return bundle, icons, components


def system() -> str:
    """Return what is built for, as file names say it: linux-x86_64, windows-x64, macos-arm64."""
    machine = {"AMD64": "x64", "ARM64": "arm64"}.get(platform.machine(), platform.machine())
    name = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    return f"{name}-{machine}"


def sizes(bundle: Path, files: list[Path]) -> str:
    """Return a table of what takes room: the bundle's parts, and the installers."""
    parts: dict[str, int] = {}
    for path in bundle.rglob("*"):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(bundle).as_posix().removeprefix("_internal/")
            top = name.split("/")[0] if "/" in name else ("program file" if name == contents.NAME else "libraries")
            parts[top] = parts.get(top, 0) + path.stat().st_size
    rows = [(sum(parts.values()), "bundle"), *sorted(((size, name) for name, size in parts.items()), reverse=True)]
    lines = [f"{size / 2**20:8.1f} MiB  {name}" for size, name in rows]
    return "\n".join([*lines, "", *(f"{path.stat().st_size / 2**20:8.1f} MiB  {path.name}" for path in files)]) + "\n"


def main() -> None:
    """Build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--work", type=Path, default=None, help="scratch folder (default OUT/work)")
    parser.add_argument("--bundle-only", action="store_true", help="no installers")
    parser.add_argument("--deb-only", action="store_true", help="no archive beside it")
    args = parser.parse_args()
    out, began = args.out.resolve(), time.monotonic()
    facts.refuse_placeholders(contents.version(), facts.publisher())
    work = (args.work or out / "work").resolve()
    for folder in (out, work):
        folder.mkdir(parents=True, exist_ok=True)
    bundle, icons, components = make_bundle(work)
    files: list[Path] = []
    sealed = out / f"splu-desktop-{contents.version()}-{system()}.files.sha256"
    bom = out / f"splu-desktop-{contents.version()}-{system()}.cdx.json"
    shutil.copyfile(bundle / seal.PLACE, sealed)
    shutil.copyfile(bundle / inventory.BILL, bom)
    if sys.platform.startswith("linux") and not args.bundle_only:
        import linux

        files.append(linux.deb(bundle, icons, out, work, epoch(), inventory.debian_packages(components)))
        if not args.deb_only:
            files += linux.archive(bundle, icons, out, work, epoch())
    files += [bom, sealed]
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(files)]
    (out / "SHA256SUMS").write_text("".join(sums), "utf-8")
    table = sizes(bundle, files)
    (out / "SIZES.txt").write_text(table, "utf-8")
    print(table)
    print(f"Bundle: {bundle}\nInstallers: {out}\n{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()

"""Sees that bill of materials, licence list and sizes agree with what is in a bundle. Run by the building Python.

python packaging/agree.py BUNDLE [INSTALLER ...]
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import bill
import contents
import inventory

_MOST_BUNDLE, _MOST_INSTALLER = 270, 110  # MiB; the typesetter of the reports takes 65 of the first


def disagreements(bundle: Path) -> list[str]:
    """Return what does not agree, in sentences."""
    found = []
    text = (bundle / inventory.BILL).read_text("utf-8")
    components = inventory.Inventory(bundle).components()
    listed, there = bill.listed(text), {component.key for component in components}
    found += [f"{key} is in the bundle and not in the bill" for key in sorted(there - listed)]
    found += [f"{key} is in the bill and not in the bundle" for key in sorted(listed - there)]
    told = json.loads(text)
    for entry in [told["metadata"]["component"], *told["components"]]:
        lacking = [key for key in ("version", "supplier", "cpe") if not entry.get(key)]
        found += [f"{entry['name']} has no {key} in the bill" for key in lacking]
    anew = json.loads(bill.bill(components, bundle, 0))
    hashes = {entry["bom-ref"]: entry.get("hashes") for entry in told["components"]}
    for entry in anew["components"]:
        if hashes.get(entry["bom-ref"]) != entry.get("hashes"):
            found.append(f"the files of {entry['name']} are not those of the bill")
    folder = bundle / inventory.LICENCES
    lines = (folder / "LICENCES.txt").read_text("utf-8")
    for component in components:
        if f"{component.name} {component.version}".rstrip() + f": {component.licence}\n" not in lines:
            found.append(f"{component.name} is not in the list of licences")
        if component.files and component.kind != "crate" and not any((folder / component.key).glob("*")):
            found.append(f"{component.name} has no licence text")
    found += [
        f"the licences hold {path.name}, which is not in the bundle"
        for path in folder.iterdir()
        if path.is_dir() and path.name not in there
    ]
    for name in ("PIL", "pyarrow"):
        if any(module.partition(".")[0] == name for module in inventory.modules(bundle)):
            found.append(f"{name} got into the bundle")
    return found


def torn(bundle: Path) -> list[str]:
    """Return which libraries are ours while a sister that they need is the system's, in sentences.

    What was built from one source knows the insides of its sisters: with one of another version it crashes.
    """
    if shutil.which("dpkg-query") is None:
        return []
    inner, found = bundle / "_internal", []

    def told(*command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def source(name: str) -> str:
        """Return the source package of a library of the machine that builds, nothing where it has none."""
        owner = told("dpkg-query", "-S", f"*/{name}").partition(": ")[0].split(",")[0]
        return told("dpkg-query", "-W", "-f", "${source:Package}", owner) if owner else ""

    for library in sorted(path for path in inner.glob("lib*.so*") if not path.is_symlink()):
        asked = re.findall(r"\(NEEDED\).*\[(.+)\]", told("readelf", "-d", str(library)))
        outside = [name for name in asked if not (inner / name).exists()]
        if outside and (own := source(library.name)):
            found += [f"{library.name} is in the bundle without {name}" for name in outside if source(name) == own]
    return found


def main() -> int:
    """Check."""
    bundle = Path(sys.argv[1]).resolve()
    found = [*disagreements(bundle), *torn(bundle)]
    size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file() and not path.is_symlink()) / 2**20
    sizes = {str(bundle): (size, _MOST_BUNDLE)}
    sizes |= {name: (Path(name).stat().st_size / 2**20, _MOST_INSTALLER) for name in sys.argv[2:]}
    for name, (mebibytes, most) in sizes.items():
        print(f"{mebibytes:.1f} MiB of at most {most}: {Path(name).name}")
        if mebibytes > most:
            found.append(f"{Path(name).name} is too large")
    for sentence in found:
        print(f"FAILED  {sentence}")
    if not found:
        print(f"ok  bill of materials and licences agree with the bundle of SPLU Desktop {contents.version()}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

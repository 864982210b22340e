"""Writes the list of a bundle's files that `splu --self-test` compares with: the last thing done to a bundle.

    python packaging/seal.py BUNDLE     again, after its programs were signed

What it is and what it is not worth stands in splu_desktop/files/disk/installation.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import facts

sys.path.insert(0, str(facts.ROOT))

from splu_desktop.files.disk import installation

PLACE = f"_internal/splu_desktop/resources/{installation.LIST}"
MAC_PLACE = f"Resources/splu_desktop/resources/{installation.LIST}"  # below Contents of the program


def write(program: Path) -> Path:
    """Write the list into a bundle, or into the Contents of a program of macOS. Returns where."""
    target = program / (MAC_PLACE if program.name == "Contents" else PLACE)
    target.unlink(missing_ok=True)
    target.write_text(installation.list_files(program), "utf-8", newline="\n")
    return target


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))

"""`splu --self-test`: what is installed here, and whether it is as it was built (`--smoke-test` tries it)."""

from __future__ import annotations

import json
import platform
import sys

from splu_desktop import __version__
from splu_desktop.files.disk import installed
from splu_desktop.files.disk.resources import resource_path

_NAMED = ("Python", "Qt", "numpy", "scipy", "pandas", "OpenSSL", "libssl3")  # of the bill's parts; it lists all


def _parts() -> list[str]:
    told = json.loads(resource_path("sbom.cdx.json").read_text("utf-8"))
    return [f"{part['name']} {part.get('version', '')}" for part in told["components"] if part["name"] in _NAMED]


def run() -> int:
    """Tell. Returns the exit status."""
    print(f"SPLU Desktop {__version__}")
    print(
        f"{platform.system()} {platform.release()}, {platform.machine()}; {' '.join(filter(None, platform.libc_ver()))}"
    )
    try:
        found = installed.compared()
    except (OSError, ValueError):
        print("FAILED  The list of files that were built is missing or unreadable; install SPLU Desktop again.")
        return 1
    if found is None:
        print(f"Python {platform.python_version()} from {sys.prefix}")
        print("It runs from its source, so there is no list of built files to compare with.")
        return 0
    print(f"In {installed.folder()}: {', '.join(_parts())}")
    for words, names in (("altered", found.altered), ("missing", found.missing), ("not of it", found.strange)):
        for name in names[:10]:
            print(f"FAILED  {words}: {name}")
        if len(names) > 10:
            print(f"FAILED  {words}: {len(names) - 10} more")
    print(f"Seal {found.seal}; it must be the SHA-256 of the .files.sha256 published with this version.")
    if not found.sound:
        print("This installation is not what was built: remove it, and install it again from a file that you checked.")
        return 1
    print(f"ok  all {found.files} files are as they were built, and there is none too many.")
    return 0

"""`splu --self-test`: what is installed here, and whether it is as it was built (`--smoke-test` tries it)."""

from __future__ import annotations

import json
import platform
import sys

from splu_desktop import __version__
from splu_desktop.cli.base.output import one_line, tell, translate
from splu_desktop.core.messages import say
from splu_desktop.core.resources import resource_path
from splu_desktop.files.disk import installation

_OTHER = say("This installation is not what was built: remove it, and install it again from a file that you checked.")
_NAMED = ("Python", "Qt", "numpy", "scipy", "OpenSSL", "libssl3")  # of the bill's parts; it lists all


def run() -> int:
    """Tell. Returns the exit status."""
    print(f"SPLU Desktop {__version__}")
    print(
        f"{platform.system()} {platform.release()}, {platform.machine()}; {' '.join(filter(None, platform.libc_ver()))}"
    )
    try:
        state = installation.compare_installation()
    except (OSError, ValueError):
        tell(_OTHER)
        return 1
    if state is None:
        print(f"Python {platform.python_version()}, {sys.prefix}")
        tell("It runs from its source, so there is no list of built files to compare with.")
        return 0
    bill = json.loads(resource_path("sbom.cdx.json").read_text("utf-8"))["components"]
    parts = (f"{part['name']} {part.get('version', '')}" for part in bill if part["name"] in _NAMED)
    print(f"{installation.folder()}: {', '.join(parts)}")
    wrong = (say("altered"), state.altered_files), (say("missing"), state.missing), (say("not of it"), state.strange)
    for words, names in wrong:
        for name in names[:10]:
            print(f"FAILED  {translate(words)}: {one_line(name)}")
        if len(names) > 10:
            print(f"FAILED  {translate(words)}: +{len(names) - 10}")
    tell("Seal {seal}; it must be the SHA-256 of the .files.sha256 published with this version.", seal=state.seal)
    if not state.sound:
        tell(_OTHER)
        return 1
    tell("ok  all {n} files are as they were built, and there is none too many.", n=state.files)
    return 0

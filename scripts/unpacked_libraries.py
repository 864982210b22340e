"""Let Qt find the libraries that scripts/qt_libraries.py unpacked into .venv, where nobody could install them.

A copy of this file lies in the environment's site-packages; a .pth file calls `wait` whenever Python starts there. What
the system has itself comes first.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(sys.prefix, "lib/unpacked")
# Where the libraries look for their data, ours and the system's.
DATA = {
    "FONTCONFIG_FILE": ("fonts.conf", "/etc/fonts/fonts.conf"),
    "XKB_CONFIG_ROOT": ("share/X11/xkb", "/usr/share/X11/xkb"),
    "XLOCALEDIR": ("share/X11/locale", "/usr/share/X11/locale"),
}


def load(folder: Path) -> None:
    """Load the libraries, each after those it needs: what is loaded already, the loader doesn't look for."""
    import ctypes
    import os

    for name, (ours, theirs) in DATA.items():
        if (folder / ours).exists() and not Path(theirs).exists():
            os.environ.setdefault(name, str(folder / ours))
    waiting = sorted(folder.glob("*.so*"))
    while waiting:
        left = []
        for path in waiting:
            try:
                ctypes.CDLL(path.name)
            except OSError:
                try:
                    ctypes.CDLL(str(path))
                except OSError:
                    left.append(path)
        if len(left) == len(waiting):
            return  # Qt will say what it lacks
        waiting = left


class BeforeQt:
    """Loads them when Qt is first asked for, so that no other program in the environment pays."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Find nothing; note that Qt is wanted."""
        if name == "PySide6":
            sys.meta_path.remove(self)  # type: ignore[arg-type]
            load(FOLDER)


def wait() -> None:
    """Load them as soon as Qt is imported."""
    sys.meta_path.insert(0, BeforeQt())  # type: ignore[arg-type]

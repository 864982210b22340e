"""Where the frozen program starts: as `splu` it is the command line, by any other name the window.

One program file serves both on Linux and macOS (`splu` is a link to it), so its code is there once; on Windows, where
a program is either of the console or of the desktop, the same script makes two.
"""

import os
import sys
from multiprocessing import freeze_support


def _restore_environment() -> None:
    # The frozen program finds its own libraries through this variable. Programs that it starts, such as the viewer of a
    # PDF, must find theirs.
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before
    else:
        os.environ.pop("LD_LIBRARY_PATH", None)


def _run() -> int:
    if sys.argv[1:2] == ["--read-for-parent"]:  # files.isolation.parent.SWITCH: a process that reads a foreign file
        from splu_desktop.files.importer.child import main

        return main()
    freeze_support()  # a child process that one of the two has started goes its own way here
    _restore_environment()
    name = sys.argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if name == "splu":
        from splu_desktop.cli import main
    else:
        from splu_desktop.__main__ import main
    return main()


if __name__ == "__main__":
    sys.exit(_run())

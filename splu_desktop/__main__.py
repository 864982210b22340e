"""Entry point of `splu-desktop`: starts the window. Qt is imported only when the window is really wanted."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence

from splu_desktop import __version__
from splu_desktop.files.isolation.limits import modest_libraries, no_crash_dumps


def build_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = argparse.ArgumentParser(
        prog="splu-desktop",
        description="Hand out a sensitive table: small counts protected, large ones answered. Works offline.",
    )
    parser.add_argument("--version", action="version", version=f"splu-desktop {__version__}")
    parser.add_argument(
        "--smoke-test", action="store_true", help="see whether this installation works, without a screen, and end"
    )
    parser.add_argument("--until-idle", action="store_true", help=argparse.SUPPRESS)  # packaging/cold_start.py
    parser.add_argument("file", nargs="?", metavar="FILE", help="a table, project or release to open at once")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Start the window, perhaps with a file. Returns the exit status: 0 done, 2 bad use."""
    no_crash_dumps()
    modest_libraries()
    args = build_parser().parse_args(argv)
    if sys.stdout is None:  # a windowed program on Windows has no console
        sys.stdout = sys.stderr = open("nul", "w")  # noqa: PTH123, SIM115
    try:
        if args.smoke_test:
            # Either alone: the smoke test reads the environment before the window is imported.
            from splu_desktop.gui.shell.smoke_test import run as smoke_test

            return smoke_test()
        gc.disable()  # what the start makes stays; to look for garbage in it takes a tenth of the start
        # Either alone: the smoke test reads the environment before the window is imported.
        from splu_desktop.gui.shell.app import run
    except ImportError as fault:
        sys.stderr.write(
            f"splu-desktop: the window can't start because a system library is missing ({fault}); install it, or use"
            " the command line “splu”.\n"
        )
        return 2
    return run(args.file, until_idle=args.until_idle)


if __name__ == "__main__":
    raise SystemExit(main())

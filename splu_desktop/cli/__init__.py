"""The command line `splu`: everything the window does, without Qt, from the same code."""

try:
    from splu_desktop.cli.main import main
except KeyboardInterrupt:  # before there is anybody to heed it (cli/base/endings.py)
    raise SystemExit(130) from None

__all__ = ["main"]

"""The command line `splu`: everything the window does, without Qt, from the same code."""

from splu_desktop.cli.main import main

__all__ = ["main"]

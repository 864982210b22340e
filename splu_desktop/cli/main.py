"""Entry point of `splu`: finds the command, prints its result, turns faults into one sentence and exit status 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from splu_desktop import __version__
from splu_desktop.core.errors import SpluError


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, with no usage lines around it."""

    def error(self, message: str) -> NoReturn:
        """Leave with status 2 and one sentence on stderr."""
        print(f"splu: {message}; see “{self.prog} --help”.", file=sys.stderr)
        raise SystemExit(2)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command. Commands live in modules of their own, imported when run."""
    from splu_desktop.cli import guarantee, handover, inspect, plan, publish, query, releases, report, verify

    parser = _Parser(
        prog="splu", description="Hand out a sensitive table: small counts protected, large ones answered."
    )
    parser.add_argument("--version", action="version", version=f"splu {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (inspect, plan, publish, guarantee, query, report, verify, handover, releases):
        module.add(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0 done, 2 bad use or bad input."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a hospital PC's console may speak cp1252; a symbol must not crash it
            stream.reconfigure(errors="replace")
    args = build_parser().parse_args(argv)
    try:
        args.run(args)
    except SpluError as fault:
        print(f"splu: {fault}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print("splu: stopped; nothing was left behind.", file=sys.stderr)
        return 130
    return 0

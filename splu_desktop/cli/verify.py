"""`splu verify`: check a release without its source."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.output import add_json, print_json
from splu_desktop.cli.publish import add_password, password_from
from splu_desktop.core.errors import SpluError


class NotVerified(SpluError):
    """A check of a release failed."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "verify",
        help="check a release without its source",
        description="Check that the files of RELEASE are those that were released, fit its description and look as "
        "chance makes them.",
    )
    parser.add_argument("release", type=Path, metavar="RELEASE", help="a release folder or ZIP")
    add_password(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the checks. Raises NotVerified after that where one failed."""
    from splu_desktop.files.register import Register
    from splu_desktop.files.verify import verify_release

    checks = verify_release(args.release, password=password_from(args), register=Register())
    failed = [check for check in checks if not check.passed]
    if args.json:
        print_json(
            {
                "release": str(args.release),
                "sound": not failed,
                "checks": [
                    {"name": c.name, "passed": c.passed, "column": c.column, "sentence": c.sentence} for c in checks
                ],
            }
        )
    else:
        for check in checks:
            print(f"{'ok    ' if check.passed else 'FAILED'}  {check.sentence}")
    if failed:
        raise NotVerified(failed[0].sentence)

"""`splu handover`: a release as one ZIP, encrypted with a password where wanted."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.opening import add_password, password_from
from splu_desktop.cli.output import add_json, print_json


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "handover",
        help="pack a release into one ZIP, with a password",
        description="Pack RELEASE into a new ZIP (AES-256 where a password is given), each file checked on its way.",
    )
    parser.add_argument("release", type=Path, metavar="RELEASE", help="a release folder")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.zip", help="the ZIP; must not exist yet")
    add_password(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Pack. Raises SpluError; nothing is written then."""
    from splu_desktop.files.handover import hand_over

    password = password_from(args)
    packed = hand_over(args.release, args.out, password=password)
    if args.json:
        print_json({"out": str(packed), "bytes": packed.stat().st_size, "encrypted": password is not None})
        return
    how = "encrypted with AES-256; give the password by another way than the file" if password else "not encrypted"
    print(f"Packed {args.release} into {packed} ({packed.stat().st_size:,} bytes, {how})")

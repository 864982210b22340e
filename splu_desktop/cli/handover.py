"""`splu handover`: a release as one ZIP, encrypted with a password unless told otherwise."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.opening import add_lock, lock_from, password_line
from splu_desktop.cli.base.output import add_json, print_json, tell
from splu_desktop.core.messages import say
from splu_desktop.files.release.handover import hand_over


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "handover",
        help=say("pack a release into one ZIP, with a password"),
        description=say(
            "Pack RELEASE into a new ZIP, each file checked on its way. It is encrypted (AES-256) with the "
            "password given, or with one that is made up and shown once; the names of the files are hidden, too."
        ),
    )
    takes(parser, "release RELEASE", "a release folder", type=Path)
    takes(parser, "--out FILE.zip", "the ZIP; must not exist yet", type=Path, required=True)
    add_lock(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Pack. Raises SpluError; nothing is written then."""
    password, made_up = lock_from(args.password_file, none=args.no_password)
    packed = hand_over(args.release, args.out, password=password)
    if args.json:
        shown = {"password": password} if made_up else {}
        print_json({"out": str(packed), "bytes": packed.stat().st_size, "encrypted": password is not None, **shown})
        return
    how = (
        say("encrypted with AES-256; give the password by another way than the file")
        if password
        else say("not encrypted")
    )
    tell(
        "Packed {release} into {packed} ({n} bytes, {how})",
        release=str(args.release),
        packed=str(packed),
        n=packed.stat().st_size,
        how=how,
    )
    if made_up and password is not None:
        tell(password_line(password))

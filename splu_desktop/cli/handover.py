"""`splu handover`: a release as one ZIP, encrypted with a password unless told otherwise."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import misfit
from splu_desktop.cli.base.help import add_command, switch, takes
from splu_desktop.cli.base.opening import add_password, lock_from, password_line
from splu_desktop.cli.base.output import print_result, say_written
from splu_desktop.core.messages import say
from splu_desktop.files.project.opening import RELEASE_SUFFIX
from splu_desktop.files.release.handover import hand_over


def add(commands: Any) -> None:
    """Add the command to the parser."""
    words = say("pack a release into one ZIP, encrypted with a password that is given or made up")
    parser = add_command(commands, "handover", words, run)
    takes(parser, "release RELEASE", type=Path)
    takes(parser, "--out FILE", "file to write; ends in {endings}", endings=".zip", type=Path, required=True)
    add_password(parser)
    switch(parser, "--no-password", "write a ZIP that anybody can open (else a password is made up)")


def run(args: argparse.Namespace) -> None:
    """Pack. Raises SpluError; nothing is written then."""
    if args.out.suffix not in (".zip", RELEASE_SUFFIX):
        raise misfit(str(args.out), "--out", f"{args.out.stem}.zip")
    password, made_up = lock_from(args.password_file, none=args.no_password)
    packed = hand_over(args.release, args.out, password=password)
    data = {"out": str(packed), "bytes": packed.stat().st_size, "encrypted": password is not None}
    line = say_written(packed, "AES-256" if password else say("not encrypted"))
    if made_up and password is not None:
        print_result(args, {**data, "password": password}, line, password_line(password))
    else:
        print_result(args, data, line)

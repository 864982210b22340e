"""`splu handover` and `splu dummy`: a release as one ZIP, encrypted unless told otherwise, and a table like it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import misfit
from splu_desktop.cli.base.help import add_command, switch, takes
from splu_desktop.cli.base.opening import add_release, lock_from, open_asked, password_line
from splu_desktop.cli.base.output import Meter, current_language, print_result, say_written
from splu_desktop.core.messages import say
from splu_desktop.files.project.opening import RELEASE_SUFFIX
from splu_desktop.files.release.dummy import DUMMY_NAME, write_dummy
from splu_desktop.files.release.handover import hand_over
from splu_desktop.files.release.reading import check_answers_path


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    words = say("pack a release into one ZIP, encrypted with a password that is given or made up")
    parser = add_command(commands, "handover", words, _hand_over)
    add_release(parser)
    takes(parser, "--out FILE", "file to write; ends in {endings}", endings=".zip", type=Path, required=True)
    switch(parser, "--no-password", "write a ZIP that anybody can open (else a password is made up)")
    words = say("make a table like a release to write code on; no figure of it is right")
    parser = add_command(commands, "dummy", words, _dummy)
    add_release(parser)
    takes(parser, "--out FILE", "a new file called DUMMY… .csv (%(default)s)", type=Path, default=Path(DUMMY_NAME))
    takes(parser, "--rows N", "how many rows (as many as the release)", type=int)


def _hand_over(args: argparse.Namespace) -> None:
    """Pack. Raises SpluError; nothing is written then."""
    if args.out.suffix not in (".zip", RELEASE_SUFFIX):
        raise misfit(str(args.out), "--out", f"{args.out.stem}.zip")
    password, shown_once = lock_from(args.password_file, none=args.no_password)
    with Meter(quiet=args.json) as shown:
        packed = hand_over(args.release, args.out, password=password, progress=shown)
    data = {"out": str(packed), "bytes": packed.stat().st_size, "encrypted": password is not None}
    line = say_written(packed, "AES-256" if password else say("not encrypted"))
    print_result(args, {**data, **shown_once}, line, *map(password_line, shown_once.values()))


def _dummy(args: argparse.Namespace) -> None:
    """Write the dummy. Raises SpluError; nothing is written then."""
    check_answers_path(args.out, overwrite=True, release=args.release)
    dummy = write_dummy(open_asked(args), args.out, current_language(), args.rows)
    data = {"out": str(args.out), "rows": dummy.n, "columns": list(dummy.names)}
    print_result(args, data, say_written(args.out))

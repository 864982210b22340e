"""`splu dummy`: a table like that of a release, to write code on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_command, takes
from splu_desktop.cli.base.opening import add_release, open_asked
from splu_desktop.cli.base.output import print_result, say_written, spoken
from splu_desktop.core.messages import say
from splu_desktop.files.release.dummy import DUMMY_NAME, write_dummy
from splu_desktop.files.release.reading import check_answers_path


def add(commands: Any) -> None:
    """Add the command to the parser."""
    words = say("make a table like a release to write code on; no figure of it is right")
    parser = add_command(commands, "dummy", words, run)
    add_release(parser)
    takes(parser, "--out FILE", "a new file called DUMMY… .csv (%(default)s)", type=Path, default=Path(DUMMY_NAME))
    takes(parser, "--rows N", "how many rows (as many as the release)", type=int)


def run(args: argparse.Namespace) -> None:
    """Write. Raises SpluError; nothing is written then."""
    check_answers_path(args.out, overwrite=True, release=args.release)
    made = write_dummy(open_asked(args), args.out, spoken(), args.rows)
    data = {"out": str(args.out), "rows": made.n, "columns": list(made.names)}
    print_result(args, data, say_written(args.out))

"""`splu report`: the audit report of a release, in two editions and four formats."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import belong
from splu_desktop.cli.base.help import add_command, switch, takes
from splu_desktop.cli.base.import_options import add_set, import_table
from splu_desktop.cli.base.opening import add_release, add_target, add_written_language, open_asked
from splu_desktop.cli.base.output import Meter, current_language, print_result, say_written
from splu_desktop.core.messages import say
from splu_desktop.files.disk.whole_files import check_new
from splu_desktop.files.register.ledger import Register
from splu_desktop.report.content.words import first_line
from splu_desktop.report.fields import Fields
from splu_desktop.report.law import DEFAULT, codes
from splu_desktop.report.make import check_target, make_report, write_report

_FIELDS = ("title", "organisation", "reviewer", "contract", "basis", "review", "remarks")


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(commands, "report", "write the audit report of a release", run)
    add_release(parser)
    add_target(parser, ".pdf, .html, .json, .xlsx")
    switch(parser, "--internal", "the internal edition, with true counts; needs --source")
    takes(parser, "--source FILE", "the file that the release was made from", type=Path)
    for name in _FIELDS:
        takes(parser, f"--{name} TEXT", "what to print as “{name}”", name=name, default="")
    packs = say("law packs, between commas: {codes}; or none ({usual})", codes=", ".join(codes()), usual=DEFAULT)
    takes(parser, "--law CODES", packs, default=DEFAULT)
    takes(parser, "--threshold", "largest certainty of a row allowed, 0 to 1, beside the audience's limits", type=float)
    add_written_language(parser)
    add_set(parser)


def run(args: argparse.Namespace) -> None:
    """Write the report. Raises SpluError; nothing is written then."""
    check_target(args.out)
    check_new(args.out, overwrite=args.overwrite)
    belong(args, "--source", "internal", "set")
    belong(args, "--internal", "source")
    fields = Fields(**{name: getattr(args, name) for name in _FIELDS}, law=args.law, threshold=args.threshold)
    with Meter(quiet=args.json) as shown:
        opened = open_asked(args, shown)
        entry = Register().find(opened.id)
        source = import_table(args, args.source, progress=shown).table if args.internal else None
        report = make_report(opened, fields, entry=entry, source=source, progress=shown)
        write_report(report, args.out, language=args.language, progress=shown)
    data = {"out": str(args.out), "edition": report.edition, "bytes": args.out.stat().st_size}
    lines = say_written(args.out), report.say_edition(current_language()), first_line(report.facts, current_language())
    print_result(args, {**data, "verdict": report.verdict_as_dict()}, *lines)

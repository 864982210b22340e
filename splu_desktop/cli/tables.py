"""`splu tables` and `splu protect`: a book of tables from a release, or from a source that is too small for one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_command, takes
from splu_desktop.cli.base.opening import add_release, add_target, add_written_language, open_asked
from splu_desktop.cli.base.output import Meter, print_result, say_written
from splu_desktop.cli.base.plan_options import add_plan_options, plan_table
from splu_desktop.core.messages import say
from splu_desktop.report.book import make


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    examples = "splu tables RELEASE --out book.docx", "splu tables RELEASE BOOK.toml --out book.xlsx"
    one = add_command(commands, "tables", "write a book of tables from a release", _tables, *examples)
    add_release(one)
    takes(one, "book BOOK.toml", "which tables, in place of those asked for (docs/recipient.md)", type=Path, nargs="?")
    words = say("write protected tables of a table too small for rows, each count with a little noise")
    example = "splu protect stays.xlsx --table 'Diagnosis by Sex, Age' --out tables.docx"
    other = add_command(commands, "protect", words, _protect, example)
    add_plan_options(other)
    takes(other, "--book BOOK.toml", "which tables, in place of those asked for (docs/recipient.md)", type=Path)
    takes(other, "--title TEXT", "what it is called", default="")
    for parser in (one, other):
        add_target(parser, ".xlsx, .docx, .html")
        add_written_language(parser)


def _tables(args: argparse.Namespace) -> None:
    make.check_book_path(args.out, overwrite=args.overwrite)
    release = open_asked(args)
    with Meter(quiet=args.json) as shown:
        book = make.print_release(release, make.book_of(release, args.book), progress=shown)
        make.write_book(book, args.out, args.language, shown)
    data = {"out": str(args.out), "tables": len(book.tables), "release": release.id}
    print_result(args, data, say_written(args.out))


def _protect(args: argparse.Namespace) -> None:
    make.check_book_path(args.out, overwrite=args.overwrite)
    with Meter(quiet=args.json) as shown:
        planned = plan_table(args, shown)
        table, plan = planned.reading.table, planned.plan
        book = make.print_protected(table, plan, args.title or args.file.stem, path=args.book)
        entry = make.hand_out_protected(book, table, plan, args.out, args.language)
    data = {"out": str(args.out), "tables": len(book.tables), "register_entry": entry.number}
    print_result(args, data, say_written(args.out))

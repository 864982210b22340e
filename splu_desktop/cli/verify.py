"""`splu verify`: check a release, or a report against its release, without the source."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.opening import add_password, password_from, told_how
from splu_desktop.cli.base.output import add_json, print_json, tell, told
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import say
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.verify import verify_release
from splu_desktop.report.verify import verify_report

_OK, _FAILED, _DIFFERS, _DIGEST = say("ok"), say("FAILED"), say("DIFFERS"), say("digest")
_MARKS = _OK, _DIFFERS, _DIGEST


class NotVerified(SpluError):
    """A check of a release failed."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "verify",
        help=say("check a release, or a report against its release, without the source"),
        description=say(
            "Check that the files of RELEASE are those that were released, fit its description and look as "
            "chance makes them. With REPORT.json before it: that every fingerprint and every figure of the report that "
            "follows from the release is the release's."
        ),
    )
    takes(parser, "report REPORT.json", "a report written as JSON", type=Path, nargs="?")
    takes(parser, "release RELEASE", "a release folder or ZIP", type=Path)
    add_password(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the checks. Raises NotVerified after that where one failed."""
    if args.report is not None:
        _report(args)
        return
    password = password_from(args)
    with told_how(password):
        checks = verify_release(args.release, password=password, register=Register())
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
            tell(check.sentence, _mark(_OK if check.passed else _FAILED, _OK, _FAILED))
    if failed:
        raise NotVerified(failed[0].sentence)


def _report(args: argparse.Namespace) -> None:
    """Print what differs between a report and its release. Raises NotVerified after that where anything does."""
    if args.report.is_dir():
        raise NotVerified(
            "“{path}” is a folder; name the report first: splu verify REPORT.json RELEASE.", path=str(args.report)
        )
    password = password_from(args)
    with told_how(password):
        found = verify_report(args.report, args.release, password=password)
    if args.json:
        print_json(
            {
                "report": str(args.report),
                "release": str(args.release),
                "edition": found.edition,
                "digest": found.digest,
                "sound": not found.differences,
                "figures": found.compared,
                "files": found.files,
                "differences": [{"where": each.where, "sentence": each.sentence} for each in found.differences],
            }
        )
    else:
        for each in found.differences:
            tell(each.sentence, _mark(_DIFFERS, *_MARKS))
        if not found.differences:
            tell(
                "All {files} files and all {figures} figures of the report are the release's.",
                _mark(_OK, *_MARKS),
                files=found.files,
                figures=found.compared,
            )
        digest = say("{digest} of what is reported, as the pages to be signed state it", digest=found.digest)
        tell(digest, _mark(_DIGEST, *_MARKS))
        if found.edition == "internal":
            tell("Note: figures of the internal edition that need the source were not computed again.")
    if found.differences:
        raise NotVerified(found.differences[0].sentence)


def _mark(word: str, *all_words: str) -> str:
    """Return what stands before a line, as wide as the widest of its column."""
    return told(word).ljust(max(len(told(each)) for each in all_words) + 2)

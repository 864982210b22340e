"""`splu verify`: check a release, or a report against its release, without the source."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_command, takes
from splu_desktop.cli.base.opening import add_password, password_asked
from splu_desktop.cli.base.output import print_json, tell, translate
from splu_desktop.core.messages import said_of, say
from splu_desktop.core.policy import title_of
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.verify import WRONG, Verification, verify
from splu_desktop.report.verify import verify_report

_OK, _NOTE, _FAILED = say("ok"), say("note"), say("WRONG")


def add(commands: Any) -> None:
    """Add the command to the parser."""
    words = say("check a release, or a report against its release, without the source")
    parser = add_command(commands, "verify", words, run)
    takes(parser, "report REPORT.json", "a report written as JSON", type=Path, nargs="?")
    takes(parser, "release RELEASE", "a release folder, or a ZIP of it", type=Path)
    add_password(parser)


def run(args: argparse.Namespace) -> int:
    """Print the checks. Returns 3 where one failed."""
    if args.report is not None:
        return _report(args)
    with password_asked(args) as password:
        found = verify(args.release, password=password, register=Register())
    if args.json:
        print_json(
            {
                "release": str(args.release),
                "sound": found.sound,
                "fingerprint": found.fingerprint,
                "digest": found.digest[:16],
                **_verdict_of(found),
                "checks": [
                    {"name": c.name, "state": c.state, "passed": c.state != WRONG, "sentence": str(c.sentence)}
                    for c in found.checks
                ],
            }
        )
    else:
        for check in found.checks:
            word = {"ok": _OK, "note": _NOTE, "wrong": _FAILED}[check.state]
            tell(check.sentence, f"{translate(word):<8} ")
        tell("Fingerprint: {words} ({digest})", words=found.fingerprint, digest=found.digest[:16])
        said = _verdict_of(found)
        tell(said["headline"], f"{translate(title_of(said['verdict']) if said['verdict'] else _NOTE)}: ")
        for line in said["lines"]:
            word = {"ok": _OK, "amber": say("decide"), "red": say("stops")}[line["state"]]
            tell(line["sentence"], f"  {translate(word):<9} ")
    return 0 if found.sound else 3


def _verdict_of(found: Verification) -> dict[str, Any]:
    """Return the lines that were told when it was published, which only the register of that computer keeps."""
    body = {} if found.entry is None else found.entry.body
    if "lines" not in body:
        unknown = say("The lines of its verdict stand in the register of the computer that made it.")
        return {"verdict": None, "headline": unknown, "lines": []}
    lines = [{**line, "sentence": said_of(line["sentence"])} for line in body["lines"]]
    return {"verdict": body["verdict"], "headline": said_of(body["headline"]), "lines": lines}


def _report(args: argparse.Namespace) -> int:
    """Print what differs between a report and its release. Returns 3 where anything does."""
    with password_asked(args) as password:
        differences = verify_report(args.report, args.release, password=password)
    if args.json:
        found = {"sound": not differences, "differences": list(map(str, differences))}
        print_json({"report": str(args.report), "release": str(args.release), **found})
    else:
        for each in differences:
            tell(each, f"{translate(_FAILED):<8} ")
        if not differences:
            tell("All figures of the report that follow from the release are the release's.", f"{translate(_OK):<8} ")
    return 3 if differences else 0

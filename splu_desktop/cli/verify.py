"""`splu verify`: check a release, or a report against its release, without the source."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_command, takes
from splu_desktop.cli.base.opening import add_release, password_asked
from splu_desktop.cli.base.output import Meter, line_of, print_json, translate
from splu_desktop.core.messages import read_plain, say
from splu_desktop.core.policy import title_of
from splu_desktop.files.register.ledger import Register
from splu_desktop.files.release.verify import NOTE, WRONG, Verification, verify
from splu_desktop.report.verify import verify_report

# State of a check, or of a line of the verdict -> its word.
_WORDS = {"ok": say("ok"), NOTE: say("note"), WRONG: say("WRONG"), "amber": say("decide"), "red": say("stops")}


def add(commands: Any) -> None:
    """Add the command to the parser."""
    words = say("check a release, or a report against its release, without the source")
    parser = add_command(commands, "verify", words, run)
    takes(parser, "report REPORT.json", "a report written as JSON", type=Path, nargs="?")
    add_release(parser)


def run(args: argparse.Namespace) -> int:
    """Print the checks. Returns 3 where one failed."""
    sound, data, lines = _of_release(args) if args.report is None else _of_report(args)
    if args.json:
        print_json({"release": str(args.release), "sound": sound, **data})
    else:
        print(*lines, sep="\n")
    return 0 if sound else 3


def _of_release(args: argparse.Namespace) -> tuple[bool, dict[str, Any], list[str]]:
    """Return whether a release is sound, and what its checks found as data and as lines."""
    with password_asked(args) as password, Meter(quiet=args.json) as shown:
        audit = verify(args.release, password=password, register=Register(), progress=shown)
    words, digest = _verdict_of(audit), audit.digest[:16]
    checks = [{"name": each.name, "state": each.state, "passed": each.state != WRONG, "sentence": str(each.sentence)}
              for each in audit.checks]  # fmt: skip
    lines = [line_of(each.sentence, _mark(each.state)) for each in audit.checks]
    lines += [line_of("Fingerprint: {words} ({digest})", words=audit.fingerprint, digest=digest)] if digest else []
    title = title_of(words["verdict"]) if words["verdict"] else _WORDS[NOTE]
    lines.append(line_of(words["headline"], f"{translate(title)}: "))
    lines += [line_of(each["sentence"], f"  {_mark(each['state'])}") for each in words["lines"]]
    return audit.sound, {"fingerprint": audit.fingerprint, "digest": digest, **words, "checks": checks}, lines


def _mark(state: str) -> str:
    return f"{translate(_WORDS[state]):<9} "


def _verdict_of(verification: Verification) -> dict[str, Any]:
    """Return the lines that were told when it was published, which only the register of that computer keeps."""
    body = {} if verification.entry is None else verification.entry.body
    if "lines" not in body:
        unknown = say("The lines of its verdict stand in the register of the computer that made it.")
        return {"verdict": None, "headline": unknown, "lines": []}
    lines = [{**line, "sentence": read_plain(line["sentence"])} for line in body["lines"]]
    return {"verdict": body["verdict"], "headline": read_plain(body["headline"]), "lines": lines}


def _of_report(args: argparse.Namespace) -> tuple[bool, dict[str, Any], list[str]]:
    """Return whether all of a report is its release's, and what differs as data and as lines."""
    with password_asked(args) as password:
        differences = verify_report(args.report, args.release, password=password)
    lines = [line_of(each, _mark(WRONG)) for each in differences]
    fine = say("All figures of the report that follow from the release are the release's.")
    data = {"report": str(args.report), "differences": list(map(str, differences))}
    return not differences, data, lines or [line_of(fine, _mark("ok"))]

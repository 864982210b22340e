"""Entry point of `splu`: finds the command, prints its result, turns faults into one sentence and exit status 2."""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TextIO

from splu_desktop import __version__
from splu_desktop.cli.base.effects import SaidOnce
from splu_desktop.cli.base.endings import Ended, heed_signals, ignore, open_standard_files
from splu_desktop.cli.base.help import Help, add_language, in_own_words
from splu_desktop.cli.base.output import find_system_language, one_line, print_json, speak, translate
from splu_desktop.core.errors import SpluError, out_of_memory, place_of
from splu_desktop.core.messages import Phrase, nearest, none_of, say
from splu_desktop.files.disk.background import begin_digest
from splu_desktop.files.disk.room import LIBRARIES, check_room, keep_freed_memory
from splu_desktop.files.isolation.limits import no_crash_dumps

_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG, errno.EIO)
_OTHER = say(none_of("", ()).template)
_NUMBER = say("Give {name} a number, not “{given}”.")
_NOTHING = say("Correct {rest} or leave it out: it means nothing here.")

# What argparse complains of, and what is said instead.
_COMPLAINTS = (
    (r"the following arguments are required: (?P<names>.*)", say("Add {names}.")),
    (r"argument (?P<name>.*?): expected .*", say("Write a value after {name}.")),
    (r"argument (?P<option>.*?): invalid choice: ['\"]?(?P<name>.*?)['\"]? \(choose from (?P<known>.*)\)", _OTHER),
    (r"argument (?P<name>.*?): invalid (?:int|float) value: ['\"](?P<given>.*)['\"]", _NUMBER),
    (r"argument (?P<rest>.*?): ignored explicit argument '.*'", _NOTHING),
    (r"argument (?P<name>.*?): twice", say("Give {name} once.")),  # cli/base/effects.py
)


class _Parser(argparse.ArgumentParser):
    """A parser that speaks the language of the command; its complaints are one sentence, without usage lines."""

    typed_line: Sequence[str] = ()  # the line, as it was typed

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"formatter_class": Help, "allow_abbrev": False, **settings})
        self.register("action", None, SaidOnce)
        self.register("action", "store", SaidOnce)
        in_own_words(self)

    def error(self, message: str) -> NoReturn:
        """Leave with status 2 and one sentence on stderr."""
        for pattern, instead in _COMPLAINTS:
            if match := re.fullmatch(pattern, message, re.DOTALL):
                message = say(instead, **match.groupdict())
                if "choice" in pattern:
                    message = none_of(match["name"], re.findall(r"[\w-]+", match["known"]))
                    if "option" in match.re.groupindex and match["option"].startswith("--"):
                        message = Phrase("{option}: {fault}", {"option": match["option"], "fault": message})
        raise SystemExit(_end(say("{fault} See “{prog} --help”.", fault=message, prog=self.prog), 2, self.typed_line))


class _SelfTest(argparse.Action):
    """Tells, and ends with 0 where the installation is as it was built, else 1."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        parser.exit(importlib.import_module("splu_desktop.cli.base.self_test").run())


# Command -> its module, in the order of the help. One is imported alone where it is named: all take a second together.
_MODULES = {"propose": "plan", "queries": "query", "protect": "tables", "crosstab": "analyse", "dummy": "handover"}
COMMANDS = {name: _MODULES.get(name, name) for name in (
    "inspect", "propose", "plan", "publish", "query", "queries", "crosstab", "tables", "protect", "analyse", "report",
    "verify", "releases", "handover", "dummy", "guarantee", "compare",
)}  # fmt: skip


def build_parser(given: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of the command that a line begins with, or of all commands."""
    named = [COMMANDS[given[0]]] if given and given[0] in COMMANDS else COMMANDS.values()
    # With every command imported `splu --version` took 2.0 seconds of processor time, without any .14.
    modules = dict.fromkeys([] if list(given) == ["--version"] else named)
    words = say("Hand out a sensitive table: small counts protected, large ones answered.")
    parser = _Parser(prog="splu", description=words)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # before a command as behind it
    add_language(parser)
    version = say("show the version and exit")
    parser.add_argument("--version", action="version", version=f"splu {__version__}", help=version)
    tested = say("tell what is installed here and whether it is as it was built")
    parser.add_argument("--self-test", action=_SelfTest, nargs=0, help=tested)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in modules:
        importlib.import_module(f"splu_desktop.cli.{name}").add(commands)
    return parser


def _language_of(given: Sequence[str]) -> str:
    """Return the language asked for anywhere on the line, or the system's; even a bad line is told of in it."""
    speak(find_system_language())
    parser = _Parser(prog="splu", add_help=False)
    add_language(parser)
    return str(getattr(parser.parse_known_args(given)[0], "lang", find_system_language()))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0 done, 2 bad use or bad input, 3 a verdict or check stands against it,
    1 a fault of the program.

    A run that is ended from outside returns 128 and the signal's number (cli/base/endings.py).
    """
    no_crash_dumps()
    if argv is None:
        open_standard_files()
    try:
        heed_signals()
        return _run(argv)
    except KeyboardInterrupt as ended:
        _tell(say("stopped; nothing unfinished was left behind."))
        return ended.status if isinstance(ended, Ended) else 130
    finally:
        if argv is None:  # the process is about to end
            ignore()
            gc.freeze()  # else all there is would be looked through for garbage once more: a tenth of a count


def _run(argv: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a hospital PC's console may speak cp1252; a symbol must not crash it
            stream.reconfigure(errors="replace")
    _Parser.typed_line = given = list(sys.argv[1:] if argv is None else argv)
    try:
        speak(_language_of(given))
        # Before the command's libraries are loaded, which end in a traceback where memory is short.
        check_room(LIBRARIES)
        keep_freed_memory()
        begin_digest(*given[1:2], "table.csv")  # of a release, if that is what is asked
        parser = build_parser(given)
        if strange := [text for text in given if re.search("[\udc80-\udcff]", text) and not os.path.lexists(text)]:
            parser.error(say(_NOTHING, rest=strange[0]))  # bytes that are no letters: a path at most
        args, rest = parser.parse_known_args(given)
        args.given = given
        if rest and hasattr(args, "conditions") and all(re.match("[^-]|-[^-].*=", text) for text in rest):
            args.conditions += rest  # behind an option, or of a column such as “-1+1”: argparse leaves these over
        elif rest:
            parser.prog = f"splu {args.command}"  # whose help names what it takes
            (chosen,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
            known = [each.strip("-") for each in chosen.choices[args.command]._option_string_actions]
            name, few = rest[0].partition("=")[0], " ".join(rest[:3])  # a sentence has no room for more
            near = nearest(name.strip("-"), known) if name.startswith("--") else ""
            parser.error(none_of(name, [f"--{near}"]) if near else say(_NOTHING, rest=few))
        status = args.run(args)
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a full disk is told here, and not by the interpreter at its end
    except BrokenPipeError:
        _let_go_of(sys.stdout)
        return 0
    except SpluError as fault:
        return _end(str(fault), 2, given)
    except Exception as fault:
        if out_of_memory(fault):
            return _end(say("There is not enough memory for this table; try on a larger computer."), 2, given)
        if isinstance(fault, OSError) and fault.errno in _NO_ROOM:
            reason = os.strerror(fault.errno or 0).lower()
            _tell(say("What was asked for can't be written out ({reason}); make room and try again.", reason=reason))
            _let_go_of(sys.stdout)
            return 2
        # Where it arose, since a traceback would show the user nothing of use and might show a value of the table.
        words = say("Something went wrong inside the program ({place}); report these words.", place=place_of(fault))
        return _end(words, 1, given)
    return int(status or 0)


def _tell(text: str) -> None:
    """Say a sentence on stderr, where somebody may have stopped listening."""
    if sys.stderr is not None:
        try:
            print(f"splu: {one_line(translate(text))}", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            _let_go_of(sys.stderr)


def _end(text: str, status: int, given: Sequence[str]) -> int:
    """Say why nothing came of it, with --json as an object, too: whoever reads the output finds one whatever comes."""
    _tell(text)
    if "--json" in given:
        print_json({"error": str(text), "status": status})
    return status


def _let_go_of(stream: TextIO) -> None:
    """Keep the interpreter from trying once more, at its end, to write what nobody takes."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

"""Writes manual pages and shell completion from the programs' own parsers, below a folder such as /usr/share.

PYTHONPATH=SOURCE python packaging/manual.py FOLDER
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from pathlib import Path

import shtab

from splu_desktop.__main__ import build_parser as window_parser
from splu_desktop.cli.main import build_parser

_ENDINGS = "0 done; 2 bad use or bad input, with one sentence on what to do; 130 interrupted; 1 a fault of the program."


def _escaped(text: str) -> str:
    """Return a text as troff shows it unchanged, in ASCII, since a page is read in whatever locale a terminal has."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    escaped = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _fallbacks(text: str) -> list[str]:
    """Return what a terminal without them shows for characters that Unicode writes as several of ASCII: ... for …"""
    written = {each: unicodedata.normalize("NFKD", each) for each in sorted(set(text))}
    return [
        f".fchar {_escaped(each)} {plain}" for each, plain in written.items() if not each.isascii() and plain.isascii()
    ]


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found[0].choices) if found else {}


def _options(parser: argparse.ArgumentParser) -> list[str]:
    lines = []
    formatter = parser._get_formatter()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.help is argparse.SUPPRESS:
            continue
        asked = formatter._format_action_invocation(action)
        told = formatter._expand_help(action) if action.help else ""
        lines += [".TP", f".B {_escaped(asked)}", _escaped(" ".join(told.split()))]
    return lines


def page(parser: argparse.ArgumentParser, summary: str, others: list[str]) -> str:
    """Return the manual page of a program or of one of its commands."""
    name = parser.prog.replace(" ", "-")
    formatter = parser._get_formatter()
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    usage = " ".join(formatter.format_help().split())
    lines = [f'.TH {_escaped(name.upper())} 1 "" "SPLU Desktop" "User commands"', ".ad l"]
    lines += [*_fallbacks(parser.format_help()), ".SH NAME"]
    lines += [f"{_escaped(name)} \\- {_escaped(summary)}", ".SH SYNOPSIS", _escaped(usage)]
    lines += [".SH DESCRIPTION", _escaped(" ".join((parser.description or summary).split()))]
    commands = _commands(parser)
    if commands:
        lines.append(".SH COMMANDS")
        for command, words in _summaries(parser).items():
            lines += [".TP", f".B {_escaped(command)}", _escaped(words)]
    lines += [".SH OPTIONS", *_options(parser), ".SH EXIT STATUS", _escaped(_ENDINGS), ".SH SEE ALSO"]
    lines.append(",\n".join(f".BR {_escaped(other)} (1)" for other in others).replace(",\n", " ,\n"))
    return "\n".join(lines) + "\n"


def _summaries(parser: argparse.ArgumentParser) -> dict[str, str]:
    action = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {choice.dest: choice.help or "" for choice in action._choices_actions}


def files() -> dict[str, str]:
    """Return all of them: path below a /usr/share -> content."""
    splu, window = build_parser(), window_parser()
    commands = _commands(splu)
    pages = {f"splu-{name}": page(commands[name], words, ["splu"]) for name, words in _summaries(splu).items()}
    pages["splu"] = page(splu, "hand out a sensitive table, on the command line", ["splu-desktop", *sorted(pages)])
    pages["splu-desktop"] = page(window, "hand out a sensitive table, in a window", ["splu"])
    return {f"man/man1/{name}.1": text for name, text in pages.items()} | {
        "bash-completion/completions/splu": shtab.complete(splu, "bash"),
        "bash-completion/completions/splu-desktop": shtab.complete(window, "bash"),
        "zsh/site-functions/_splu": shtab.complete(splu, "zsh"),
    }


if __name__ == "__main__":
    for place, text in files().items():
        target = Path(sys.argv[1]) / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

"""Writes manual pages and shell completion from the programs' own parsers, below a folder such as /usr/share.

The command line's pages are written in its three languages; the window's, of two options, in English.

PYTHONPATH=SOURCE python packaging/manual.py FOLDER
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from pathlib import Path

import shtab

from splu_desktop.__main__ import build_parser as window_parser
from splu_desktop.cli.base.output import current_language, speak, translate
from splu_desktop.cli.main import build_parser
from splu_desktop.files.language import LANGUAGES

_ENDINGS = "0 done; 2 bad use or bad input, with one sentence on what to do; 130 interrupted; 1 a fault of the program."
_SUMMARY = "hand out a sensitive table, on the command line"
# The titles are those of the manual pages of Debian in these languages; by the first one `whatis` finds a page.
_WORDS = {
    "en": {},
    "de": {
        "NAME": "BEZEICHNUNG",
        "SYNOPSIS": "ÜBERSICHT",
        "DESCRIPTION": "BESCHREIBUNG",
        "COMMANDS": "BEFEHLE",
        "OPTIONS": "OPTIONEN",
        "NOTES": "ANMERKUNGEN",
        "EXIT STATUS": "EXIT-STATUS",
        "SEE ALSO": "SIEHE AUCH",
        "User commands": "Dienstprogramme für Benutzer",
        _SUMMARY: "eine sensible Tabelle herausgeben, auf der Befehlszeile",
        _ENDINGS: "0 erledigt; 2 falsch aufgerufen oder unbrauchbare Eingabe, mit einem Satz, was zu tun ist; "
        "130 unterbrochen; 1 ein Fehler des Programms.",
    },
    "fr": {
        "NAME": "NOM",
        "SYNOPSIS": "SYNOPSIS",
        "DESCRIPTION": "DESCRIPTION",
        "COMMANDS": "COMMANDES",
        "OPTIONS": "OPTIONS",
        "NOTES": "NOTES",
        "EXIT STATUS": "CODE DE RETOUR",
        "SEE ALSO": "VOIR AUSSI",
        "User commands": "Commandes de l'utilisateur",
        _SUMMARY: "communiquer une table sensible, en ligne de commande",
        _ENDINGS: "0 fait ; 2 mauvais appel ou entrée inutilisable, avec une phrase sur ce qu'il faut faire ; "
        "130 interrompu ; 1 une faute du programme.",
    },
}


def _in_own_words(text: str) -> str:
    return _WORDS[current_language().code].get(text) or translate(text)


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


def _title(text: str) -> str:
    return f".SH {_escaped(_in_own_words(text))}"


def page(parser: argparse.ArgumentParser, summary: str, others: list[str]) -> str:
    """Return the manual page of a program or of one of its commands."""
    name = parser.prog.replace(" ", "-")
    formatter = parser._get_formatter()
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    usage = " ".join(formatter.format_help().split())
    commands_of = _escaped(_in_own_words("User commands"))
    lines = [f'.TH {_escaped(name.upper())} 1 "" "SPLU Desktop" "{commands_of}"', ".ad l"]
    lines += [*_fallbacks(parser.format_help()), _title("NAME")]
    lines += [f"{_escaped(name)} \\- {_escaped(_in_own_words(summary))}", _title("SYNOPSIS"), _escaped(usage)]
    lines += [_title("DESCRIPTION"), _escaped(" ".join(_in_own_words(parser.description or summary).split()))]
    commands = _commands(parser)
    if commands:
        lines.append(_title("COMMANDS"))
        for command, words in _summaries(parser).items():
            lines += [".TP", f".B {_escaped(command)}", _escaped(_in_own_words(words))]
    lines += [_title("OPTIONS"), *_options(parser)]
    if parser.epilog:
        below = [_escaped(line) for line in translate(parser.epilog).splitlines()]
        lines += [_title("NOTES"), ".nf", *below, ".fi"]
    lines += [_title("EXIT STATUS"), _escaped(_in_own_words(_ENDINGS))]
    lines.append(_title("SEE ALSO"))
    lines.append(",\n".join(f".BR {_escaped(other)} (1)" for other in others).replace(",\n", " ,\n"))
    return "\n".join(lines) + "\n"


def _summaries(parser: argparse.ArgumentParser) -> dict[str, str]:
    action = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {choice.dest: choice.help or "" for choice in action._choices_actions}


def files() -> dict[str, str]:
    """Return all of them: path below a /usr/share -> content."""
    splu, window = build_parser(), window_parser()
    commands = _commands(splu)
    pages = {"man/man1/splu-desktop.1": page(window, "hand out a sensitive table, in a window", ["splu"])}
    names = [f"splu-{name}" for name in sorted(commands)]
    for code in reversed(LANGUAGES):  # English last: it stays
        speak(code)
        place = "man/man1" if code == "en" else f"man/{code}/man1"
        pages[f"{place}/splu.1"] = page(splu, _SUMMARY, ["splu-desktop", *names])
        for name, words in _summaries(splu).items():
            pages[f"{place}/splu-{name}.1"] = page(commands[name], words, ["splu"])
    return pages | {
        "bash-completion/completions/splu": shtab.complete(splu, "bash"),
        "bash-completion/completions/splu-desktop": shtab.complete(window, "bash"),
        "zsh/site-functions/_splu": shtab.complete(splu, "zsh"),
    }


if __name__ == "__main__":
    for place, text in files().items():
        target = Path(sys.argv[1]) / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

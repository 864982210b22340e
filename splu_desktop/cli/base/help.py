"""The help of every command in the language spoken: argparse writes it, the catalogues have its words."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from splu_desktop.cli.base.output import translate
from splu_desktop.core.messages import Phrase, listed, say
from splu_desktop.files.language import LANGUAGES

_ROW = " " * 28  # before the meaning of what stands in a row
_LINES, _PARAGRAPHS = "{head}\n{tail}", "{head}\n\n{tail}"
_ARGPARSE = {"action", "choices", "const", "default", "dest", "nargs", "required", "type"}


class Help(argparse.HelpFormatter):
    """Translates each text on its way into the help. It overrides what argparse's own formatters override."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return None if action.help is None else translate(action.help)

    def _format_text(self, text: str) -> str:
        if isinstance(text, Phrase):  # the version is none
            sentence = translate(text)
            text = sentence[:1].upper() + sentence[1:]
        return super()._format_text(text)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Keep the lines of a text that has several; of a row, what does not fit stands below its meaning."""
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "\n".join(
            line
            if line.startswith("  splu ")
            else textwrap.fill(line, width, subsequent_indent=_ROW * line.startswith("  "))
            for line in text.splitlines()
        )

    def start_section(self, heading: str | None) -> None:
        """Begin a section under a heading."""
        super().start_section(None if heading is None else translate(heading))

    def add_usage(
        self, usage: str | None, actions: Iterable[argparse.Action], groups: Iterable[Any], prefix: str | None = None
    ) -> None:
        """Add the usage."""
        super().add_usage(usage, actions, groups, translate(say("usage: ")) if prefix is None else prefix)


def rows_of(rows: Iterable[tuple[str, str]]) -> str:
    """Return a line for each of what may be typed and what it means."""
    lines = [
        Phrase("{typed}{words}", {"typed": f"  {typed}  ".ljust(len(_ROW)), "words": words}) for typed, words in rows
    ]
    return listed(lines, _LINES, _LINES)


def add_below(parser: argparse.ArgumentParser, *lines: str) -> None:
    """Add a paragraph to what stands below the options in a command's help."""
    paragraph = listed(lines, _LINES, _LINES)
    parser.epilog = paragraph if parser.epilog is None else listed((parser.epilog, paragraph), _PARAGRAPHS)


def add_command(
    commands: Any, name: str, words: str, run: Callable[[argparse.Namespace], int | None], *examples: str, **more: Any
) -> argparse.ArgumentParser:
    """Return the parser of a new command, which takes --json.

    Parameters
    ----------
    commands : argparse's subparsers.
    words : what it does.
    run : what carries it out; the exit status, None for 0.
    examples : commands, typed as they stand in every language.
    more : of argparse's settings of a parser.
    """
    parser: argparse.ArgumentParser = commands.add_parser(name, help=say(words), **more)
    # Suppressed, since the default of an analysis would undo what was said before it.
    switch(parser, "--json", "print one JSON object instead of text", default=argparse.SUPPRESS)
    add_language(parser)
    parser.set_defaults(run=run)
    if examples:
        add_below(parser, say("Examples:"), *(f"  {each}" for each in examples))
    return parser


def add_language(parser: argparse.ArgumentParser) -> None:
    """Give a parser the option that names the language in which a command speaks."""
    takes(parser, "--lang", "language of what people read (the system's)", choices=LANGUAGES, default=argparse.SUPPRESS)


def takes(to: Any, spelling: str, words: str = "", **values: Any) -> None:
    """Give a command, or a group of its options, one more: a line for each.

    Parameters
    ----------
    to : the command's parser, or a group of its options.
    spelling : as the help writes it, "--out FILE", "file FILE"; two spellings with a bar between.
    words : what it means, a sentence of the catalogues; "" for none.
    values : of the words, and what argparse knows under such a name ("type", "default", …).
    """
    names, _, metavar = spelling.partition(" ")
    keywords = {name: values.pop(name) for name in _ARGPARSE & values.keys()}
    if metavar:
        keywords["metavar"] = metavar
    to.add_argument(*names.split("|"), help=say(words, **values) if words else None, **keywords)


def switch(to: Any, spelling: str, words: str, **values: Any) -> None:
    """Give an option without a value, which is off unless given."""
    takes(to, spelling, words, action="store_true", **values)


def several(to: Any, spelling: str, words: str, **values: Any) -> None:
    """Give an option that may be repeated; none is given by itself."""
    takes(to, spelling, words, action="append", default=[], **values)


def in_own_words(parser: argparse.ArgumentParser) -> None:
    """Give a parser just made sentences of the catalogues in place of argparse's own."""
    parser._positionals.title = say("positional arguments")
    parser._optionals.title = say("options")
    for action in parser._actions:  # the help option alone
        action.help = say("show this help message and exit")

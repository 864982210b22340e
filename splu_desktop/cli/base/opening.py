"""The release that a command asks: its place, its password, and reading it."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from splu_desktop.cli.base.effects import belong
from splu_desktop.cli.base.help import switch, takes
from splu_desktop.cli.base.output import current_language
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say, superfluous
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.isolation.faults import MissingFile
from splu_desktop.files.language import LANGUAGES
from splu_desktop.files.release.package import PasswordNeeded
from splu_desktop.files.release.reading import OpenRelease, check_answers_path, open_release

ANSWERS = ".csv, .xlsx"  # endings of files of answers
PASSWORD_VARIABLE = "SPLU_PASSWORD"  # noqa: S105 - the name of an environment variable


def add_password(parser: argparse.ArgumentParser) -> None:
    """Give a command the option that names a password. It is never an argument, which other users could read."""
    words = say("the ZIP's password is the first line of FILE (or {variable})", variable=PASSWORD_VARIABLE)
    takes(parser, "--password-file FILE", words, type=Path)


def password_from(file: Path | None) -> str | None:
    """Return the password that file or environment hold, None where neither does. Raises BadSetting."""
    if file is None:
        return os.environ.get(PASSWORD_VARIABLE) or None
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise MissingFile(file) from None
    except (OSError, ValueError):  # no text, or no path
        lines = []
    if not lines or not lines[0]:
        raise BadSetting("The password file “{path}” must be a text file with the password in its first line.",
                         path=str(file))  # fmt: skip
    return lines[0]


def lock_from(file: Path | None, *, none: bool) -> tuple[str | None, dict[str, str]]:
    """Return the password of a ZIP to write, None for none, and as data one made up here. Raises BadSetting."""
    if none:
        if file is not None:
            raise BadSetting(superfluous("no_password", ["password_file"]))
        return None, {}
    if given := password_from(file):
        return given, {}
    from splu_desktop.files.release.handover import new_password  # a count starts sooner without

    password = new_password()
    return password, {"password": password}


def password_line(password: str) -> str:
    """Return the line that shows a password made up here, the only time."""
    return say(
        "Password: {password} (kept nowhere; write it down, and give it by another way than the file)",
        password=password,
    )


def add_release(parser: argparse.ArgumentParser) -> None:
    """Give a command the place of a release, and its password's."""
    takes(parser, "release RELEASE", "a release folder, or a ZIP of it", type=Path)
    add_password(parser)


def add_target(parser: argparse.ArgumentParser, endings: str, *, required: bool = True) -> None:
    """Give a command the file that it writes."""
    takes(parser, "--out FILE", "file to write; ends in {endings}", endings=endings, type=Path, required=required)
    switch(parser, "--overwrite", "replace the file if it exists")


def add_written_language(parser: argparse.ArgumentParser) -> None:
    """Give a command the option that names the language of what it writes."""
    words = say("language of what is written: en, de or fr (that of --lang)")
    takes(parser, "--language CODE", words, choices=tuple(LANGUAGES), default=current_language().code)


@contextlib.contextmanager
def password_asked(args: argparse.Namespace) -> Iterator[str | None]:
    """Give the password of an encrypted release; the fault about one says how it is given. Raises PasswordNeeded."""
    password = password_from(args.password_file)
    try:
        yield password
    except PasswordNeeded as fault:
        if password is not None:
            raise
        raise PasswordNeeded("{fault} Name a file that holds it with --password-file.", fault=str(fault)) from None


def open_asked(
    args: argparse.Namespace, progress: Progress = SILENT, *, conditions: Sequence[str] | None = None
) -> OpenRelease:
    """Return the release asked for, or what conditions need of it.

    Raises BadRelease; BadSetting where a folder is given a password; Cancelled.
    """
    if args.release.is_dir() and args.password_file is not None:
        folder = say("“{path}” is a folder, which has no password", path=str(args.release))
        raise BadSetting(superfluous(folder, ["--password-file"]))
    with password_asked(args) as password:
        return open_release(args.release, password=password, conditions=conditions, progress=progress)


def open_for_answers(args: argparse.Namespace) -> OpenRelease:
    """Return the release asked for, once it is sure that a file of answers can be written where one is wanted.

    Raises SpluError.
    """
    belong(args, "--out", "overwrite")
    if args.out is not None:
        check_answers_path(args.out, overwrite=args.overwrite, release=args.release)
    return open_asked(args)

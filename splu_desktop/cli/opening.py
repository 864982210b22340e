"""The release that a command asks: its place, its password, and reading it."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from splu_desktop.core.errors import BadSetting

if TYPE_CHECKING:
    from splu_desktop.files.release import OpenRelease

PASSWORD_VARIABLE = "SPLU_PASSWORD"  # noqa: S105 - the name of an environment variable


def add_password(parser: argparse.ArgumentParser) -> None:
    """Give a command the option that names a password. It is never an argument, which other users could read."""
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help=f"the ZIP's password is the first line of FILE (or the environment variable {PASSWORD_VARIABLE})",
    )


def password_from(args: argparse.Namespace) -> str | None:
    """Return the password that file or environment hold, None where neither does. Raises BadSetting."""
    if args.password_file is None:
        return os.environ.get(PASSWORD_VARIABLE) or None
    try:
        lines = args.password_file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError):  # no text, or no path
        raise BadSetting(f"The password file “{args.password_file}” can't be read as text.") from None
    if not lines or not lines[0]:
        raise BadSetting(f"The password file “{args.password_file}” holds no password in its first line.")
    return str(lines[0])


def add_release(parser: argparse.ArgumentParser) -> None:
    """Give a command the place of a release, and its password's."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="release folder, or a ZIP of it")
    add_password(parser)


@contextlib.contextmanager
def told_how(password: str | None) -> Iterator[None]:
    """Say with the fault about an encrypted release how a password is given. Raises PasswordNeeded."""
    from splu_desktop.files.package import PasswordNeeded

    try:
        yield
    except PasswordNeeded as fault:
        if password is not None:
            raise
        raise PasswordNeeded(f"{fault} Name a file that holds it with --password-file.") from None


def opened(args: argparse.Namespace) -> OpenRelease:
    """Return the release asked for. Raises BadRelease."""
    from splu_desktop.files.release import read_release

    password = password_from(args)
    with told_how(password):
        return read_release(args.release, password=password)

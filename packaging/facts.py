"""The facts of a build that stand in one place each: its number, and who publishes it.

    python packaging/facts.py number|numbers|debian|publisher|contact|homepage|download FILE     prints one of them

The number comes from `splu_desktop/__init__.py` and git. There stands a release's number (scripts/release.py writes
it), which only the commit tagged with it may bear, or `X.Y.Z.dev0`, to which a build adds how many commits there are
and which it is of. `SPLU_VERSION` overrules both where there is no git.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "splu_desktop/__init__.py"
_LINE = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


class NoRelease(Exception):
    """What a release must have is not there; str() says what."""


def declared(source: Path = SOURCE) -> str:
    """Return the version that the source says."""
    found = _LINE.search(source.read_text("utf-8"))
    assert found is not None, source
    return found[1]


def declare(version: str, source: Path = SOURCE) -> None:
    """Write a version into the source, or a copy of it."""
    source.write_text(_LINE.sub(f'__version__ = "{version}"', source.read_text("utf-8")), "utf-8")


def is_release(version: str) -> bool:
    """Whether a number is that of a release, three parts and no more."""
    return re.fullmatch(r"\d+\.\d+\.\d+", version) is not None


def number(said: str, tags: list[str], commits: int, commit: str, *, changed: bool) -> str:
    """Return the number of a build.

    Parameters
    ----------
    said : what the source says.
    tags : those of the commit.
    commits : how many there are up to it.
    commit : its short name, "" where git is not to be had.
    changed : whether files differ from it.

    Raises
    ------
    NoRelease : the source bears a release's number, and the commit is not the one tagged with it.
    """
    if is_release(said):
        if f"v{said}" in tags and not changed:
            return said
        raise NoRelease(
            f"The source says version {said}, but this is not the commit tagged v{said} as it was tagged. Build"
            " that one, or begin the next version: python scripts/release.py --begin X.Y.Z"
        )
    if not commit:
        return said
    return f"{said.removesuffix('0')}{commits}+g{commit}{'.changed' if changed else ''}"


@cache
def version() -> str:
    """Return the number of what is built here. Raises NoRelease."""
    told = os.environ.get("SPLU_VERSION")
    if told:
        return told
    if not (ROOT / ".git").exists():
        return declared()
    commit = _git("rev-parse", "--short=10", "HEAD")
    if not commit:
        return declared()
    changed = bool(_git("status", "--porcelain", "--untracked-files=no"))
    tags = _git("tag", "--points-at", "HEAD").split()
    return number(declared(), tags, int(_git("rev-list", "--count", "HEAD")), commit, changed=changed)


def numbered(work: Path) -> Path:
    """Return a folder with a copy of the code that bears the number of this build.

    With what the code reads when it is imported, since manual pages are written from there.
    """
    source = work / "source"
    shutil.rmtree(source, ignore_errors=True)
    for folder in ("splu_desktop", "resources"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    declare(version(), source / "splu_desktop/__init__.py")
    return source


def _git(*arguments: str) -> str:
    try:
        told = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return told.stdout.strip()


def numbers(version: str) -> tuple[int, int, int]:
    """Return the three numbers that a version begins with, which is all that Windows and macOS understand."""
    major, minor, patch = (int(part) for part in re.findall(r"\d+", version)[:3])
    return major, minor, patch


def debian(version: str) -> str:
    """Return a version as dpkg sorts it: a development build before the release that it leads to."""
    return version.replace(".dev", "~dev")


@cache
def publisher() -> dict[str, str]:
    """Return who publishes, by key: publisher, contact, homepage, downloads."""
    return tomllib.loads((ROOT / "resources/publisher.toml").read_text("utf-8"))


def refuse_placeholders(version: str, told: dict[str, str]) -> None:
    """Let no release go out that names nobody. Raises NoRelease."""
    unset = [key for key, value in told.items() if re.search(r"\.invalid\b", value)]
    if is_release(version) and unset:
        raise NoRelease(
            f"Version {version} is a release, and resources/publisher.toml does not say whose:"
            f" fill in {', '.join(unset)}."
        )


def download(version: str, file: str) -> str:
    """Return the address of one file of a release."""
    return publisher()["downloads"].format(version=version, file=file)


def main(what: str, *words: str) -> str:
    """Return one fact in words."""
    known = {
        "number": lambda: version(),
        "numbers": lambda: ".".join(map(str, numbers(version()))),
        "debian": lambda: debian(version()),
        **{key: (lambda value=value: value) for key, value in publisher().items()},
        "download": lambda: download(version(), *words),
    }
    refuse_placeholders(version(), publisher())
    return known[what]()


if __name__ == "__main__":
    try:
        print(main(*sys.argv[1:]))
    except NoRelease as fault:
        sys.exit(str(fault))

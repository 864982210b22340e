"""Make a version of what is here, and begin the next one: number, changelog, citation, commit and tag.

    python scripts/release.py 0.2.0            turns [Unreleased] into [0.2.0], commits, and tags the commit v0.2.0
    python scripts/release.py --begin 0.3.0    from then on builds are numbered 0.3.0.dev...
    python scripts/release.py --notes 0.2.0    prints what the changelog says of it

Pushing the tag makes .github/workflows/release.yml build it, which refuses the placeholders of
resources/publisher.toml; so does this script.
"""

from __future__ import annotations

import argparse
import datetime as dt
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

import facts  # noqa: E402

CHANGELOG, CITATION = ROOT / "CHANGELOG.md", ROOT / "CITATION.cff"
_OPEN = "## [Unreleased]"


def released(changelog: str, version: str, date: str) -> str:
    """Return the changelog with what is unreleased under a version. Raises NoRelease."""
    if f"## [{version}]" in changelog:
        raise facts.NoRelease(f"CHANGELOG.md has a version {version} already.")
    before, heading, after = changelog.partition(_OPEN)
    said = re.split(r"^## \[", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not heading or not re.search(r"^- ", said, re.MULTILINE):
        raise facts.NoRelease("CHANGELOG.md says nothing under [Unreleased], so there is nothing to release.")
    return f"{before}{_OPEN}\n\n## [{version}] - {date}{after}"


def notes(changelog: str, version: str) -> str:
    """Return what the changelog says of a version, for its release. Raises NoRelease."""
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None:
        raise facts.NoRelease(f"CHANGELOG.md says nothing of a version {version}.")
    return (
        f"{found[1].strip()}\n\n### How to check what you fetched\n\n"
        "`sha256sum --check --ignore-missing SHA256SUMS`, `gpg --verify SHA256SUMS.asc`, and after installing "
        "`splu --self-test`. docs/installers.md says what to do on a locked-down PC.\n"
    )


def cited(citation: str, version: str, date: str) -> str:
    """Return the citation of a version."""
    citation = re.sub(r"^version: .*$", f"version: {version}", citation, flags=re.MULTILINE)
    return re.sub(r"^date-released: .*$", f"date-released: {date}", citation, flags=re.MULTILINE)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def _commit(message: str) -> None:
    _git("commit", "--quiet", "--message", message, "--", str(facts.SOURCE), str(CHANGELOG), str(CITATION))


def main() -> int:
    """Do it. Returns 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("--begin", action="store_true", help="number the next builds after this version to come")
    parser.add_argument("--notes", action="store_true", help="print the notes of a version and change nothing")
    parser.add_argument("--date", default=dt.datetime.now(dt.UTC).date().isoformat(), help="of the release (today)")
    options = parser.parse_args()
    try:
        if not facts.is_release(options.version):
            raise facts.NoRelease(f"“{options.version}” is no version; write three numbers, such as 0.2.0.")
        changelog = CHANGELOG.read_text("utf-8")
        if options.notes:
            print(notes(changelog, options.version))
            return 0
        if _git("status", "--porcelain", "--untracked-files=no"):
            raise facts.NoRelease("There are changes that are not committed; a version is made of a commit.")
        if options.begin:
            facts.declare(f"{options.version}.dev0")
            _commit(f"Begin {options.version}")
            return 0
        facts.refuse_placeholders(options.version, facts.publisher())
        CHANGELOG.write_text(released(changelog, options.version, options.date), "utf-8")
        CITATION.write_text(cited(CITATION.read_text("utf-8"), options.version, options.date), "utf-8")
        facts.declare(options.version)
        _commit(f"Release {options.version}")
        _git("tag", "--annotate", f"v{options.version}", "--message", f"SPLU Desktop {options.version}")
    except facts.NoRelease as fault:
        print(fault, file=sys.stderr)
        return 1
    print(
        f"Version {options.version} is committed and tagged. Next: git push --follow-tags, then --begin the next one."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Versions, publisher, changelog and notes: what a release must have, and that a build without it is refused."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import splu_desktop
from tests.optional import needs

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
sys.path.insert(0, str(ROOT / "scripts"))

import facts  # noqa: E402
import release  # noqa: E402


def test_a_build_is_numbered_by_its_tag_or_its_commit() -> None:
    assert facts.number("0.2.0", ["v0.2.0"], 9, "abc", changed=False) == "0.2.0"
    assert facts.number("0.2.0.dev0", [], 613, "d532c5b", changed=False) == "0.2.0.dev613+gd532c5b"
    assert facts.number("0.2.0.dev0", [], 613, "d532c5b", changed=True) == "0.2.0.dev613+gd532c5b.changed"
    assert facts.number("0.2.0.dev0", [], 0, "", changed=False) == "0.2.0.dev0"
    for tags, changed in (([], False), (["v0.1.0"], False), (["v0.2.0"], True)):
        with pytest.raises(facts.NoRelease, match=re.escape("not the commit tagged v0.2.0")):
            facts.number("0.2.0", tags, 9, "abc", changed=changed)


def test_every_system_sorts_a_development_build_before_its_release() -> None:
    assert facts.debian("0.2.0.dev7+gabc") == "0.2.0~dev7+gabc"
    assert facts.numbers("0.2.0.dev7+gabc") == facts.numbers("0.2.0") == (0, 2, 0)
    dpkg = shutil.which("dpkg")
    if dpkg:
        older = [dpkg, "--compare-versions", facts.debian("0.2.0.dev7+gabc"), "lt", "0.2.0"]
        assert subprocess.run(older, check=False).returncode == 0


def test_the_source_says_a_version_that_a_build_understands() -> None:
    assert facts.declared() == splu_desktop.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev0)?", facts.declared())


def test_a_release_that_names_nobody_is_refused_and_a_trial_is_not() -> None:
    own = facts.publisher()
    assert set(own) == {"publisher", "contact", "homepage", "downloads"}
    facts.refuse_placeholders("0.2.0.dev7+gabc", own)
    with pytest.raises(facts.NoRelease, match="contact, homepage, downloads"):
        facts.refuse_placeholders("0.2.0", own)
    theirs = {"publisher": "A", "contact": "a@b.org", "homepage": "https://b.org", "downloads": "https://b.org/{file}"}
    facts.refuse_placeholders("0.2.0", theirs)
    with pytest.raises(facts.NoRelease, match=r"fill in downloads\."):
        facts.refuse_placeholders("0.2.0", theirs | {"downloads": "https://b.invalid/{file}"})


def test_nothing_but_the_one_place_names_an_address_of_ours() -> None:
    folders = ("packaging", "installer", "scripts", ".github", "splu_desktop", "resources")
    written = {".py", ".in", ".iss", ".ps1", ".sh", ".yml", ".toml", ".desktop", ".plist"}
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in written]
    found = [path.name for path in files if "splu-desktop.invalid" in path.read_text("utf-8")]
    assert found == ["publisher.toml"]


CHANGES = """# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-11-21

- The first.
"""


def test_the_changelog_turns_into_a_version_and_its_notes() -> None:
    now = release.released(CHANGES, "0.2.0", "2026-12-01")
    assert "## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- A thing.\n" in now
    assert release.notes(now, "0.2.0").startswith("### Added\n\n- A thing.\n")
    assert "The first" not in release.notes(now, "0.2.0")
    assert release.notes(now, "0.1.0").startswith("- The first.")
    for changelog, version, fault in (
        (now, "0.2.0", "has a version 0.2.0 already"),
        (now, "0.3.0", "nothing to release"),
        ("# Changelog\n", "0.3.0", "nothing to release"),
    ):
        with pytest.raises(facts.NoRelease, match=fault):
            release.released(changelog, version, "2026-12-01")
    with pytest.raises(facts.NoRelease, match=re.escape("nothing of a version 9.9.9")):
        release.notes(now, "9.9.9")


def test_the_changelog_of_this_commit_could_be_released() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if facts.is_release(facts.declared()):
        assert release.notes(text, facts.declared())
    else:
        upcoming = facts.declared().removesuffix(".dev0")
        assert release.notes(release.released(text, upcoming, "2026-12-01"), upcoming)


@needs("Git")
def test_a_version_is_made_in_a_repository_of_its_own(tmp_path: Path) -> None:
    for name in (
        "splu_desktop/__init__.py",
        "CHANGELOG.md",
        "CITATION.cff",
        "scripts/release.py",
        "packaging/facts.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    facts.declare("7.0.0.dev0", tmp_path / "splu_desktop/__init__.py")
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    (tmp_path / ".gitignore").write_text("__pycache__\n")
    own = 'publisher = "A"\ncontact = "a@b.{0}"\nhomepage = "https://b.{0}"\ndownloads = "https://b.{0}/{{file}}"\n'
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources/publisher.toml").write_text(own.format("invalid"))

    def git(*arguments: str) -> str:
        named = ["-c", "user.name=A", "-c", "user.email=a@b.org"]
        return subprocess.run(
            ["git", *named, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    def make(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": "/usr/bin:/bin",
            **{f"GIT_{who}_{what}": "a@b.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        command = [sys.executable, "scripts/release.py", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)

    git("init", "--quiet")
    git("add", "-A")
    git("commit", "--quiet", "-m", "first")
    told = make("7.0.0")
    assert told.returncode == 1
    assert "fill in contact, homepage, downloads" in told.stderr
    assert make("7").returncode == 1
    (tmp_path / "resources/publisher.toml").write_text(own.format("org"))
    assert "not committed" in make("7.0.0").stderr
    git("commit", "--quiet", "-am", "who")
    told = make("7.0.0", "--date", "2026-12-01")
    assert told.returncode == 0, told.stderr
    assert git("tag", "--points-at", "HEAD").split() == ["v7.0.0"]
    assert git("status", "--porcelain") == ""
    number = [sys.executable, "packaging/facts.py", "number"]
    assert subprocess.run(number, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == "7.0.0\n"
    cited = yaml.safe_load((tmp_path / "CITATION.cff").read_text("utf-8"))
    assert (cited["version"], str(cited["date-released"])) == ("7.0.0", "2026-12-01")
    assert make("7.1.0", "--begin").returncode == 0
    later = subprocess.run(number, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"7\.1\.0\.dev4\+g[0-9a-f]{10}\n", later)


def test_the_citation_is_what_its_schema_asks_for() -> None:
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(told)
    assert told["cff-version"] == "1.2.0"
    assert told["license"] == "MIT"
    assert told["type"] == "software"
    assert all(set(author) <= {"name", "family-names", "given-names", "email"} for author in told["authors"])

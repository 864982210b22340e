"""The workflows: each step is a script that is here, parses and, where it can, runs; and each action is one commit."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.optional import needs

ROOT = Path(__file__).parents[2]
STEPS = ROOT / ".github/steps"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
_SCRIPT = re.compile(r"(?:\.github/steps|scripts|packaging|installer)/[\w./-]+")
_POSIX = pytest.mark.skipif(os.name == "nt", reason="a shell script")


def _jobs(path: Path) -> dict[str, Any]:
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    assert isinstance(jobs, dict)
    return jobs


def _steps() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{path.name}, {job}", step)
        for path in WORKFLOWS
        for job, told in _jobs(path).items()
        for step in told["steps"]
    ]


def test_a_push_a_pull_request_and_a_tag_each_start_what_they_should() -> None:
    assert [path.name for path in WORKFLOWS] == ["check.yml", "release.yml"]
    check, release = (yaml.safe_load(path.read_text("utf-8"))[True] for path in WORKFLOWS)  # YAML reads "on" as true
    assert set(check) == {"push", "pull_request"}
    assert release["push"] == {"tags": ["v*"]}
    jobs = _jobs(WORKFLOWS[0])
    assert jobs["linux"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    systems = {job["runs-on"] for job in jobs.values()} | set(jobs["elsewhere"]["strategy"]["matrix"]["os"])
    assert {re.split(r"\W", name)[0] for name in systems if "{" not in name} == {"ubuntu", "windows", "macos"}


def test_every_job_needs_what_it_fetches_and_nobody_may_more_than_it_does() -> None:
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text("utf-8"))["permissions"] == {"contents": "read"}
        for name, job in _jobs(path).items():
            assert "timeout-minutes" in job, name
            assert set(job.get("permissions", {})) <= (
                {"contents", "id-token", "attestations"} if name == "release" else set()
            )
    jobs = _jobs(WORKFLOWS[1])
    assert set(jobs["release"]["needs"]) == set(jobs) - {"release"}


@pytest.mark.parametrize(("where", "step"), _steps())
def test_each_step_is_one_action_by_its_commit_or_one_script_of_ours(where: str, step: dict[str, Any]) -> None:
    if "uses" in step:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", step["uses"]), where
        return
    words = shlex.split(step["run"])
    assert "\n" not in step["run"].strip(), where
    called = [word for word in words if _SCRIPT.fullmatch(word)]
    assert called, step["run"]
    assert words[0] in {"sudo", "python3", called[0]}, step["run"]
    for word in called:
        assert (ROOT / word).is_file(), word
        assert word.endswith((".py", ".ps1")) or os.access(ROOT / word, os.X_OK), word


def test_each_script_is_called_and_each_secret_told_of() -> None:
    text = "".join(path.read_text("utf-8") for path in WORKFLOWS)
    inside = "".join(path.read_text("utf-8") for path in STEPS.iterdir())
    assert [path.name for path in STEPS.iterdir() if f".github/steps/{path.name}" not in text + inside] == []
    told = (ROOT / "docs/installers.md").read_text("utf-8")
    secrets = set(re.findall(r"secrets\.(\w+)", text))
    assert secrets
    assert {name for name in secrets if name not in told} == set()


@needs("PowerShell")
def test_the_windows_steps_parse() -> None:
    parser = "[Management.Automation.Language.Parser]::ParseFile"
    for script in [*STEPS.glob("*.ps1"), ROOT / "installer/windows/build.ps1"]:
        parse = f"$e=$null;[void]{parser}('{script}',[ref]$null,[ref]$e);exit $e.Count"
        assert subprocess.run(["pwsh", "-NoProfile", "-Command", parse], check=False).returncode == 0


@_POSIX
def test_what_a_build_asks_of_debian_is_what_the_document_says() -> None:
    listed = subprocess.run(
        [STEPS / "linux-packages", "--list"], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"python3-venv", "libpython3-dev", "dpkg-dev", "debootstrap", "lintian"} <= set(listed)
    assert len(listed) == len(set(listed))
    assert ".github/steps/linux-packages" in (ROOT / "docs/installers.md").read_text("utf-8")


FILES = {
    "linux": [
        "splu-desktop_1.0.0_amd64.deb",
        *(f"splu-desktop-1.0.0-linux-x86_64{end}" for end in (".run", ".tar.xz")),
    ],
    "windows": [f"splu-desktop-1.0.0-windows-x64{end}" for end in ("-setup.exe", ".cdx.json", ".files.sha256")],
    "arm": ["splu-desktop-1.0.0-macos-arm64.dmg", "splu-desktop-1.0.0-macos-arm64.pkg"],
    "intel": ["splu-desktop-1.0.0-macos-x86_64.dmg"],
}


def _built(folder: Path) -> Path:
    """Return a folder as the jobs leave it: the systems, each with its checksums."""
    for system, names in FILES.items():
        (folder / system).mkdir(parents=True)
        for name in names:
            (folder / system / name).write_text(name)
        sums = "".join(f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names)
        (folder / system / "SHA256SUMS").write_text(sums)
    return folder


def _gather(found: Path, release: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **more}
    command = [STEPS / "gather", found, release]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@_POSIX
def test_the_release_holds_every_file_and_their_sums(tmp_path: Path) -> None:
    found, release = _built(tmp_path / "found"), tmp_path / "release"
    done = _gather(found, release)
    assert done.returncode == 0, done.stderr
    assert "not signed" in done.stdout
    assert {path.name for path in release.iterdir()} == {
        *(name for names in FILES.values() for name in names),
        "SHA256SUMS",
        "splu-desktop-1.0.0-stores.zip",
    }
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=release, check=True)
    with zipfile.ZipFile(release / "splu-desktop-1.0.0-stores.zip") as stores:
        told = {name: stores.read(name).decode() for name in stores.namelist()}
    sums = dict(reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines())
    installer = yaml.safe_load(told["winget/1.0.0/SPLUDesktop.SPLUDesktop.installer.yaml"])
    setup = FILES["windows"][0]
    assert {one["InstallerSha256"] for one in installer["Installers"]} == {sums[setup].upper()}
    assert {one["Scope"] for one in installer["Installers"]} == {"user", "machine"}
    assert all(one["InstallerUrl"].endswith(f"v1.0.0/{setup}") for one in installer["Installers"])
    # What winget's schema 1.6.0 asks of the words in it.
    words = yaml.safe_load(told["winget/1.0.0/SPLUDesktop.SPLUDesktop.locale.en-US.yaml"])
    assert all(2 <= len(words[name]) <= 256 for name in ("Publisher", "PackageName", "License", "ShortDescription"))
    assert all(re.fullmatch(r"[^.\s]{1,32}(\.[^.\s]{1,32})+", each["PackageIdentifier"]) for each in (words, installer))
    assert {one["Architecture"] for one in installer["Installers"]} <= {"x64", "arm64"}
    assert {installer["ManifestVersion"], words["ManifestVersion"]} == {"1.6.0"}
    iss = (ROOT / "installer/windows/splu-desktop.iss").read_text("utf-8")
    assert f"AppId={{{installer['ProductCode'].removesuffix('_is1')}" in iss
    assert all(sums[name] in told["homebrew/splu-desktop.rb"] for name in sums if name.endswith(".dmg"))
    flat = json.loads(told["flathub/io.github.splu_desktop.SPLUDesktop.json"])
    assert not [word for word in flat["finish-args"] if "network" in word]
    assert flat["modules"][0]["sources"][0]["sha256"] == sums["splu-desktop-1.0.0-linux-x86_64.tar.xz"]


@_POSIX
def test_what_was_altered_lacks_or_is_there_twice_stops_the_release(tmp_path: Path) -> None:
    altered = _built(tmp_path / "altered")
    (altered / "linux" / FILES["linux"][0]).write_text("other")
    lacking = _built(tmp_path / "lacking")
    shutil.rmtree(lacking / "arm")
    twice = _built(tmp_path / "twice")
    (twice / "windows" / FILES["linux"][0]).write_text("again")
    for found in (altered, lacking, twice):
        assert _gather(found, tmp_path / f"out-{found.name}").returncode != 0, found.name


def _stand_in(folder: Path, name: str) -> dict[str, str]:
    """Put a program in the place of another, which notes what it was called with. Returns the environment."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text('#!/bin/sh\nprintf "%s\\n" "$@" >"$0.called"\n')
    (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


@_POSIX
def test_a_release_is_drafted_with_its_files_and_the_words_of_its_version(tmp_path: Path) -> None:
    for name in (".github/steps/publish", "scripts/release.py", "packaging/facts.py", "splu_desktop/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [7.1.0] - 2026-12-01\n\n- A thing.\n")
    release = tmp_path / "release"
    release.mkdir()
    (release / "a.deb").write_text("a")
    own = _stand_in(tmp_path / "bin", "gh")
    subprocess.run([tmp_path / ".github/steps/publish", "release", "v7.1.0", "a/b"], check=True, env=own)
    called = (tmp_path / "bin/gh.called").read_text().split("\n")
    assert called[:5] == ["release", "create", "v7.1.0", "--repo", "a/b"]
    assert {"--draft", "--verify-tag", "release/a.deb"} <= set(called)
    assert (tmp_path / called[called.index("--notes-file") + 1]).read_text().startswith("- A thing.\n")


# What each shell step calls, in this order; `gather` and `publish` are run for what they make, above and below.
_PROVE = "python3 packaging/prove.py dist/a.deb --suite {0} --work /var/tmp/prove-{0}"
_PIP = ".venv/bin/python -m pip --disable-pip-version-check install --quiet"
_APT = ("apt-get -qq update", "apt-get -qq -y --no-install-recommends install ")
_MAC = "dist/work/frozen/SPLU Desktop.app/Contents/MacOS"
_TRIED = [f"{_MAC}/splu-desktop --smoke-test", f"{_MAC}/splu --self-test"]
_CALLS = {
    "check-linux": ["./check "],
    "check-elsewhere": [
        "python -m venv .venv",
        f"{_PIP} --require-hashes --only-binary=:all: -r requirements.lock",
        f"{_PIP} --no-deps --no-build-isolation --no-index -e .",
        ".venv/bin/python -m pytest -n 2",
    ],
    "papers": [
        "python -m venv .venv",
        f"{_PIP} --require-hashes --only-binary=:all: -r requirements.lock",
        f"{_PIP} --no-deps --no-build-isolation --no-index -e .",
        ".venv/bin/python -m benchmarks.papers --document docs/papers.md --data {here}",
        "git diff --exit-code docs/papers.md",
    ],
    "in-debian a b": ["docker run --rm --volume {here}:/source --workdir /source debian:12 a b"],
    "linux-packages": [*_APT],
    "linux-build": [*_APT, "git config --global", "packaging/build dist", "packaging/check --quick dist"],
    "linux-proof": [
        *_APT,
        *(_PROVE.format(suite) for suite in ("bookworm", "trixie", "jammy")),
        _PROVE.replace(".deb", ".run").format("oldest"),
    ],
    "macos-build": ["installer/macos/build.sh dist", *_TRIED],
    "macos-build signed": [
        "uuidgen ",
        "security create-keychain",
        "security unlock-keychain",
        "security import",
        "security set-key-partition-list",
        "security list-keychains",
        "xcrun notarytool store-credentials splu",
        "installer/macos/build.sh dist, signed by me, notarised by splu",
        *_TRIED,
    ],
}
_SECRETS = ("CERTIFICATE", "PASSWORD", "IDENTITY", "INSTALLER_IDENTITY", "APPLE_ID", "APPLE_TEAM", "APPLE_PASSWORD")


def test_each_shell_step_is_run_here() -> None:
    run = {call.split()[0] for call in _CALLS} | {"gather", "publish"}
    assert run == {path.name for path in STEPS.iterdir() if path.suffix == ""}


@_POSIX
@pytest.mark.parametrize("step", _CALLS)
def test_a_step_calls_what_it_should_and_stops_where_one_fails(step: str, tmp_path: Path) -> None:
    """Run in a checkout where each program that it calls, ours and others, only notes that it was called."""
    shutil.copytree(STEPS, tmp_path / ".github/steps")
    (tmp_path / "dist").mkdir()
    for name in ("a.deb", "a.run"):
        (tmp_path / "dist" / name).touch()
    stand_in = tmp_path / "stand-in"
    stand_in.write_text(
        """#!/bin/sh
name=${0##*/path/}
more=${SPLU_MAC_IDENTITY:+, signed by $SPLU_MAC_IDENTITY, notarised by $SPLU_MAC_PROFILE}
echo "${name#"$HERE/"} $*$more" >>"$HERE/called"
[ "$(wc -l <"$HERE/called")" -ne "$FAILS" ]
"""
    )
    stand_in.chmod(0o755)
    others = ("apt-get", "docker", "git", "python", "python3", "security", "uuidgen", "xcrun")
    ours = ("check", ".venv/bin/python", "packaging/build", "packaging/check", "installer/macos/build.sh")
    for name in (*ours, f"{_MAC}/splu-desktop", f"{_MAC}/splu", *(f"path/{name}" for name in others)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(stand_in)
    script, *words = step.split()
    own = {
        "HERE": str(tmp_path),
        "SPLU_DATA": str(tmp_path),
        "RUNNER_TEMP": str(tmp_path),
        "PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}",
    }
    if words == ["signed"]:
        own |= dict.fromkeys(_SECRETS, "bWU=") | {"IDENTITY": "me"}
    expected = [call.format(here=tmp_path) for call in _CALLS[step]]
    for fails in range(len(expected) + 1):  # 0: none
        (tmp_path / "called").write_text("")
        command = [str(tmp_path / ".github/steps" / script), *words]
        done = subprocess.run(command, env={**own, "FAILS": str(fails)}, capture_output=True, text=True, check=False)
        called = (tmp_path / "called").read_text().splitlines()
        assert (done.returncode == 0) == (fails == 0), (fails, done.stderr)
        assert len(called) == (fails or len(expected)), called
        assert all(map(str.startswith, called, expected)), called
        assert not list(tmp_path.glob("*.p12"))


@_POSIX
@needs("GnuPG")
def test_the_signature_reaches_the_release(tmp_path: Path) -> None:
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    own = {**os.environ, "GNUPGHOME": str(home)}
    make = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "A <a@b.org>", "ed25519", "sign", "never"]
    subprocess.run(make, check=True, capture_output=True, env=own)
    export = ["gpg", "--batch", "--armor", "--export-secret-keys"]
    key = subprocess.run(export, check=True, capture_output=True, text=True, env=own).stdout
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    done = _gather(_built(tmp_path / "found"), tmp_path / "release", SPLU_GPG_KEY=key, GNUPGHOME=str(other))
    assert done.returncode == 0, done.stderr
    verify = ["gpg", "--batch", "--verify", "SHA256SUMS.asc", "SHA256SUMS"]
    assert subprocess.run(verify, cwd=tmp_path / "release", env=own, capture_output=True, check=False).returncode == 0

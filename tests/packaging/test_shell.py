"""The shell scripts: each parses, can be run, and hides no failure of a command behind another one's success."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="shell scripts")

# What may fail unseen in front of a pipe or within another command's words, for it cannot, or what takes its answer
# refuses an empty one.
_HARMLESS = {
    "cat",
    "command",
    "cut",
    "date",
    "env",
    "head",
    "id",
    "ls",
    "quoted",
    "readlink",
    "sed",
    "sha256sum",
    "sort",
}
_HARMLESS |= {"tail", "uname", "wc", '"$bundle/splu-desktop'}  # whose words are compared with what they should be


def _scripts() -> list[Path]:
    folders = [ROOT, *(ROOT / name for name in (".ci", ".github", "installer", "packaging", "scripts"))]
    paths = {path for folder in folders for path in (folder.glob("*") if folder == ROOT else folder.rglob("*"))}
    return sorted(path for path in paths if path.is_file() and path.read_bytes()[:9] == b"#!/bin/sh")


def _shellcheck(*arguments: str | Path) -> str:
    command = [Path(sys.executable).with_name("shellcheck"), "-x", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout


def _hidden(paths: list[Path]) -> list[str]:
    """Return the commands whose failure nobody learns of: "file:line: command"."""
    # As if for bash: only of a shell that could do otherwise (pipefail) does it judge pipes.
    told = _shellcheck(
        "-s", "bash", "-f", "json", "-i", "SC2312", "--enable=check-extra-masked-returns", *paths
    )  # fmt: skip
    found = set()
    for note in json.loads(told):
        line = Path(note["file"]).read_text("utf-8").splitlines()[note["line"] - 1]
        command = line.expandtabs(8)[note["column"] - 1 :]
        words = [word for word in command.split() if "=" not in word]
        if words[0].rstrip('")') not in _HARMLESS:
            found.add(f"{Path(note['file']).name}:{note['line']}: {command}")
    return sorted(found)


def test_every_script_parses_and_can_be_run() -> None:
    scripts = _scripts()
    assert {"start", "check", "run", "build", "build.sh", "install.sh", "self-extract.sh.in", "gather"} <= {
        path.name for path in scripts
    }
    assert [path.name for path in scripts if path.suffix != ".in" and not os.access(path, os.X_OK)] == []
    for path in scripts:
        assert subprocess.run(["sh", "-n", path], check=False).returncode == 0
    assert _shellcheck(*(path for path in scripts if path.suffix != ".in")) == ""


def test_no_script_goes_on_after_a_failure_that_a_pipe_hides() -> None:
    """POSIX's `set -e` looks at a pipe's last command alone, and at none within another one's words."""
    assert [path.name for path in _scripts() if "\nset -" not in path.read_text("utf-8")] == []
    assert _hidden(_scripts()) == []


@pytest.mark.parametrize(
    "line", ["shasum -a 256 a | sed s/a/b/ >sums", 'echo "$(shasum a)"', "(cd x && find . | tar -cf y -T -)"]
)
def test_what_hides_a_failure_is_seen(line: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\nset -eu\n{line}\n")
    assert len(_hidden([script])) == 1

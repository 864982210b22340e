"""Prepare what SPLU Desktop needs on this machine: `.venv` with the locked packages, and the system libraries of Qt.

Run by ./start and ./check with whatever Python they found; only the standard library is there. Does nothing, and needs
no network, where all is in place. May be interrupted at any point, run twice at once, and moved to another folder.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import qt_libraries

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "splu-setup.json"  # what was installed; absent while an installation is under way
UNFINISHED = VENV / "splu-unfinished"
WHEELHOUSE = Path(os.environ.get("SPLU_WHEELHOUSE") or ROOT / "wheelhouse")  # made by scripts/wheelhouse.py
LOCKS = {"run": ROOT / "requirements-run.lock", "check": ROOT / "requirements.lock"}  # "check" contains "run"


class SetupFailed(Exception):
    """Something the user has to do first; str() says what."""


def say(text: str) -> None:
    """Tell the user what goes on, apart from what the programs print."""
    print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Let a second ./start or ./check wait until the first has set up."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def fingerprint(level: str) -> str:
    """Return what the environment depends on, in short: the pins, the project's own declaration, and the folder."""
    digest = hashlib.sha256(str(ROOT).encode())
    for path in (LOCKS[level], ROOT / "pyproject.toml"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def stamp() -> dict[str, str]:
    """Return what the last finished setup wrote: {level: fingerprint, "root": folder}, or nothing."""
    try:
        found = json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def works() -> bool:
    """Whether the environment's Python runs, is new enough and has pip."""
    question = [str(PYTHON), "-c", "import sys, pip; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(question, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def has_other_qt() -> bool:
    """Whether another version of Qt is installed than is wanted now: replacing it in place leaves stray files."""
    wanted = next(
        line.split("==")[1].split()[0]
        for line in LOCKS["run"].read_text("utf-8").splitlines()
        if line.startswith("pyside6-essentials==")
    )
    found = [path.name for path in VENV.glob("lib/python*/site-packages/pyside6_essentials-*.dist-info")]
    return bool(found) and found != [f"pyside6_essentials-{wanted}.dist-info"]


def create() -> None:
    """Make the environment where there is none that can be kept."""
    if VENV.exists() and not (VENV / "pyvenv.cfg").exists() and any(VENV.iterdir()):
        raise SetupFailed(f"“{VENV}” is not a Python environment; move it away and try again.")
    moved = stamp().get("root", str(ROOT)) != str(ROOT)
    if works() and not moved and not UNFINISHED.exists() and not has_other_qt():
        return
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python3.{sys.version_info.minor}-venv"
        if problem := qt_libraries.apt_install([package]):
            raise SetupFailed(
                f"Python's venv module is missing ({problem}). Install it with:\n  sudo apt-get install {package}"
            )
    say(f"Making a Python environment in {VENV} ...")
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
    if made.returncode or not works():
        raise SetupFailed(f"The Python environment could not be made with {sys.executable}; see the lines above.")


# What pip says, and what to do about it, in one sentence each; the first that fits.
REASONS = {
    r"suitable TLS CA certificate bundle, invalid path: (\S+)": "There is no certificate file “{found}”, which"
    " PIP_CERT, REQUESTS_CA_BUNDLE or pip's own settings name: PIP_CERT=/path/to/certificates.pem {command}",
    r"NO_CERTIFICATE_OR_CRL_FOUND|no certificate or crl found": "The certificate file that PIP_CERT, REQUESTS_CA_BUNDLE"
    " or pip's own settings name holds no certificate (PEM): PIP_CERT=/path/to/certificates.pem {command}",
    r"check proxy URL|SOCKS support|proxy scheme": "The proxy is named in a way that pip can't use: an HTTP proxy is"
    " named HTTPS_PROXY=http://HOST:PORT {command}",
    r"CERTIFICATE_VERIFY_FAILED|certificate verify failed": "The package index answers with a certificate that this"
    " machine does not trust, as behind a proxy that opens what passes it: name your organisation's certificate file,"
    " PIP_CERT=/path/to/certificates.pem {command}",
    r"\b407\b|Cannot connect to proxy|ProxyError|Tunnel connection failed": "The proxy lets nothing through to the"
    " package index: name the right one, HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT {command}",
    r"DO NOT MATCH THE HASHES": "A package that arrived is not the one that was tested, so nothing was installed: the"
    " index or a proxy on the way changed it; ask whoever runs it, or use a wheelhouse (scripts/wheelhouse.py --help).",
    r"No space left on device": "The disk is full; the packages need 1 GB in {folder} and in the temporary folder.",
    r"NewConnectionError|ConnectionError|Failed to establish|Name or service not known|Temporary failure in name"
    r"|timed out|Connection refused|unreachable|Connection reset|RemoteDisconnected|connection broken by"
    r"|HTTP error (?:401|403|5\d\d)": "The package index can't be reached from this machine. Behind a proxy:"
    " HTTPS_PROXY=http://HOST:PORT {command}; with an index of your own:"
    " PIP_INDEX_URL=https://HOST/simple {command}; without internet: scripts/wheelhouse.py --help.",
    r"No matching distribution found for (\S+)": "The packages found do not include {found} for Python {python} on this"
    " kind of machine: name an index that has it (PIP_INDEX_URL), or make the wheelhouse for this Python"
    " (scripts/wheelhouse.py --help).",
}


def reason(said: str) -> str:
    """Return the one sentence about what pip said on failing."""
    words = {
        "command": os.environ.get("SPLU_COMMAND", "./start"),
        "folder": str(ROOT),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
    for pattern, sentence in REASONS.items():
        if found := re.search(pattern, said):
            return sentence.format(found=found[1] if found.groups() else "", **words)
    errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
    return f"The packages could not be installed; pip says: {errors[-1] if errors else said.strip()[-300:]}"


def told(pip: list[str], packages: int) -> None:
    """Run pip, and tell how far it is. Raises SetupFailed with one sentence."""
    own = dict(os.environ)
    if WHEELHOUSE.is_dir():
        say(f"The packages are taken from {WHEELHOUSE}; no network is used.")
        own |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(WHEELHOUSE)}
        own.pop("PIP_INDEX_URL", None)
    live = sys.stderr.isatty()
    lines: list[str] = []
    begun = 0
    with subprocess.Popen(
        pip, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT, env=own
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            # From an index a package is collected, from a wheelhouse its file is processed.
            if found := re.match(r"(?:Collecting |Processing .*[/\\])(\w[\w.-]*?)(?:[=<>!\s]|-\d)", line):
                begun += 1
                if live:
                    sys.stderr.write(f"\r\033[K  {min(begun, packages)} of {packages}: {found[1]}")
                    sys.stderr.flush()
                elif begun % 10 == 0:
                    say(f"  {begun} of {packages} packages")
            elif line.startswith("Installing collected packages"):
                say(f"{chr(13) if live else ''}  All {begun} packages are here; laying them out ...")
    if process.returncode:
        raise SetupFailed(("\n" if live and begun else "") + reason("".join(lines)))


def install(level: str) -> None:
    """Install the pinned packages, each checked against its hash, and the project itself from this folder."""
    create()
    STAMP.unlink(missing_ok=True)
    UNFINISHED.touch()
    say("Installing the locked packages (once; about 300 MB, a few minutes) ...")
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--no-input", "--progress-bar", "off"]
    pins = len(re.findall(r"^\S+==", LOCKS[level].read_text("utf-8"), re.MULTILINE))
    told([*pip, "--retries", "2", "--require-hashes", "--only-binary=:all:", "-r", str(LOCKS[level])], pins)
    told([*pip, "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "-e", str(ROOT)], 1)
    # Compiled once: who may not write here, or whose environment forbids it, would compile at each start.
    subprocess.run([str(PYTHON), "-m", "compileall", "-qq", str(ROOT / "splu_desktop")], check=False)
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps({level: fingerprint(level), "root": str(ROOT)}), "utf-8")
    fresh.replace(STAMP)
    UNFINISHED.unlink()


def main() -> int:
    """Set up for `run` or `check`. Returns 0 when ready, 1 when the user has to do something first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("level", choices=list(LOCKS))
    parser.add_argument("--screen", action="store_true", help="a window will be shown")
    parser.add_argument("--qt-optional", action="store_true", help="go on where Qt's libraries can't be installed")
    options = parser.parse_args()
    enough = ("check",) if options.level == "check" else ("run", "check")
    try:
        with alone():
            if not works() or not any(stamp().get(level) == fingerprint(level) for level in enough):
                install(options.level)
            problem = qt_libraries.provide(VENV, screen=options.screen)
    except SetupFailed as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("Stopped; the next run takes it up again.")
        return 130
    if problem:
        say(problem)
    return 1 if problem and not options.qt_optional else 0


if __name__ == "__main__":
    sys.exit(main())

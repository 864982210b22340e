"""Proves an installer on a clean Debian that never saw Python. Needs root, debootstrap, strace and the network once,
for Debian's packages from its own mirror, whatever this machine's come from; the program itself is run without any.

    python3 packaging/prove.py NEW.deb|NEW.run [--suite bookworm|trixie|jammy|oldest] [--old OLD.deb] [--work DIR]

The oldest is a Debian 11 with a C library that offers no more than the floor (older_glibc.py); there the .run is tried.
Installs, runs as an unprivileged user on a read-only system in a network namespace without interfaces, traces every
socket, upgrades from an older version, removes, and compares what is left. Ends with 0 if all holds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

_USER, _UID = "custodian", 4242
_FOLDERS = {".deb": "usr/lib/splu-desktop", ".run": f"home/{_USER}/.local/lib/splu-desktop"}
_INSIDE = "_internal/splu_desktop/resources/sample_hospital.xlsx"
_DEBIAN, _UBUNTU = "http://deb.debian.org/debian", "http://archive.ubuntu.com/ubuntu"
_SUITES = {"bookworm": _DEBIAN, "trixie": _DEBIAN, "jammy": _UBUNTU, "oldest": _DEBIAN}  # jammy is Ubuntu 22.04
# What a desktop of any kind has, and the package depends on.
_DESKTOP = [
    "libgl1",
    "libegl1",
    "libopengl0",
    "libdbus-1-3",
    "libfontconfig1",
    "libfreetype6",
    "libexpat1",
    "libx11-6",
    "libx11-xcb1",
    "libxkbcommon0",
    "libxcb-glx0",
    "libxcb-randr0",
    "libxcb-render0",
    "libxcb-shape0",
    "libxcb-shm0",
    "libxcb-sync1",
    "libxcb-xfixes0",
    "libxcb-xkb1",
    "libwayland-client0",
    "libwayland-cursor0",
    "fonts-dejavu-core",
]
_WELL = "all that came out is as it must be."  # the smoke test's last words
# What installing any package leaves, whatever it is.
_NOISE = re.compile(
    r"^(var/(cache|log)/|var/lib/(apt|dpkg|systemd)/|etc/ld\.so\.cache|root/|tmp/|run/|dev/|proc/|sys/|var/lib/ucf|etc/.*-$)"
)


class Refuted(Exception):
    """A proof failed; str() says which."""


class Root:
    """A Debian system in a folder."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder = folder
        self.program = _FOLDERS[package.suffix]
        self.sample = f"{self.program}/{_INSIDE}"

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command in it as root, with the network."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "LC_ALL": "C.UTF-8",
        }
        told = subprocess.run(
            ["chroot", str(self.folder), *command], capture_output=True, text=True, env=environment, check=False
        )
        if check and told.returncode:
            raise Refuted(f"{' '.join(command)}: {told.stdout[-1500:]}{told.stderr[-1500:]}")
        return told

    def apart(self, script: str, *, trace: Path | None = None, screen: str = "") -> subprocess.CompletedProcess[str]:
        """Run a shell script in it as the user: no network interface, all but home and /tmp read-only, /tmp noexec."""
        inside = (
            'set -eu; root=$1; mount --rbind "$root" "$root"; mount -o remount,ro,bind "$root";'
            ' for d in home tmp; do mount --bind "$root/$d" "$root/$d"; mount -o remount,rw,bind "$root/$d"; done;'
            ' mount -o remount,rw,bind,noexec "$root/tmp";'
            ' mount -t proc proc "$root/proc"; mount -t tmpfs shm "$root/dev/shm";'
            ' [ -z "$4" ] || { mkdir -p "$root/tmp/.X11-unix"; mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"; };'
            ' exec chroot --userspec="$2:$2" "$root" /usr/bin/env -i HOME=/home/custodian USER=custodian'
            ' PATH=/home/custodian/.local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 ${4:+DISPLAY=$4} /bin/sh -c "$3"'
        )
        command = ["unshare", "--net", "--mount", "--pid", "--fork", "--ipc", "/bin/sh", "-c", inside, "sh"]
        command += [str(self.folder), str(_UID), script, screen]
        if trace is not None:
            command = [
                "strace",
                "-f",
                "-qq",
                "-e",
                "trace=socket,socketpair,connect,bind,sendto",
                "-o",
                str(trace),
                *command,
            ]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")

    def files(self) -> dict[str, str]:
        """Return all that is in it: path -> kind and content in short."""
        found = {}
        for folder, folders, names in os.walk(self.folder):
            for name in [*folders, *names]:
                path = Path(folder, name)
                inner = path.relative_to(self.folder).as_posix()
                if _NOISE.match(inner + ("/" if path.is_dir() else "")):
                    continue
                state = path.lstat()
                if stat.S_ISLNK(state.st_mode):
                    found[inner] = f"-> {path.readlink()}"
                elif stat.S_ISREG(state.st_mode):
                    found[inner] = hashlib.sha256(path.read_bytes()).hexdigest()
                else:
                    found[inner] = "folder"
        return found


def fresh(work: Path, mirror: str, suite: str, package: Path) -> Root:
    """Return a new minimal Debian, from a copy that is kept."""
    base, target = work / f"{suite}-base", work / suite
    name = "bullseye" if suite == "oldest" else suite
    if not (base / "etc/debian_version").exists():
        shutil.rmtree(base, ignore_errors=True)
        keys = Path(f"/usr/share/keyrings/{'ubuntu' if mirror == _UBUNTU else 'debian'}-archive-keyring.gpg")
        command = [
            "debootstrap",
            "--variant=minbase",
            "--include=ca-certificates",
            *[f"--keyring={keys}"] * keys.exists(),
        ]
        subprocess.run([*command, name, str(base), mirror], check=True, capture_output=True)
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", str(base), str(target)], check=True)
    shutil.copyfile("/etc/resolv.conf", target / "etc/resolv.conf")
    (target / "etc/apt/sources.list").write_text(f"deb {mirror} {name} main\n")
    # Its own sources, but by this machine's way to them.
    told = subprocess.run(
        ["apt-config", "dump", "--no-empty", "--format", '%F "%v";%n', "Acquire"],
        capture_output=True,
        text=True,
        check=False,
    )
    (target / "etc/apt/apt.conf.d/99-as-outside").write_text(told.stdout)
    root = Root(target, package)
    root.run("apt-get", "-qq", "update")
    # What a Debian desktop has, to see that the file types reach it.
    desktop = ["libglib2.0-bin", "shared-mime-info", "desktop-file-utils", *_DESKTOP * (package.suffix == ".run")]
    root.run("apt-get", "-qq", "-y", "--no-install-recommends", "install", *desktop)
    root.run("useradd", "--create-home", "--uid", str(_UID), _USER)
    if suite == "oldest":
        (target / "etc/apt/sources.list").write_text(f"deb {mirror} bookworm main\n")
        root.run("apt-get", "-qq", "update")
        root.run("sh", "-c", "cd /root && apt-get -qq download libc6 libstdc++6 libgcc-s1")
        found = sorted(str(path) for path in (target / "root").glob("*.deb"))
        subprocess.run(
            [sys.executable, str(Path(__file__).with_name("older_glibc.py")), str(target), *found], check=True
        )
    if package.suffix == ".run":  # which brings gzip's archive, since not every system has xz
        (target / "usr/bin/xz").unlink(missing_ok=True)
    return root


def install(root: Root, package: Path) -> None:
    """Install a package file with what it depends on, and nothing that it merely recommends."""
    shutil.copyfile(package, root.folder / "tmp" / package.name)
    if package.suffix == ".run":
        told = root.apart(f"sh /tmp/{package.name}")
        if told.returncode or told.stderr:
            raise Refuted(f"the installation: {told.stdout}{told.stderr}")
        (root.folder / "tmp" / package.name).unlink()
        return
    root.run("apt-get", "-qq", "-y", "--no-install-recommends", "install", f"/tmp/{package.name}")
    (root.folder / "tmp" / package.name).unlink()


def too_old(work: Path, package: Path) -> str:
    """See that a system below the floor is told so, and left as it is: the Debian 11 before its libraries are new."""
    base = Root(work / "oldest-base", package)
    shutil.copyfile(package, base.folder / "tmp" / package.name)
    before = base.files()
    told = base.apart(f"HOME=/tmp sh /tmp/{package.name}")
    left = {path.name for path in (base.folder / "tmp").iterdir()} - {package.name}
    same = before == base.files() and not left
    (base.folder / "tmp" / package.name).unlink()
    if told.returncode != 1 or "too old" not in told.stderr or told.stderr.count("\n") != 1 or not same:
        raise Refuted(f"a system that is too old: {told.returncode} {told.stdout}{told.stderr}")
    return f"glibc 2.31 is refused and nothing left: {told.stderr.strip()}"


def elsewhere(root: Root, package: Path) -> str:
    """Install a second copy elsewhere, and remove it by the line that was printed: the first one stays."""
    shutil.copyfile(package, root.folder / "tmp" / package.name)
    script = f"""cd; sh /tmp/{package.name} --prefix "$HOME/an other's" >/tmp/told
eval "$(sed -n 's/^To remove it: *//p' /tmp/told)"
[ -z "$(find "$HOME/an other's" -type f)" ] && splu --version && rm -r "$HOME/an other's" /tmp/told
"""
    told = root.apart(script)
    (root.folder / "tmp" / package.name).unlink()
    if told.returncode or told.stderr or "an other's" not in told.stdout:
        raise Refuted(f"a copy elsewhere: {told.returncode} {told.stdout}{told.stderr}")
    return "a second copy elsewhere was removed by the line printed, and the first one stayed"


def no_screen(root: Root) -> str:
    """See that the window without a display ends with one sentence."""
    told = root.apart("splu-desktop")
    if told.returncode != 2 or told.stdout or told.stderr.count("\n") != 1 or "no screen" not in told.stderr:
        raise Refuted(f"without a display: {told.returncode} {told.stdout}{told.stderr}")
    return f"without a display: {told.stderr.strip()}"


def no_python(root: Root) -> str:
    """See that there is no Python but the one in the bundle."""
    found = [
        name
        for name in root.files()
        if re.search(r"(bin/python[\d.]*|lib/python3[\d.]*|libpython[\d.]+\.so[\d.]*)$", name)
    ]
    if [name for name in found if not name.startswith(f"{root.program}/")]:
        raise Refuted(f"Python is on the system: {found[:5]}")
    return "no Python on the system beside the bundle's own"


def smoke(root: Root, work: Path) -> str:
    """Run the smoke test apart, and see from a trace that no internet socket was tried."""
    trace = work / f"{root.folder.name}.strace"
    told = root.apart("splu-desktop --smoke-test", trace=trace)
    if told.returncode or not told.stdout.rstrip().endswith(_WELL) or told.stderr:
        raise Refuted(f"smoke test: {told.returncode}\n{told.stdout}{told.stderr}")
    calls = trace.read_text("utf-8", "replace")
    if re.search(r"AF_INET|AF_NETLINK|AF_PACKET", calls):
        raise Refuted("an internet socket was tried: " + re.findall(r".*AF_INET.*|.*AF_NETLINK.*", calls)[0])
    if not re.search(r"exited with 0|socket|\+\+\+", calls) and not trace.stat().st_size == 0:
        raise Refuted("the trace is empty of what it should hold")
    kinds = sorted(set(re.findall(r"AF_[A-Z0-9]+", calls)))
    return f"smoke test passed without network, unprivileged, read-only; sockets tried: {', '.join(kinds) or 'none'}"


def traced_when_it_should(root: Root, work: Path) -> str:
    """See that the trace would have shown an internet socket: a program that tries one is caught."""
    trace = work / f"{root.folder.name}-control.strace"
    root.apart("exec 3<>/dev/tcp/127.0.0.1/9 || true", trace=trace)  # dash knows no such file: nothing is tried
    quiet = trace.read_text("utf-8", "replace")
    root.apart("getent ahosts example.org || true", trace=trace)
    loud = trace.read_text("utf-8", "replace")
    if "AF_INET" in quiet or "AF_INET" not in loud:
        raise Refuted("the trace does not tell programs that use the network from others")
    return "the same trace catches a program that looks up a name"


def main_job(root: Root, name: str = "release") -> str:
    """Publish, query, verify and report from the bundle's command line, and see that the program is unaltered."""
    script = f"""set -eu
cd
splu --version
splu --self-test >&2
splu publish /{root.sample} --table 'Diagnosis by Sex, Age' --accept-all 'proof of packages' --out {name} >/dev/null
splu query {name} 'Diagnosis=Heart failure' --json
splu verify {name} >/dev/null
splu report {name} --out {name}.pdf >/dev/null
"""
    told = root.apart(script)
    if told.returncode:
        raise Refuted(f"the command line: {told.stdout}{told.stderr}")
    version, _, rest = told.stdout.partition("\n")
    answer = json.loads(rest)
    answer = answer[0] if isinstance(answer, list) else answer
    if (
        not answer["low"] - 3 * (answer["high"] - answer["low"])
        <= 1560
        <= answer["high"] + 3 * (answer["high"] - answer["low"])
    ):
        raise Refuted(f"1560 heart failures were estimated as {answer}")
    return f"{version}: published, queried, verified, reported"


def window(root: Root) -> str:
    """Start the window on a real X screen, and open a release as a double click does."""
    screen = f":{100 + os.getpid() % 10_000}"  # which another proof at the same time does not have
    server = subprocess.Popen(
        ["Xvfb", screen, "-screen", "0", "1280x800x24", "-nolisten", "tcp"], stderr=subprocess.DEVNULL
    )
    try:
        script = "sleep 1; splu-desktop --until-idle && splu-desktop --until-idle ~/release/release.json"
        told = root.apart(script, screen=screen)
    finally:
        server.terminate()
        server.wait()
    if told.returncode or told.stderr:
        raise Refuted(f"the window on a screen: {told.returncode} {told.stderr}")
    return "window opened on an X screen with the package's own dependencies alone"


def file_types(root: Root) -> str:
    """See that desktops know a release and open it with the program."""
    script = """set -eu
cd; mkdir -p types; cp release/release.json types/release.json; cp release/release.json types/unnamed
printf PK >types/x.splurelease; printf '{"releases": [1]}' >types/other.json
for f in release.json unnamed x.splurelease other.json; do
    gio info -a standard::content-type types/$f | sed -n 's/.*content-type: //p'
done
gio mime application/x-splu-release | head -1; rm -r types
"""
    told = root.apart(script)
    lines = told.stdout.split("\n")
    release = "application/x-splu-release"
    if lines[:4] != [release, release, release, "application/json"]:
        raise Refuted(f"file types: {told.stdout}{told.stderr}")
    if "splu-desktop.desktop" not in lines[4]:
        raise Refuted(f"no program for the file type: {told.stdout}{told.stderr}")
    return "releases are known by name and content, and open with the program"


def upgrade(root: Root, old: Path, new: Path) -> str:
    """Upgrade from an older version with a register and a release, and see that all of the user's files stay."""
    install(root, old)
    told = root.apart(_OLD_JOB.format(sample=root.sample))
    if told.returncode:
        raise Refuted(f"the older version: {told.stdout}{told.stderr}")
    before = told.stdout.split()[-1]
    own = {name: content for name, content in root.files().items() if name.startswith(f"home/{_USER}/")}
    if not any("register" in name for name in own):
        raise Refuted(f"the older version kept nothing: {sorted(own)}")
    install(root, new)
    after = {name: content for name, content in root.files().items() if name.startswith(f"home/{_USER}/")}
    if after != own:
        raise Refuted(f"the upgrade touched the user's files: {sorted(set(after.items()) ^ set(own.items()))[:5]}")
    now = root.apart("splu --version").stdout.split()[-1]
    if now == before:
        raise Refuted("the upgrade did not change the version")
    return f"upgraded from {before} to {now}: {len(own)} files of the user unchanged"


# As versions from 0.3 on understand it, and else as those before.
_OLD_JOB = """cd
splu publish /{sample} --table 'Diagnosis by Sex, Age' --accept-all 'proof of packages' --out before 2>/dev/null ||
splu publish /{sample} --sa Diagnosis --gamma 5 --out before && splu --version
"""


def main() -> int:
    """Prove."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path)
    parser.add_argument("--suite", choices=[*_SUITES], default="bookworm")
    parser.add_argument("--old", type=Path)
    parser.add_argument("--work", type=Path, default=Path("/var/tmp/splu-prove"))
    parser.add_argument("--mirror", help="where its packages come from; its distribution's own by default")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    root = fresh(args.work, args.mirror or _SUITES[args.suite], args.suite, args.package)
    before = root.files()

    def prove(what: Callable[[], str]) -> None:
        print(f"ok  {what()}", flush=True)

    try:
        prove(lambda: no_python(root))
        if args.old:
            prove(lambda: upgrade(root, args.old, args.package))
        else:
            install(root, args.package)
        prove(lambda: no_python(root))
        prove(lambda: main_job(root))
        prove(lambda: smoke(root, args.work))
        prove(lambda: traced_when_it_should(root, args.work))
        prove(lambda: file_types(root))
        prove(lambda: no_screen(root))
        if args.package.suffix == ".run":
            prove(lambda: elsewhere(root, args.package))
        if args.suite == "oldest":
            prove(lambda: too_old(args.work, args.package))
        if shutil.which("Xvfb"):
            prove(lambda: window(root))
        prove(lambda: removed(root, before))
    except Refuted as fault:
        print(f"FAILED  {fault}")
        return 1
    print("The package holds what it promises.")
    return 0


def removed(root: Root, before: dict[str, str]) -> str:
    """Remove the program with what it brought, and see that only the user's own files are left."""
    if root.program.startswith("home"):
        return _removed_from_home(root)
    mine = {name for name in root.files() if name.startswith(f"home/{_USER}/")}
    root.run("apt-get", "-qq", "-y", "purge", "splu-desktop")
    # In Debian 13 the C library recommends, and udev suggests, what our dependencies bring: it would stay.
    weak = [f"-o=APT::AutoRemove::{each}Important=false" for each in ("Recommends", "Suggests")]
    root.run("apt-get", "-qq", "-y", *weak, "--purge", "autoremove")
    after = root.files()
    own = {name for name in after if name.startswith(f"home/{_USER}/")}
    if own != mine or not own:
        raise Refuted("the removal touched the user's files")
    left = {name for name in after.keys() - before.keys() - own if not _of_packages(name)}
    changed = {name for name in before if after.get(name) != before[name] and not name.startswith("etc/")}
    if left or changed:
        raise Refuted(f"left: {sorted(left)[:20]}; changed: {sorted(changed)[:20]}")
    return f"removed: nothing left but {len(own)} files and folders of the user"


def _removed_from_home(root: Root) -> str:
    told = root.apart(f"sh /{root.program}/uninstall/install.sh --uninstall")
    left = {name for name in root.files() if name.startswith(f"home/{_USER}/") and (root.folder / name).is_file()}
    kept = r"/(release|before)[./]|/release$|SPLU Desktop|mine\.splu|sample_hospital\.xlsx|\.cache/|/\.(bash|profile)"
    own = {name for name in left if re.search(kept, name)}
    if told.returncode or left - own or not own:
        raise Refuted(f"the removal: {told.stdout}{told.stderr} left {sorted(left - own)[:20]}")
    return f"removed: nothing left but {len(own)} files of the user"


def _of_packages(name: str) -> bool:
    """Whether a file was left by another package, such as a font's cache; none of them knows the name of ours."""
    return "splu" not in name.lower() and name.startswith(("var/", "etc/"))


if __name__ == "__main__":
    sys.exit(main())

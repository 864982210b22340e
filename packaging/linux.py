"""Makes the Linux installers from a bundle: .deb, self-extracting file, archive. Same bundle, same bytes."""

from __future__ import annotations

import email.utils
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from xml.sax.saxutils import escape

import contents
import facts
import native

_LINUX = contents.ROOT / "installer/linux"
LEVEL = os.environ.get("SPLU_BUILD_LEVEL", "6")  # of compression; 9 takes three times as long for 2 % less
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def share(folder: Path, icons: Path, epoch: int) -> None:
    """Lay out what a desktop wants to know: menu entry, file types, icons, description; below FOLDER (a /usr/share)."""
    files = {
        _LINUX / "splu-desktop.desktop": "applications/splu-desktop.desktop",
        _LINUX / "splu-desktop.mime.xml": "mime/packages/splu-desktop.xml",
        icons / "splu-desktop.svg": "icons/hicolor/scalable/apps/splu-desktop.svg",
    }
    for size in (16, 24, 32, 48, 64, 128, 256, 512):
        files[icons / f"splu-desktop-{size}.png"] = f"icons/hicolor/{size}x{size}/apps/splu-desktop.png"
    for source, name in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)
    told = (_LINUX / f"{contents.APP_ID}.metainfo.xml.in").read_text("utf-8")
    date = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    target = folder / f"metainfo/{contents.APP_ID}.metainfo.xml"
    target.parent.mkdir(parents=True)
    own = facts.publisher()
    words = {"VERSION": contents.version(), "DATE": date, "PUBLISHER": own["publisher"], "HOMEPAGE": own["homepage"]}
    for word, value in {**words, "CONTACT": own["contact"]}.items():
        told = told.replace(f"@{word}@", escape(value))
    target.write_text(told, "utf-8")


def manual(source: Path, folder: Path) -> None:
    """Write manual pages and completion below FOLDER (a /usr/share), from the code in SOURCE."""
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    script = Path(__file__).with_name("manual.py")
    subprocess.run([sys.executable, str(script), str(folder)], check=True, env=environment)


def settle(folder: Path, epoch: int) -> None:
    """Give everything the same owner's rights and the same time."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_symlink():
            continue
        runs = path.is_dir() or (os.access(path, os.X_OK) and ".so" not in path.suffixes)
        path.chmod(0o755 if runs else 0o644)
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def dependencies(root: Path, scratch: Path, brought: list[str]) -> str:
    """Return the Debian packages that programs and libraries below a package's folder need from the system.

    Parameters
    ----------
    root : the package's folder, with DEBIAN in it.
    brought : packages whose libraries the bundle has of its own.
    """
    (scratch / "debian").mkdir(parents=True, exist_ok=True)
    (scratch / "debian/control").write_text("Source: splu-desktop\n\nPackage: splu-desktop\nArchitecture: any\n")
    binaries = [str(path) for path in native.binaries(root)]
    folders = sorted({str(path.parent) for path in root.rglob("*.so*")})
    command = [
        "dpkg-shlibdeps",
        "-O",
        "--warnings=0",
        *(f"-l{folder}" for folder in folders),
        *(f"-x{name}" for name in brought),
    ]
    told = subprocess.run([*command, *binaries], cwd=scratch, capture_output=True, text=True, check=False)
    if told.returncode:
        errors = [line for line in told.stderr.splitlines() if "error" in line]
        raise RuntimeError(f"the bundle's needs could not be found out: {errors}")
    words = re.search(r"^shlibs:Depends=(.*)$", told.stdout, re.MULTILINE)
    assert words is not None
    # What the bundle asks of the C and C++ libraries is the floor of packaging/native.py; of the others Debian's
    # numbers name merely what it was built beside, and packaging/prove.py runs it with older ones.
    kept = [
        re.sub(r" \(.*\)", "", word) if not word.startswith(("libc6 ", "libstdc++6 ")) else word
        for word in words[1].split(", ")
    ]
    return ", ".join([*kept, "xkb-data"])  # which libxkbcommon, one of ours, reads


def deb(bundle: Path, icons: Path, out: Path, scratch: Path, epoch: int, brought: list[str]) -> Path:
    """Make the Debian package: the program in /usr/lib/splu-desktop, links to its two commands in /usr/bin."""
    root = scratch / "deb"
    shutil.rmtree(root, ignore_errors=True)
    (root / "usr/lib").mkdir(parents=True)
    shutil.copytree(bundle, root / "usr/lib/splu-desktop", symlinks=True)
    (root / "usr/bin").mkdir()
    for name in ("splu-desktop", "splu"):
        (root / "usr/bin" / name).symlink_to(f"../lib/splu-desktop/{name}")
    share(root / "usr/share", icons, epoch)
    manual(scratch / "source", root / "usr/share")
    for page in (root / "usr/share/man").glob("**/man1/*.1"):
        page.with_name(f"{page.name}.gz").write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))
        page.unlink()
    (root / "usr/share/zsh/site-functions").rename(root / "usr/share/zsh/vendor-completions")
    told = root / "usr/share/doc/splu-desktop"
    told.mkdir(parents=True)
    resources = "../../../lib/splu-desktop/_internal/splu_desktop/resources"
    (told / "licences").symlink_to(f"{resources}/licences")
    (told / "sbom.cdx.json").symlink_to(f"{resources}/sbom.cdx.json")
    licence = (contents.ROOT / "LICENSE").read_text("utf-8")
    own = facts.publisher()
    (told / "copyright").write_text(
        f"SPLU Desktop, from {own['homepage']}, stands under the MIT licence:\n\n{licence}\n"
        "What comes with it stands under licences of its own: see licences/LICENCES.txt in this folder.\n"
        "The texts of the GPL, LGPL and Apache licences are also in /usr/share/common-licenses.\n",
        "utf-8",
    )
    version = facts.debian(contents.version())
    date = email.utils.formatdate(epoch)
    entry = f"splu-desktop ({version}) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n"
    entry += f" -- {own['publisher']} <{own['contact']}>  {date}\n"
    changes = {"changelog.gz": entry.encode(), "NEWS.gz": (contents.ROOT / "CHANGELOG.md").read_bytes()}
    for name, text in changes.items():
        (told / name).write_bytes(gzip.compress(text, 9, mtime=0))
    overrides = root / "usr/share/lintian/overrides/splu-desktop"
    overrides.parent.mkdir(parents=True)
    overrides.write_text((_LINUX / "lintian-overrides").read_text("utf-8"), "utf-8")
    machine = _MACHINES[os.uname().machine]
    size = sum(path.lstat().st_size for path in root.rglob("*") if not path.is_dir()) // 1024
    control = root / "DEBIAN/control"
    control.parent.mkdir()
    control.write_text(
        f"Package: splu-desktop\nVersion: {facts.debian(contents.version())}\nArchitecture: {machine}\n"
        f"Maintainer: {own['publisher']} <{own['contact']}>\nHomepage: {own['homepage']}\n"
        f"Installed-Size: {size}\nDepends: {dependencies(root, scratch, brought)}\n"
        "Recommends: fonts-dejavu-core | fonts-liberation, desktop-file-utils, shared-mime-info\n"
        "Section: science\nPriority: optional\n"
        "Description: hand out a sensitive table: small counts protected, large ones answered\n"
        " SPLU Desktop turns a table about patients into one that a hospital can hand\n"
        " out. Everything but the sensitive columns stays as it is; each sensitive\n"
        " value is re-drawn within a small hidden group of records, so that counts of a\n"
        " few people become deliberately unreliable and counts of many stay answerable.\n"
        " .\n"
        " It works offline: it opens no network connection, ever.\n",
        "utf-8",
    )
    sums = []
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and "DEBIAN" not in path.parts:
            digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()  # dpkg's own form
            sums.append(f"{digest}  {path.relative_to(root)}\n")
    (root / "DEBIAN/md5sums").write_text("".join(sums))
    settle(root, epoch)
    target = out / f"splu-desktop_{facts.debian(contents.version())}_{machine}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{LEVEL}", "--build", str(root), str(target)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})
    shutil.rmtree(root)
    return target


def archive(bundle: Path, icons: Path, out: Path, scratch: Path, epoch: int) -> list[Path]:
    """Make the archive for other distributions, with its per-user installer, and the same as one file that runs."""
    name = f"splu-desktop-{contents.version()}-linux-{os.uname().machine}"
    root = scratch / name
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    shutil.copytree(bundle, root / "splu-desktop", symlinks=True)
    share(root / "share", icons, epoch)
    manual(scratch / "source", root / "share")
    shutil.copyfile(_LINUX / "install.sh", root / "install.sh")
    (root / "install.sh").chmod(0o755)
    shutil.copyfile(contents.ROOT / "LICENSE", root / "LICENSE")
    settle(root, epoch)
    packed, plain = out / f"{name}.tar.xz", scratch / f"{name}.tar.gz"
    tar = ["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{epoch}", "--format=gnu"]
    # gzip is on every Linux, xz is not.
    for target, command in (
        (packed, ["xz", f"-{LEVEL}", "--threads=1", "-c"]),
        (plain, ["gzip", "-n", f"-{LEVEL}", "-c"]),
    ):
        with target.open("wb") as file:
            pack = subprocess.Popen([*tar, "-C", str(scratch), "-c", "-f", "-", name], stdout=subprocess.PIPE)
            subprocess.run(command, stdin=pack.stdout, stdout=file, check=True)
        if pack.wait():
            raise RuntimeError("tar failed")
    shutil.rmtree(root)
    made = _self_extracting(plain, out / f"{name}.run", name)
    plain.unlink()
    return [packed, made]


def _self_extracting(packed: Path, target: Path, name: str) -> Path:
    content = packed.read_bytes()
    script = (_LINUX / "self-extract.sh.in").read_text("utf-8")
    words = {"@VERSION@": contents.version(), "@NAME@": target.name, "@FOLDER@": name, "@MACHINE@": os.uname().machine}
    words["@SHA256@"] = hashlib.sha256(content).hexdigest()
    for word, value in words.items():
        script = script.replace(word, value)
    offset = len(script.encode()) + 1
    while True:  # the offset's own length is part of it
        made = script.replace("@OFFSET@", str(offset)).encode()
        if len(made) + 1 == offset:
            break
        offset = len(made) + 1
    target.write_bytes(made + content)
    target.chmod(0o755)
    return target

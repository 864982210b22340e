"""Find the system libraries that Qt lacks on this machine, and install their Debian packages or name them.

Where nobody may install, the same packages are unpacked into the environment: `apt-get` and `dpkg` do that for anybody.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

PACKAGES = {
    # any use of Qt
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    # a window under X
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    # a window under Wayland
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtPrintSupport", "QtTest", "QtOpenGLWidgets")


UNPACKED = Path("lib/unpacked")  # in the environment
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{folder}/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <include ignore_missing="yes">{folder}/share/fontconfig/conf.avail/45-latin.conf</include>
  <include ignore_missing="yes">{folder}/share/fontconfig/conf.avail/60-latin.conf</include>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""


def needed(venv: Path, folders: list[Path], *, screen: bool) -> dict[str, str]:
    """Return the shared libraries that Qt asks for, as the loader sees it: name -> path, "" where there is none.

    The system's places come after `folders`.
    """
    ldd = shutil.which("ldd")
    installed = list(venv.glob("lib/python*/site-packages/PySide6"))
    if not sys.platform.startswith("linux") or ldd is None or not installed:
        return {}
    plugins = ["offscreen"]
    if screen:
        plugins += ["xcb"] * bool(os.environ.get("DISPLAY")) + ["wayland"] * bool(os.environ.get("WAYLAND_DISPLAY"))
    wanted = [path for module in MODULES for path in installed[0].glob(f"{module}.*so")]
    wanted += [installed[0] / "Qt/plugins/platforms" / f"libq{plugin}.so" for plugin in plugins]
    places = [*map(str, folders), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    told = subprocess.run(
        [ldd, *(str(path) for path in wanted if path.exists())],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C", "LD_LIBRARY_PATH": ":".join(places)},
    )
    found = {}
    for line in told.stdout.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if arrow:
            found[name] = "" if path == "not found" else path.rsplit(" (", 1)[0]
    return found


def missing(venv: Path, *, screen: bool) -> list[str]:
    """Return the names of the shared libraries that Qt asks for and neither the system nor the environment has."""
    return sorted(name for name, path in needed(venv, [venv / UNPACKED], screen=screen).items() if not path)


def apt_install(packages: list[str]) -> str:
    """Install Debian packages without asking anything. Returns "" when done, else why not."""
    apt = shutil.which("apt-get")
    if apt is None:
        return "this system has no apt-get"
    allowed: list[str] = []
    if os.geteuid() != 0:
        allowed = ["sudo", "-n"]
        if not shutil.which("sudo") or subprocess.run([*allowed, "true"], capture_output=True, check=False).returncode:
            return "not root, and no sudo without a password"
    print(f"Installing {' '.join(packages)} ...", file=sys.stderr, flush=True)
    quiet = [*allowed, "env", "DEBIAN_FRONTEND=noninteractive", apt, "-qq", "-o", "DPkg::Lock::Timeout=120"]
    for commands in ([["install"]], [["update"], ["install"]]):  # a fresh machine knows no packages before "update"
        for command in commands:
            names = ["-y", "--no-install-recommends", *packages] if command == ["install"] else []
            done = subprocess.run([*quiet, *command, *names], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
    return (done.stderr.strip().splitlines() or ["apt-get failed"])[-1]


def unpack(packages: list[str], venv: Path, *, screen: bool) -> str:
    """Put what Qt needs of Debian packages into the environment. Returns "" when done, else why not.

    Nothing but libraries, fonts and keyboard tables is taken; no script of a package runs.
    """
    apt, dpkg = shutil.which("apt-get"), shutil.which("dpkg")
    if apt is None or dpkg is None:
        return "this system has no apt-get"
    print(f"Unpacking {' '.join(packages)} into {venv / UNPACKED} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        lists, cache, root = (Path(scratch, name) for name in ("lists", "cache", "root"))
        (lists / "partial").mkdir(parents=True)
        (cache / "archives/partial").mkdir(parents=True)
        own = [apt, "-qq", "-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={cache}", "-o", "Debug::NoLocking=1"]
        get = ["install", "-y", "--no-install-recommends", "--download-only", *packages]
        for command in (["update"], get):
            done = subprocess.run([*own, *command], capture_output=True, text=True, check=False)
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["apt-get failed"])[-1]
        for package in cache.glob("archives/*.deb"):
            done = subprocess.run([dpkg, "-x", package, root], capture_output=True, text=True, check=False)
            if done.returncode:
                return (done.stderr.strip().splitlines() or ["dpkg failed"])[-1]
        (site,) = venv.glob("lib/python*/site-packages")
        shutil.copy(Path(__file__).with_name("unpacked_libraries.py"), site)
        (site / "unpacked_libraries.pth").write_text("import unpacked_libraries; unpacked_libraries.wait()\n", "utf-8")
        target = venv / UNPACKED
        target.mkdir(parents=True, exist_ok=True)
        folders = sorted({path.parent for path in root.rglob("*.so*")})
        for name, path in needed(venv, [target, *folders], screen=screen).items():
            if Path(path).is_relative_to(root):
                shutil.copyfile(path, target / name)
        for part in ("fonts", "fontconfig", "X11"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copytree(root / "usr/share" / part, target / "share" / part, symlinks=True, dirs_exist_ok=True)
    (target / "fonts.conf").write_text(FONTS.format(folder=escape(str(target))), "utf-8")
    return ""


def provide(venv: Path, *, screen: bool) -> str:
    """See to it that Qt loads. Returns "" when it will, else what the user has to install."""
    lacking = missing(venv, screen=screen)
    if not lacking:
        return ""
    packages = sorted({PACKAGES[name] for name in lacking if name in PACKAGES})
    reason = apt_install(packages) if packages else "no package is known for them"
    if reason and packages and (unpacking := unpack(packages, venv, screen=screen)):
        reason = f"{reason}; unpacking them into .venv failed: {unpacking}"
    still = missing(venv, screen=screen)
    if not still:
        return ""
    if set(still) != set(lacking):  # what was installed brought new needs to light
        return provide(venv, screen=screen)
    return _advice(still, reason or "apt-get did not help")


def _advice(lacking: list[str], reason: str) -> str:
    packages = sorted({PACKAGES[name] for name in lacking if name in PACKAGES})
    unknown = sorted(set(lacking) - set(PACKAGES))
    lines = [f"Qt, which draws the window, lacks system libraries, and they could not be installed ({reason})."]
    if packages:
        lines += ["On Debian and Ubuntu:", f"  sudo apt-get install {' '.join(packages)}"]
    if unknown:
        lines.append(f"Libraries without a known Debian package: {', '.join(unknown)}")
    return "\n".join(lines)

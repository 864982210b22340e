"""Find the system libraries that Qt lacks on this machine, and install their Debian packages or name them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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


def missing(venv: Path, *, screen: bool) -> list[str]:
    """Return the names of the shared libraries that Qt asks for and the system lacks, as the loader sees it."""
    ldd = shutil.which("ldd")
    folders = list(venv.glob("lib/python*/site-packages/PySide6"))
    if not sys.platform.startswith("linux") or ldd is None or not folders:
        return []
    plugins = ["offscreen"]
    if screen:
        plugins += ["xcb"] * bool(os.environ.get("DISPLAY")) + ["wayland"] * bool(os.environ.get("WAYLAND_DISPLAY"))
    wanted = [path for module in MODULES for path in folders[0].glob(f"{module}.*so")]
    wanted += [folders[0] / "Qt/plugins/platforms" / f"libq{plugin}.so" for plugin in plugins]
    told = subprocess.run(
        [ldd, *(str(path) for path in wanted if path.exists())],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    return sorted({line.split()[0] for line in told.stdout.splitlines() if line.rstrip().endswith("=> not found")})


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


def provide(venv: Path, *, screen: bool) -> str:
    """See to it that Qt loads. Returns "" when it will, else what the user has to install."""
    lacking = missing(venv, screen=screen)
    if not lacking:
        return ""
    packages = sorted({PACKAGES[name] for name in lacking if name in PACKAGES})
    reason = apt_install(packages) if packages else "no package is known for them"
    still = missing(venv, screen=screen)
    if not still:
        return ""
    if not reason:  # what was installed brought new needs to light
        return provide(venv, screen=screen) if set(still) != set(lacking) else _advice(still, "apt-get did not help")
    return _advice(still, reason)


def _advice(lacking: list[str], reason: str) -> str:
    packages = sorted({PACKAGES[name] for name in lacking if name in PACKAGES})
    unknown = sorted(set(lacking) - set(PACKAGES))
    lines = [f"Qt, which draws the window, lacks system libraries, and they could not be installed ({reason})."]
    if packages:
        lines += ["On Debian and Ubuntu:", f"  sudo apt-get install {' '.join(packages)}"]
    if unknown:
        lines.append(f"Libraries without a known Debian package: {', '.join(unknown)}")
    return "\n".join(lines)

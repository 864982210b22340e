"""Draws the program's icon in every form an installer asks for, from one of the window's own symbols.

python packaging/icons.py FOLDER
"""

from __future__ import annotations

import os
import re
import struct
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import contents
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
_MAC = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09"}  # Apple's names of sizes


def drawing() -> str:
    """Return the icon as SVG: a white shield on the window's accent colour."""
    shield = (contents.ROOT / "resources/icons/shield-check.svg").read_text("utf-8")
    paths = re.search(r">\s*(<path.*)</svg>", shield, re.DOTALL)
    assert paths is not None
    theme = (contents.ROOT / "splu_desktop/gui/base/theme.py").read_text("utf-8")
    accent = re.search(r'accent: str = _shade\("(#[0-9a-fA-F]{6})"', theme)
    assert accent is not None
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 36 36">'
        f'<rect x="1" y="1" width="34" height="34" rx="7" fill="{accent[1]}"/>'
        '<g transform="translate(6 6)" fill="none" stroke="#ffffff" stroke-width="2" stroke-linecap="round"'
        f' stroke-linejoin="round">{" ".join(paths[1].split())}</g></svg>\n'
    )


def picture(svg: str, size: int) -> bytes:
    """Return the icon as PNG."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(content.data())


def windows_icon(pictures: dict[int, bytes]) -> bytes:
    """Return an .ico file: a directory of PNGs, up to 256 pixels."""
    kept = {size: content for size, content in pictures.items() if size <= 256}
    at, entries = 6 + 16 * len(kept), b""
    for size, content in kept.items():
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(content), at)
        at += len(content)
    return struct.pack("<HHH", 0, 1, len(kept)) + entries + b"".join(kept.values())


def mac_icon(pictures: dict[int, bytes]) -> bytes:
    """Return an .icns file: PNGs under Apple's names."""
    parts = b"".join(
        _MAC[size] + struct.pack(">I", len(png) + 8) + png for size, png in pictures.items() if size in _MAC
    )
    return b"icns" + struct.pack(">I", len(parts) + 8) + parts


def main() -> None:
    """Draw all of them into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    application = QGuiApplication(sys.argv)
    svg = drawing()
    pictures = {size: picture(svg, size) for size in SIZES}
    (folder / "splu-desktop.svg").write_text(svg, "utf-8")
    for size, content in pictures.items():
        (folder / f"splu-desktop-{size}.png").write_bytes(content)
    (folder / "splu-desktop.ico").write_bytes(windows_icon(pictures))
    (folder / "splu-desktop.icns").write_bytes(mac_icon(pictures))
    application.quit()


if __name__ == "__main__":
    main()

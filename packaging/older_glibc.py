"""Makes a Debian that offers programs nothing newer than the floor, to prove a bundle on: none has just that version.

    python3 packaging/older_glibc.py ROOT PACKAGE.deb ...     a Debian 11; libc6, libstdc++6, libgcc-s1 of Debian 12

Hides every version beyond the floor: the loader refuses whoever asks for one, in the words that a system of that age
has. Only the packages' own libraries still find them. As root.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import native


def hide(library: Path) -> list[str]:
    """Let a library offer no version beyond the floor, and ask the others for it by the same false name."""
    content = bytearray(library.read_bytes())
    versions = native.Versions(content)
    offered = [(entry + 8, name) for entry, name in versions.offered()]
    asked = [(entry, name) for other, entry, name, _ in versions.asked() if not other.startswith("ld-linux")]
    # What the loader checks of the C library itself stays, and so do the loader's own versions.
    kept = library.name.startswith("ld-linux")
    hidden = {name for _, name in offered + asked if native.beyond(name) and name != "GLIBC_ABI_DT_RELR" and not kept}
    for place, name in offered + asked:
        if name in hidden:
            (digest,) = struct.unpack_from("<I", content, place)
            struct.pack_into("<I", content, place, digest ^ 1)  # the loader looks for the hash of a name first
    library.write_bytes(content)
    return [name for _, name in offered if name in hidden]


def main() -> None:
    """Replace the libraries of a root."""
    root = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        for package in sys.argv[2:]:
            subprocess.run(["dpkg", "-x", package, scratch], check=True)
        for path in sorted(Path(scratch).glob("**/*-linux-gnu/*.so*")):
            target = root / path.relative_to(scratch)
            if path.is_symlink() or not native.is_elf(path):
                continue
            if hidden := hide(path):
                print(path.name, "hides", ", ".join(hidden))
            target.unlink(missing_ok=True)
            target.write_bytes(path.read_bytes())
            target.chmod(0o755)
            if path.name.startswith("ld-linux"):
                loader = root / ("lib64" if "x86-64" in path.name else "lib") / path.name
                loader.unlink(missing_ok=True)
                loader.symlink_to(f"/lib/{path.parent.name}/{path.name}")
            elif path.name.startswith("libstdc++"):
                link = target.with_name("libstdc++.so.6")
                link.unlink(missing_ok=True)
                link.symlink_to(path.name)


if __name__ == "__main__":
    main()

"""Fetch all packages that ./start needs into one file, to be carried to a PC without internet.

On a PC with internet:        python3 scripts/wheelhouse.py wheelhouse.tar
On the other, in its folder:  tar -xf wheelhouse.tar && ./start

The file holds the folder `wheelhouse`, which ./start takes the packages from where it is there; each is checked
against its hash as if it came from the index. `--level check` fetches what ./check needs. For another Python or
machine than this one: --python-version 3.12, --platform manylinux_2_34_x86_64.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import tempfile
from pathlib import Path

import setup

# What a wheel for Linux may be labelled with to run on a system of the newest of them.
OLDER = ("_2_34", "_2_28", "_2_27", "_2_24", "_2_17", "2014")


def main() -> int:
    """Fetch. Returns 0 when done, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the archive to write")
    parser.add_argument("--level", choices=list(setup.LOCKS), default="run")
    parser.add_argument("--python-version", help="such as 3.12")
    parser.add_argument("--platform", help="such as manylinux_2_34_x86_64, win_amd64, macosx_13_0_arm64")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "wheelhouse")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--progress-bar", "off"]
        pip += ["--no-input", "--require-hashes", "--only-binary=:all:", "-r", str(setup.LOCKS[options.level])]
        pip += ["--dest", str(folder)]
        if options.python_version:
            pip += ["--python-version", options.python_version]
        if options.platform:
            kind, _, machine = options.platform.partition("_2_34_")
            labels = [f"{kind}{older}_{machine}" for older in OLDER] if machine else [options.platform]
            for label in labels:
                pip += ["--platform", label]
        try:
            setup.told(pip, len(setup.LOCKS[options.level].read_text("utf-8").split("==")) - 1)
        except setup.SetupFailed as failure:
            setup.say(str(failure))
            return 1
        with tarfile.open(options.file, "w") as archive:  # wheels are compressed already
            archive.add(folder, "wheelhouse")
        wheels = sorted(folder.iterdir())
    size = options.file.stat().st_size / 1e6
    setup.say(f"{options.file}: {len(wheels)} packages, {size:.0f} MB. Unpack it beside ./start on the other PC.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

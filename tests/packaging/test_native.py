"""What is done to native libraries: read right, bound to older functions truly, and ICU sorts as with all its data."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest

from tests.optional import needs

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import native  # noqa: E402

_QT = Path(PySide6.__file__).parent / "Qt/lib"


def _link(folder: Path, name: str, assembly: str, *arguments: str) -> Path:
    (folder / f"{name}.s").write_text(assembly + '\n.section .note.GNU-stack,"",%progbits\n')
    subprocess.run(["as", "-o", f"{name}.o", f"{name}.s"], cwd=folder, check=True)
    target = folder / f"lib{name}.so.1"
    link = ["ld", "-shared", "-soname", target.name, "-o", target.name, f"{name}.o", *arguments]
    subprocess.run(link, cwd=folder, check=True)
    return target


def _offers(folder: Path, old: str, new: str, function: str) -> Path:
    """A library with a function of two versions; it is data here, 1 and 2, so that any machine can look which came."""
    lines = [f".data\n.globl {each}\n.type {each}, %object\n.size {each}, 4\n{each}: .long {n}" for n, each in
             enumerate(("older", "newer"), 1)]  # fmt: skip
    lines += [f".symver older,{function}@{old}", f".symver newer,{function}@@{new}"]
    (folder / "map").write_text(f"{old} {{ {function}; }};\n{new} {{ {function}; }} {old};\n")
    return _link(folder, "offers", "\n".join(lines), "--version-script", "map")


def _asks(folder: Path, versions: tuple[str, str], function: str) -> Path:
    """A library that asks for both versions of a function; `pointer` leads to the newer one."""
    old, new = versions
    lines = [".data", ".balign 8", f".symver first,{function}@{old}", f".symver second,{function}@{new}"]
    lines += [f".globl {name}\n.type {name}, %object\n.size {name}, 8\n{name}: .quad {of}" for name, of in
              (("other", "first"), ("pointer", "second"))]  # fmt: skip
    return _link(folder, "asks", "\n".join(lines), "liboffers.so.1", "-rpath", "$ORIGIN")


def _found(library: Path) -> int:
    """Return which version the loader bound, seen in a process of its own."""
    code = "import ctypes, sys; p = ctypes.c_void_p.in_dll(ctypes.CDLL(sys.argv[1]), 'pointer').value\n"
    code += "print(ctypes.c_int.from_address(p).value)"
    return int(subprocess.run([sys.executable, "-c", code, library], capture_output=True, check=True).stdout)


@needs("binutils")
def test_a_function_newer_than_the_floor_is_bound_to_its_older_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "_OLDER_WILL_DO", {"hypot_of_ours"})  # the system's own would be found first
    versions = "GLIBC_2.2.5", "GLIBC_2.35"
    _offers(tmp_path, *versions, "hypot_of_ours")
    asking = _asks(tmp_path, versions, "hypot_of_ours")
    assert native.needs(asking) == set(versions)
    assert _found(asking) == 2
    native.bind_older(asking)
    assert native.needs(asking) == {"GLIBC_2.2.5"}
    assert _found(asking) == 1, "the loader itself takes the older one now"
    before = asking.read_bytes()
    native.bind_older(asking)
    assert asking.read_bytes() == before


@needs("binutils")
def test_a_function_that_has_no_equal_is_left_and_the_bundle_refused(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle/_internal"
    bundle.mkdir(parents=True)
    versions = "GLIBC_2.2.5", "GLIBC_2.38"
    _offers(bundle, *versions, "strlcpy")
    asking = _asks(bundle, versions, "strlcpy")
    before = asking.read_bytes()
    native.bind_older(asking)
    assert asking.read_bytes() == before
    for each in ("map", "asks.s", "asks.o", "offers.s", "offers.o"):
        (bundle / each).unlink()
    with pytest.raises(native.TooNew, match=r"libasks\.so\.1 GLIBC_2\.38"):
        native.settle(tmp_path / "bundle", tmp_path / "work")


@needs("binutils")
def test_a_library_that_is_named_and_never_called_is_left_out(tmp_path: Path) -> None:
    """With what it alone asks for; what is called stays, and so does what offers functions without a version."""
    wheel = tmp_path / "a.libs"
    wheel.mkdir()
    for name, needs_too in (("inner", []), ("idle", ["libinner.so.1"])):
        (wheel / "map").write_text(f"V_1 {{ {name}; }};\n")
        _link(wheel, name, f".data\n.globl {name}\n{name}: .long 1", "--version-script", "map", *needs_too)
    _offers(wheel, "V_1", "V_2", "called")
    _link(wheel, "plain", ".data\n.globl plain\nplain: .long 1")
    user = _link(wheel, "user", ".data\n.quad called", "liboffers.so.1", "libidle.so.1", "libplain.so.1")
    user.rename(tmp_path / "user.so")
    (tmp_path / "libidle.so.1").symlink_to("a.libs/libidle.so.1")
    native._drop_uncalled(tmp_path)
    assert {path.name for path in tmp_path.rglob("*.so*")} == {"user.so", "liboffers.so.1", "libplain.so.1"}
    told = subprocess.run(["readelf", "-d", "user.so"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert [line.split("[")[1].rstrip("]") for line in told.splitlines() if "NEEDED" in line] == [
        "liboffers.so.1",
        "libplain.so.1",
    ]


def test_what_is_beyond_the_floor() -> None:
    beyond = {"GLIBC_2.35", "GLIBC_2.100", "GLIBCXX_3.4.30", "CXXABI_1.3.14", "GLIBC_ABI_DT_RELR"}
    within = {"GLIBC_2.34", "GLIBC_2.4", "GLIBC_2.2.5", "GLIBCXX_3.4.29", "GLIBCXX_3.4.9", "GCC_3.0", "Qt_6.10"}
    assert {version for version in beyond | within if native.beyond(version)} == beyond


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of Linux")
@needs("binutils")
def test_real_libraries_are_read_as_readelf_reads_them() -> None:
    for path in (_QT / "libQt6Core.so.6", _QT / "libicuuc.so.73"):
        told = subprocess.run(["readelf", "-V", "-W", path], capture_output=True, text=True, check=True).stdout
        wanted = {line.split("Name: ")[1].split()[0] for line in told.split(".gnu.version_r")[1].splitlines()
                  if "Name: " in line}  # fmt: skip
        assert native.needs(path) == wanted
        assert len(wanted) > 3
        found = native.Versions(path.read_bytes())
        assert any("memcpy" in names for names in found.functions().values())


def _archive(files: dict[str, bytes]) -> bytes:
    """ICU's data of some files, as its own tools write them."""
    header = struct.pack("<HBBHHBBBB", 32, 0xDA, 0x27, 20, 0, 0, 0, 2, 0) + b"CmnD" + bytes(16)
    header = header[:32]
    names, at = b"", 4 + 8 * len(files)
    places = []
    for name in files:
        places.append(at + len(names))
        names += b"icudt73l/" + name.encode() + b"\0"
    begin = -(-(at + len(names)) // 16) * 16
    toc, body = struct.pack("<I", len(files)), b""
    for place, content in zip(places, files.values(), strict=True):
        toc += struct.pack("<II", place, begin + len(body))
        body += content + bytes(-len(content) % 16)
    return header + (toc + names).ljust(begin, b"\0") + body


def _unpacked(library: Path) -> dict[str, bytes]:
    told = subprocess.run(["nm", "-DS", library], capture_output=True, text=True, check=True).stdout
    size = int(next(line for line in told.splitlines() if line.endswith("icudt73_dat")).split()[1], 16)
    data = bytes((ctypes.c_char * size).in_dll(ctypes.CDLL(str(library)), "icudt73_dat").raw)[32:]
    (count,) = struct.unpack_from("<I", data)
    toc = [struct.unpack_from("<II", data, 4 + 8 * n) for n in range(count)]
    assert all(begin % 16 == 0 for _, begin in toc)
    ends = [begin for _, begin in toc[1:]] + [len(data)]
    return {data[name : data.index(b"\0", name)].decode(): data[begin:end] for (name, begin), end in
            zip(toc, ends, strict=True)}  # fmt: skip


@needs("binutils")
def test_of_icus_data_the_kept_files_are_whole_and_the_rest_gone(tmp_path: Path) -> None:
    kept = {"coll/de.res": b"a" * 33, "nfc.nrm": b"b" * 16, "root.res": b"c", "uprops.icu": b"d" * 100}
    gone = {"brkitr/char.brk": b"x" * 50, "curr/de.res": b"y" * 5, "de.res": b"z", "ibm-850.cnv": b"w" * 9}
    (tmp_path / "whole.dat").write_bytes(_archive(dict(sorted((kept | gone).items()))))
    text = '.section .rodata\n.globl icudt73_dat\n.type icudt73_dat, %object\n.balign 16\nicudt73_dat:\n.incbin "whole.dat"\n.size icudt73_dat, .-icudt73_dat'  # noqa: E501
    library = _link(tmp_path, "icudata", text)
    native.thin_icu(library, tmp_path / "work")
    found = _unpacked(library)
    assert list(found) == [f"icudt73l/{name}" for name in sorted(kept)], "in the order that ICU searches by halves"
    assert {name: content[: len(kept[name])] for name, content in
            ((name.partition("/")[2], content) for name, content in found.items())} == kept  # fmt: skip


_SORTS = """
import sys
from PySide6.QtCore import QCollator, QLocale, QTextBoundaryFinder, QTimeZone, QByteArray
words = ["Zebra", "zebra", "Äpfel", "Apfel", "Öl", "ol", "ñandú", "nube", "čaj", "cena", "ý", "z", "東京", "大阪", "가", "나", "Ø", "é", "e", "10", "9"]
for name in ("de", "sv", "da", "es", "cs", "fr_CA", "ja", "ko", "zh", "tr", "en"):
    for numeric in (False, True):
        collator = QCollator(QLocale(name)); collator.setNumericMode(numeric)
        print(name, *sorted(words, key=lambda word: collator.sortKey(word)))
print(QTimeZone(QByteArray(b"Europe/Berlin")).isValid())
"""  # noqa: E501


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of Linux")
@needs("binutils")
def test_every_language_sorts_as_with_all_of_icus_data(tmp_path: Path) -> None:
    whole = next(_QT.glob("libicudata.so.*"))
    thin = tmp_path / whole.name
    thin.write_bytes(whole.read_bytes())
    native.thin_icu(thin, tmp_path / "work")
    assert thin.stat().st_size < whole.stat().st_size / 4
    told = []
    for more in ({}, {"LD_PRELOAD": str(thin)}):  # whoever asks for a library of that name then gets this one
        environment = {**os.environ, **more}
        command = [sys.executable, "-X", "utf8", "-c", _SORTS]
        told.append(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    assert told[0] == told[1]
    lines = told[0].splitlines()
    assert len({line.partition(" ")[2] for line in lines}) > 6, "the languages do differ"

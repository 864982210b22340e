"""What is done to the native libraries of a Linux bundle once they are collected, and the floor that is held.

Symbol tables go, since nothing debugs there. ICU keeps what sorting asks for, of 30 MB of data for converters,
calendars and names in 400 languages that Qt never opens. Python of Debian 12 asks for one function newer than the
floor, `hypot` of glibc 2.35, which differs from the older one in how it reports an overflow alone (Python looks at the
result), so it is bound to that.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# What Red Hat Enterprise Linux 9 has, and Ubuntu 22.04: glibc and the C++ library of GCC 11. Qt's libraries need both.
FLOOR = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13)}
_OLDER_WILL_DO = {"hypot"}
_ICU_KEPT = re.compile(
    r"(coll/.+|[^/]+\.(icu|nrm|cfu)"
    r"|(icustd|icuver|keyTypeData|likelySubtags|numberingSystems|pool|res_index|root|supplementalData|timezoneTypes"
    r"|windowsZones|zoneinfo64)\.res)"
)


class TooNew(Exception):
    """A library needs a newer system than the floor."""


def is_elf(path: Path) -> bool:
    """Whether a file is a program or library of Linux."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def binaries(bundle: Path) -> Iterator[Path]:
    """Yield the programs and libraries below a folder, links apart."""
    return (path for path in sorted(bundle.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path))


def settle(bundle: Path, work: Path) -> None:
    """Do all of it to a bundle of Linux. Raises TooNew."""
    for path in binaries(bundle):
        own = path.read_bytes()  # PyInstaller may have linked it to where it was taken from
        path.unlink()
        path.write_bytes(own)
        path.chmod(0o755)
        # auditwheel rewrote the libraries of wheels' own folders so that strip breaks them; the program file carries an
        # archive behind its end.
        if not path.parent.name.endswith(".libs") and path.parent != bundle:
            subprocess.run(["strip", "--strip-unneeded", str(path)], check=True, capture_output=True)
        if path.name.startswith("libicudata.so"):
            thin_icu(path, work)
        bind_older(path)
    _drop_uncalled(bundle)
    _share_twins(bundle)
    over = [f"{path.name} {version}" for path in binaries(bundle) for version in needs(path) if beyond(version)]
    if over:
        raise TooNew(f"newer than the floor, {FLOOR}: {', '.join(over)}")


def _drop_uncalled(bundle: Path) -> None:
    """Leave out what libraries of wheels name and call nothing of: SciPy's second Fortran run time."""
    brought = {path.name: path for path in binaries(bundle) if path.parent.name.endswith(".libs")}
    while brought:
        needed = set()
        for path in binaries(bundle):
            own = Versions(path.read_bytes())
            asked = {library for library, *_ in own.asked()}
            for name in own.needed():
                # Whoever calls a function that has a version asks for that version.
                if name in brought and name not in asked and any(Versions(brought[name].read_bytes()).offered()):
                    path.write_bytes(own.without(name))
                else:
                    needed.add(name)
        if not (gone := brought.keys() - needed):
            return
        for name in gone:
            del brought[name]
            for path in list(bundle.rglob(name)):  # itself and the links to it
                path.unlink()


def _share_twins(bundle: Path) -> None:
    """Let libraries that NumPy and SciPy both bring be there once."""
    seen: dict[tuple[str, bytes], Path] = {}
    for path in binaries(bundle):
        if path.parent.name.endswith(".libs"):
            first = seen.setdefault((path.name, path.read_bytes()), path)
            if first is not path:
                path.unlink()
                path.symlink_to(Path("..") / first.parent.name / first.name)


class Versions:
    """The versions of functions that an ELF file (64 bit, little-endian) asks other libraries for, and offers."""

    def __init__(self, content: bytes | bytearray) -> None:
        self.content = bytearray(content)
        at, size, count = struct.unpack_from("<Q10xHH", content, 40)
        self._sections = {}
        for place in range(at, at + size * count, size):
            _, kind, _, _, offset, length, link, information = struct.unpack_from("<IIQQQQII", content, place)
            self._sections[kind] = (offset, length, link, information)
        self._headers = (at, size)

    def _text(self, section: int, offset: int) -> str:
        start = struct.unpack_from("<Q", self.content, self._headers[0] + section * self._headers[1] + 24)[0] + offset
        return self.content[start : self.content.index(b"\0", start)].decode()

    def _dynamic(self) -> Iterator[tuple[int, str]]:
        """Yield (where the entry is, library) of what is loaded along with it."""
        if 6 in self._sections:  # SHT_DYNAMIC
            at, length, strings, _ = self._sections[6]
            for place in range(at, at + length, 16):
                tag, value = struct.unpack_from("<QQ", self.content, place)
                if tag == 1:  # DT_NEEDED
                    yield place, self._text(strings, value)

    def needed(self) -> list[str]:
        """Return the libraries that are loaded along with it."""
        return [name for _, name in self._dynamic()]

    def without(self, library: str) -> bytearray:
        """Return the file asking for one library less."""
        (place,) = (place for place, name in self._dynamic() if name == library)
        end = self._sections[6][0] + self._sections[6][1]
        self.content[place:end] = self.content[place + 16 : end] + bytes(16)  # which ends the list
        return self.content

    def asked(self) -> Iterator[tuple[str, int, str, int]]:
        """Yield (library, where the entry is, version, its index)."""
        if 0x6FFFFFFE not in self._sections:
            return
        at, _, strings, count = self._sections[0x6FFFFFFE]  # SHT_GNU_verneed
        for _ in range(count):
            _, inner, file, first, after = struct.unpack_from("<HHIII", self.content, at)
            entry = at + first
            for _ in range(inner):
                _, _, index, name, step = struct.unpack_from("<IHHII", self.content, entry)
                yield self._text(strings, file), entry, self._text(strings, name), index
                entry += step
            at += after

    def offered(self) -> Iterator[tuple[int, str]]:
        """Yield (where the entry is, version)."""
        if 0x6FFFFFFD not in self._sections:
            return
        at, _, strings, count = self._sections[0x6FFFFFFD]  # SHT_GNU_verdef
        for _ in range(count):
            inner, after = struct.unpack_from("<II", self.content, at + 12)
            (name,) = struct.unpack_from("<I", self.content, at + inner)
            yield at, self._text(strings, name)
            at += after

    def functions(self) -> dict[int, set[str]]:
        """Return which functions are asked for, by the index of their version."""
        found: dict[int, set[str]] = defaultdict(set)
        at, length, strings, _ = self._sections[11]  # SHT_DYNSYM
        versions = self._sections[0x6FFFFFFF][0]  # SHT_GNU_versym
        for number in range(length // 24):
            name = struct.unpack_from("<I", self.content, at + 24 * number)[0]
            (index,) = struct.unpack_from("<H", self.content, versions + 2 * number)
            found[index & 0x7FFF].add(self._text(strings, name))
        return found


def _parts(version: str) -> tuple[str, tuple[int, ...]]:
    """Return the family of a version and its numbers; () where it has none."""
    found = re.fullmatch(r"([A-Z]+)_(\d+(?:\.\d+)+)", version)
    return (found[1], tuple(map(int, found[2].split(".")))) if found else (version, ())


def beyond(version: str) -> bool:
    """Whether a version of functions is newer than the floor."""
    family, numbers = _parts(version)
    return version == "GLIBC_ABI_DT_RELR" or (family in FLOOR and numbers > FLOOR[family])


def needs(path: Path) -> set[str]:
    """Return the versions of functions that a library asks for."""
    return {version for _, _, version, _ in Versions(path.read_bytes()).asked()}


def bind_older(path: Path) -> None:
    """Bind what is newer than the floor to its oldest version, where that will do; elsewhere change nothing."""
    content = bytearray(path.read_bytes())
    versions = Versions(content)
    asked = list(versions.asked())
    for library, entry, version, index in asked:
        if beyond(version) and versions.functions()[index] <= _OLDER_WILL_DO:
            oldest = min((other for other in asked if other[0] == library), key=lambda other: _parts(other[2]))
            content[entry : entry + 4] = content[oldest[1] : oldest[1] + 4]  # the hash of its name
            content[entry + 8 : entry + 12] = content[oldest[1] + 8 : oldest[1] + 12]  # and the name
    if content != path.read_bytes():
        path.write_bytes(content)


def thin_icu(library: Path, work: Path) -> None:
    """Leave out of ICU's data what Qt never opens.

    The data are an archive of files (`udata.h`, type CmnD): a header, their number, where the names and contents begin,
    counted from after the header, the names in order, and the contents, each on a multiple of 16.
    """
    told = subprocess.run(["nm", "-DS", str(library)], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^\w+ (\w+) R (icudt\d+)_dat$", told, re.MULTILINE)
    whole = library.read_bytes()
    start = whole.index(b"CmnD") - 12
    assert found is not None
    data = whole[start : start + int(found[1], 16)]
    (head,) = struct.unpack_from("<H", data)
    body = data[head:]
    (count,) = struct.unpack_from("<I", body)
    toc = [struct.unpack_from("<II", body, 4 + 8 * each) for each in range(count)]
    ends = [offset for _, offset in toc[1:]] + [len(body)]
    kept = []
    for (name, begin), end in zip(toc, ends, strict=True):
        word = body[name : body.index(b"\0", name)]
        if _ICU_KEPT.fullmatch(word.decode().partition("/")[2]):
            kept.append((word, body[begin:end]))
    names_at = 4 + 8 * len(kept)
    names = b"".join(word + b"\0" for word, _ in kept)
    contents_at = -(-(names_at + len(names)) // 16) * 16
    table, contents, name = b"", b"", names_at
    for word, content in kept:
        table += struct.pack("<II", name, contents_at + len(contents))
        name += len(word) + 1
        contents += content + bytes(-len(content) % 16)
    thin = (struct.pack("<I", len(kept)) + table + names).ljust(contents_at, b"\0") + contents
    work.mkdir(parents=True, exist_ok=True)
    packed, source, compiled = (work / f"icudata{ending}" for ending in (".dat", ".s", ".o"))
    packed.write_bytes(data[:head] + thin)
    symbol = f"{found[2]}_dat"
    source.write_text(
        f'.section .rodata\n.globl {symbol}\n.type {symbol}, STT_OBJECT\n.balign 16\n{symbol}:\n.incbin "{packed}"\n'
        f'.size {symbol}, .-{symbol}\n.section .note.GNU-stack,"",%progbits\n'
    )
    subprocess.run(["as", "-o", str(compiled), str(source)], check=True)
    link = ["ld", "-s", "-shared", "-z", "noexecstack", "--build-id=none", "-soname", library.name]
    subprocess.run([*link, "-o", str(library), str(compiled)], check=True)


if __name__ == "__main__":
    settle(Path(sys.argv[1]), Path(sys.argv[2]))

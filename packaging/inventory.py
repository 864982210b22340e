"""What is in a bundle: every file and every frozen module traced to the component it comes from, with its licence.

Run by the Python that froze the bundle, since the components are looked up where they were taken from. A file that
belongs to nothing known is a fault of the build, so a list made here can't be shorter than the bundle.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import contents
import facts
import seal

TEXTS = Path(__file__).resolve().parent / "licences"
PLACE = "_internal/splu_desktop/resources"
LICENCES, BILL = f"{PLACE}/licences", f"{PLACE}/sbom.cdx.json"

# Licences in SPDX's words, of packages whose metadata says it otherwise.
_SPDX = {
    "colorama": "BSD-3-Clause",
    "pycryptodomex": "BSD-2-Clause AND Unlicense",
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
    "pyqtgraph": "MIT",
    "pyreadstat": "Apache-2.0",
    "pyside6-essentials": "LGPL-3.0-only",
    "python-stdnum": "LGPL-2.1-or-later",
    "scipy": "BSD-3-Clause",
    "shiboken6": "LGPL-3.0-only",
    "six": "MIT",
    "tomli-w": "MIT",
}
# C and C++ code that packages carry inside their own files: (name, licence, what tells its version there). Where
# nothing does, the version is said to be that of the copy in its owner, which is what its owner's notices go by.
_INSIDE: dict[str, list[tuple[str, str, str]]] = {
    "pyreadstat": [("ReadStat", "MIT", "")],
    "Qt": [
        ("FreeType", "FTL", ""),
        ("HarfBuzz", "MIT-Modern-Variant", ""),
        ("libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib", r"libjpeg-turbo version (\d+(?:\.\d+)+)"),
        ("libpng", "libpng-2.0", r"libpng version (\d+(?:\.\d+)+)"),
        ("PCRE2", "BSD-3-Clause", r"\0(\d+\.\d+) 20\d\d-\d\d-\d\d\0"),
        ("double-conversion", "BSD-3-Clause", ""),
        ("MD4C", "MIT", ""),
        ("zlib", "Zlib", r"deflate (\d+(?:\.\d+)+)"),
        ("libxkbcommon", "MIT", ""),
        ("xcb-xinput", "MIT", ""),
        ("TinyCBOR", "MIT", ""),
        ("Wayland protocols", "MIT", ""),
    ],
}
# Who supplies what no registry tells of, and the names under which vulnerabilities are recorded (vendor:product of the
# National Vulnerability Database); of others the name is made by its convention.
_SUPPLIERS = {
    "DejaVu fonts": "DejaVu fonts team",
    "Droid Sans Fallback": "Ascender Corporation",
    "GCC run-time libraries": "Free Software Foundation",
    "libgfortran": "Free Software Foundation",
    "libquadmath": "Free Software Foundation",
    "ICU": "Unicode Consortium",
    "Lucide": "Lucide Contributors",
    "NanumGothic (subset, renamed)": "NAVER Corporation",
    "Noto Sans": "Google LLC",
    "OpenBLAS": "The OpenBLAS Project",
    "Python": "Python Software Foundation",
    "Qt": "The Qt Company",
}
_CPE = {
    "FreeType": "freetype:freetype",
    "libgfortran": "gnu:gcc",
    "libquadmath": "gnu:gcc",
    "HarfBuzz": "harfbuzz_project:harfbuzz",
    "ICU": "icu-project:international_components_for_unicode",
    "OpenBLAS": "openblas_project:openblas",
    "PCRE2": "pcre:pcre2",
    "Python": "python:python",
    "Qt": "qt:qt",
    "libbz2-1.0": "bzip:bzip2",
    "libffi8": "libffi_project:libffi",
    "libjpeg-turbo": "libjpeg-turbo:libjpeg-turbo",
    "liblzma5": "tukaani:xz",
    "libpng": "libpng:libpng",
    "libssl3": "openssl:openssl",
    "libuuid1": "kernel:util-linux",
    "numpy": "numpy:numpy",
    "pycryptodomex": "pycryptodome:pycryptodomex",
    "pyinstaller": "pyinstaller:pyinstaller",
    "scipy": "scipy:scipy",
    "zlib": "zlib:zlib",
}


class Unknown(Exception):
    """Something in the bundle comes from nowhere known."""


@dataclass
class Component:
    """One thing that somebody made and gave a licence.

    Attributes
    ----------
    kind : "python", "native", "crate", "data" or "application".
    licence : an SPDX expression.
    purl : its package URL, "" where there is no registry.
    texts : files with licence texts and notices.
    supplier : who hands it out.
    inside : names of components that are compiled into this one.
    files : paths in the bundle; modules frozen into the program file as "name.of.module".
    """

    name: str
    version: str
    kind: str
    licence: str
    purl: str = ""
    texts: list[Path] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    supplier: str = ""

    @property
    def cpe(self) -> str:
        """The name that vulnerabilities are recorded under, in the form of CPE 2.3."""
        plain = self.name.partition(" (")[0]
        bare = re.sub(r"[^a-z0-9_.-]+", "_", plain.lower())
        vendor, _, product = _CPE.get(plain, f"{bare}_project:{bare}").partition(":")
        if vendor == "gnu":  # whose libraries' numbers are not the compiler's
            return f"cpe:2.3:a:{vendor}:{product}:*:*:*:*:*:*:*:*"
        # Debian's number ends with its own correction's; vulnerabilities go by the number before it.
        number = re.sub(r"^(\d+:)?(.+?)(-[^-]+)?$", r"\2", self.version) if ":deb/" in self.purl else self.version
        if not re.fullmatch(r"[\w.+~-]+", number):
            number = "*"
        number = re.sub(r"([+~])", r"\\\1", number)
        return f"cpe:2.3:a:{vendor}:{product}:{number}:*:*:*:*:*:*:*"

    @property
    def key(self) -> str:
        """A name for folders and references."""
        return re.sub(r"[^A-Za-z0-9.+-]", "-", f"{self.name}-{self.version}".rstrip("-"))


class Inventory:
    """Finds the components of a bundle."""

    def __init__(self, bundle: Path) -> None:
        self.bundle = bundle
        self.found: dict[str, Component] = {}
        self._distributions = {_canonical(d.name): d for d in metadata.distributions()}
        self._owners: dict[str, str] = {}
        self._modules: dict[str, set[str]] = {}
        for name, distribution in self._distributions.items():
            for file in distribution.files or ():
                self._owners[str(file)] = name
        for module, names in metadata.packages_distributions().items():
            self._modules[module] = {_canonical(name) for name in names}

    def components(self) -> list[Component]:
        """Return all components, sorted by name. Raises Unknown."""
        for path in sorted(self.bundle.rglob("*")):
            if path.is_file() and not path.is_symlink():
                name = path.relative_to(self.bundle).as_posix()
                if not name.startswith(LICENCES) and name not in (BILL, seal.PLACE):
                    self._owner(name).files.append(name)
        for module in modules(self.bundle):
            self._module_owner(module).files.append(module)
        for component in list(self.found.values()):
            self._add_inside(component)
        for component in self.found.values():
            component.supplier = component.supplier or self._supplier(component)
        return sorted(self.found.values(), key=lambda c: (c.name.lower(), c.version))

    def _supplier(self, component: Component) -> str:
        if ":deb/" in component.purl:
            return "Debian"
        if component.kind == "crate":
            return f"{component.name}, on crates.io"
        name, _, owner = component.name.removesuffix(")").partition(" (in ")
        return _SUPPLIERS.get(component.name) or (f"{name}, by way of {owner}" if owner else name)

    # -- who owns a file -----------------------------------------------------------------------------------------

    def _owner(self, name: str) -> Component:
        inner = name.removeprefix("_internal/")
        file = name.rpartition("/")[2]
        if inner == name or inner.startswith("splu_desktop/"):
            return self._own(inner)
        if re.search(r"(^|/)libicu(data|i18n|uc)\.", inner):
            return self._native("ICU", file.partition(".so.")[2], "Unicode-3.0", [TEXTS / "ICU.txt"], "pkg:generic/icu")
        if inner.startswith("PySide6/Qt/") or re.match(r"PySide6/(plugins|translations)/|PySide6/Qt6\w+\.dll", inner):
            return self._qt()
        if re.match(r"(numpy|scipy)\.libs/", inner):
            return self._numeric(inner)
        if inner in self._owners:
            return self._package(self._owners[inner])
        if inner == "base_library.zip" or re.match(r"(lib)?python3|python3\.\d+/|lib-dynload/|Python(\.|$|/)", inner):
            return self._python()
        if re.match(r"[^/]+\.(pyd|dll)$", inner):  # Windows: the interpreter's own folder, flat
            return self._python()
        return self._system(inner)

    def _own(self, inner: str) -> Component:
        fonts = contents.ROOT / "resources/fonts"
        if "/fonts/DejaVu" in inner or inner.endswith("LICENSE-DejaVu.txt"):
            return self._data("DejaVu fonts", "2.37", "Bitstream-Vera", fonts / "LICENSE-DejaVu.txt")
        if "/fonts/Droid" in inner or inner.endswith("LICENSE-Droid.txt"):
            return self._data("Droid Sans Fallback", "1.00", "Apache-2.0", fonts / "LICENSE-Droid.txt")
        if "/fonts/NotoSans" in inner or inner.endswith("LICENSE-OFL.txt"):
            return self._data("Noto Sans", "2020.12.25", "OFL-1.1", fonts / "LICENSE-OFL.txt")
        if "/fonts/SPLUHangul" in inner:
            return self._data("NanumGothic (subset, renamed)", "3.021", "OFL-1.1", fonts / "LICENSE-OFL.txt")
        if "/icons/" in inner:
            version = f"as in SPLU Desktop {contents.version()}"
            return self._data("Lucide", version, "ISC", contents.ROOT / "resources/icons/LICENSE-lucide.txt")
        return self._application()

    def _module_owner(self, module: str) -> Component:
        top = module.partition(".")[0]
        if top in ("splu_desktop", "launch"):
            return self._application()
        if top in self._modules:
            path = module.replace(".", "/")
            for name in (f"{path}.py", f"{path}/__init__.py"):
                if name in self._owners:
                    return self._package(self._owners[name])
            return self._package(sorted(self._modules[top])[0])
        if top.startswith(("pyi", "_pyi", "PyInstaller")):
            return self._package("pyinstaller")
        if top in sys.stdlib_module_names or top.startswith("_sysconfigdata"):
            return self._python()
        raise Unknown(f"the module {module} comes from no package that is installed")

    # -- components ----------------------------------------------------------------------------------------------

    def _keep(self, component: Component) -> Component:
        return self.found.setdefault(component.key, component)

    def _application(self) -> Component:
        text = contents.ROOT / "LICENSE"
        own = Component("SPLU Desktop", contents.version(), "application", "MIT", "", [text])
        own.supplier = facts.publisher()["publisher"]
        return self._keep(own)

    def _package(self, name: str) -> Component:
        distribution = self._distributions[name]
        information = distribution.metadata
        licence = _SPDX.get(name) or information.get("License-Expression") or information.get("License") or ""
        if "\n" in licence or len(licence) > 80 or not licence:
            raise Unknown(f"the licence of {name} {distribution.version} is not known: {licence[:60]}")
        texts = [
            Path(str(distribution.locate_file(file)))
            for file in distribution.files or ()
            if ".dist-info/" in str(file)
            and re.search(r"licen[cs]e|copying|notice|authors", str(file), re.IGNORECASE)
            and "sbom" not in str(file)
        ]
        if name in ("pyside6-essentials", "shiboken6"):
            texts += [TEXTS / "LGPL-3.0.txt", TEXTS / "GPL-3.0.txt"]
        purl = f"pkg:pypi/{name}@{distribution.version}"
        made = Component(distribution.name, distribution.version, "python", licence, purl, texts)
        told = [information.get(key) or "" for key in ("Author", "Maintainer", "Author-email", "Maintainer-email")]
        made.supplier = next((word for one in told if (word := one.partition("<")[0].strip(' ",'))), f"{name}, on PyPI")
        return self._keep(made)

    def _qt(self) -> Component:
        version = self._distributions["pyside6-essentials"].version
        texts = [TEXTS / "LGPL-3.0.txt", TEXTS / "GPL-3.0.txt", TEXTS / "qt-third-party.txt"]
        return self._native("Qt", version, "LGPL-3.0-only", texts, "pkg:generic/qt")

    def _numeric(self, inner: str) -> Component:
        owner = inner.partition(".")[0]
        texts = self._package(owner).texts
        if "openblas" in inner:
            told = __import__(f"{owner}.__config__", fromlist=["CONFIG"]).CONFIG["Build Dependencies"]["blas"]
            return self._native("OpenBLAS", told["version"], "BSD-3-Clause", texts, "pkg:generic/openblas")
        if re.search(r"libgfortran|libquadmath", inner):
            texts = [TEXTS / "GCC-exception-3.1.txt", TEXTS / "GPL-3.0.txt"]
            licence = "GPL-3.0-or-later WITH GCC-exception-3.1"
            found = re.search(r"/(libgfortran|libquadmath)\b.*?(?:\.so\.(\d+(?:\.\d+)+))?$", inner)
            name, version = (found[1], found[2]) if found else ("GCC run-time libraries", "")
            return self._native(name, version or self._copy_in(owner), licence, texts, "pkg:generic/gcc")
        return self._package(owner)

    def _python(self) -> Component:
        version, purl = sys.version.partition(" ")[0], "pkg:generic/python"
        package = f"python{sys.version_info.major}.{sys.version_info.minor}"
        places = [
            Path(f"/usr/share/doc/{package}/copyright"),
            Path(sysconfig.get_path("stdlib")) / "LICENSE.txt",
            Path(sys.base_prefix) / "LICENSE.txt",
        ]
        if sys.base_prefix == "/usr":  # with Debian's corrections, which its own number tells
            # The interpreter is always there; its library, of the same version, only where something is built.
            version, purl = _debian_version(package), f"pkg:deb/debian/lib{package}"
        else:
            places = places[1:]
        text = next((path for path in places if path.is_file()), None)
        if text is None:
            raise Unknown("Python's licence was not found")
        return self._native("Python", version, "PSF-2.0", [text], purl)

    def _system(self, inner: str) -> Component:
        """Return the Debian package of a library that was taken from the system."""
        if not shutil.which("dpkg-query"):
            raise Unknown(f"{inner} comes from nowhere known")
        name = inner.rpartition("/")[2]
        asked = ["dpkg-query", "-S", f"*/{name}"]
        told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.splitlines()
        packages = {
            line.partition(":")[0] for line in told if re.search(r"/lib(/x86_64-linux-gnu|/aarch64-linux-gnu)?/", line)
        }
        if len(packages) != 1:
            raise Unknown(f"{inner} comes from nowhere known ({', '.join(sorted(packages)) or 'no Debian package'})")
        package = packages.pop()
        version = _debian_version(package)
        text = Path(f"/usr/share/doc/{package}/copyright")
        spdx = next((licence for start, licence in _DEBIAN.items() if package.startswith(start)), None)
        if spdx is None:
            raise Unknown(f"the licence of Debian's {package}, from which {inner} comes, is not known")
        purl = f"pkg:deb/debian/{package}@{version}"
        return self._keep(Component(package, version, "native", spdx, purl, [text]))

    def _native(self, name: str, version: str, licence: str, texts: list[Path], purl: str) -> Component:
        purl = f"{purl}@{version}" if version else purl
        return self._keep(Component(name, version, "native", licence, purl, list(texts)))

    def _data(self, name: str, version: str, licence: str, text: Path) -> Component:
        return self._keep(Component(name, version, "data", licence, "", [text]))

    def _copy_in(self, package: str) -> str:
        """Return the version to name where nothing tells it."""
        return f"as in {package} {self._distributions[package].version}"

    def _inside_version(self, component: Component, told_by: str) -> str:
        for file in component.files:
            path = self.bundle / file
            if told_by and path.is_file() and (found := re.search(told_by.encode(), path.read_bytes())):
                return found[1].decode()
        return f"as in {component.name} {component.version}"

    def _add_inside(self, component: Component) -> None:
        for name, licence, told_by in _INSIDE.get(component.name, []):
            version = self._inside_version(component, told_by)
            inner = Component(f"{name} (in {component.name})", version, "native", licence, "", list(component.texts))
            component.inside.append(self._keep(inner).key)
        if component.kind != "python":
            return
        distribution = self._distributions[_canonical(component.name)]
        for file in distribution.files or ():
            if re.search(r"\.dist-info/sboms/.*\.json$", str(file)):
                told = json.loads(Path(str(distribution.locate_file(file))).read_text("utf-8"))
                for crate in told.get("components", []):
                    if crate.get("purl", "").startswith("pkg:cargo/"):
                        component.inside.append(self._crate(crate, component).key)

    def _crate(self, crate: dict[str, object], owner: Component) -> Component:
        licences = crate.get("licenses") or []
        assert isinstance(licences, list)
        words = [entry.get("expression") or entry.get("license", {}).get("id") for entry in licences]
        licence = " AND ".join(word for word in words if word) or "NOASSERTION"
        name, version = str(crate["name"]), str(crate["version"])
        purl = str(crate["purl"]).partition("?")[0]
        return self._keep(Component(name, version, "crate", licence, purl, [TEXTS / "Apache-2.0.txt", *owner.texts]))


# Debian's packages whose libraries may come along (contents.py), by how their names begin.
_DEBIAN = {
    "libbz": "bzip2-1.0.6",
    "libexpat": "MIT",
    "libffi": "MIT",
    "liblzma": "0BSD",
    "libssl": "Apache-2.0",
    "libuuid": "BSD-3-Clause",
    "libxcb-cursor": "MIT",
    "libxcb-icccm": "MIT",
    "libxcb-image": "MIT",
    "libxcb-keysyms": "MIT",
    "libxcb-render-util": "MIT",
    "libxcb-util": "MIT",
    "libxkbcommon": "MIT",
}


def _debian_version(package: str) -> str:
    form = ["dpkg-query", "-W", "-f", "${Version}", package]
    return subprocess.run(form, capture_output=True, text=True, check=True).stdout


def debian_packages(components: list[Component]) -> list[str]:
    """Return the names of the Debian packages whose libraries are in the bundle."""
    return [found[1] for c in components if (found := re.match(r"pkg:deb/debian/([^@]+)@", c.purl))]


def modules(bundle: Path) -> list[str]:
    """Return the names of the modules frozen into the program file."""
    from PyInstaller.archive.readers import CArchiveReader

    program = next(p for p in (bundle / contents.NAME, bundle / f"{contents.NAME}.exe") if p.is_file())
    archive = CArchiveReader(str(program))
    inner = archive.open_embedded_archive(next(name for name in archive.toc if name.lower().endswith(".pyz")))
    return sorted({*inner.toc, *(name for name in archive.toc if "." not in name)} - {"struct"})


def write_licences(components: list[Component], folder: Path) -> None:
    """Write the texts of all licences, one folder per component, and a list of them."""
    shutil.rmtree(folder, ignore_errors=True)
    lines = [
        "SPLU Desktop and what comes with it: name, version, licence (SPDX).",
        "The texts lie in the folders beside this list. Qt, PySide6 (LGPL 3) and python-stdnum (LGPL 2.1) may be",
        "replaced by builds of your own; their sources are at https://download.qt.io, https://code.qt.io and",
        "https://arthurdejong.org/python-stdnum.",
        "",
    ]
    for component in components:
        lines.append(f"{component.name} {component.version}".rstrip() + f": {component.licence}")
        if component.kind == "crate" or not component.files:  # their texts are those of what they are part of
            continue
        own = folder / component.key
        own.mkdir(parents=True)
        for text in component.texts:
            name = (
                re.sub(r"^.*\.dist-info/(licenses/)?", "", text.as_posix()) if ".dist-info/" in str(text) else text.name
            )
            target = own / name.replace("/", "_")
            shutil.copyfile(text, target)
    (folder / "LICENCES.txt").write_text("\n".join(lines) + "\n", "utf-8")


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

"""What goes into the bundle and what stays out, with the reason for each.

Read by splu.spec, by the bill of materials and by the tests, so that the three can't disagree.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import facts
from facts import ROOT, version

NAME = "splu-desktop"
APP_ID = "io.github.splu_desktop.SPLUDesktop"
RELEASE_MIME = "application/x-splu-release"

# Modules that some library imports where it can, and that the program never uses. A test sees to it that nothing in
# splu_desktop imports one of them; the smoke test that no library misses them.
EXCLUDED_MODULES = [
    "PIL",  # 15 MB with its codecs
    "pandas",  # 60 MB: for splu_desktop.api, by which nobody asks a frozen program
    "pyarrow",  # 170 MB: Parquet, an optional extra
    "polars",
    "numba",
    "matplotlib",
    "IPython",
    "h5py",
    "cupy",
    "tkinter",
    "sqlite3",
    "curses",
    "readline",
    "ssl",  # see STAND_INS; hashes come from libcrypto alone
    "_ssl",
    "xmlrpc",
    "lib2to3",
    "pydoc_data",
    "setuptools",
    "pkg_resources",
    "pip",
    "pytest",
    "numpy.tests",
    "numpy.f2py",  # see STAND_INS
    # What narwhals, which pyreadstat imports, has for the data frames of others: we take plain lists.
    *(
        f"narwhals._{part}"
        for part in ("arrow", "dask", "duckdb", "ibis", "interchange", "pandas_like", "polars", "spark_like")
    ),
    # Qt for what the window does not do.
    "PySide6.QtNetwork",
    "PySide6.QtTest",
    "PySide6.QtDBus",
    "PySide6.QtOpenGL",  # see STAND_INS
    "PySide6.QtOpenGLWidgets",
    # SciPy beyond special functions, sparse matrices, graphs and optimisation; see STAND_INS.
    *(f"scipy.{part}" for part in ("cluster", "fft", "fftpack", "io", "linalg.interpolative", "misc", "odr", "signal")),
    "scipy.linalg._decomp_interpolative",
    "scipy.sparse.linalg._eigen",
    "scipy.sparse.linalg._propack",
    *(
        f"scipy.{part}"
        for part in ("datasets", "differentiate", "integrate", "interpolate", "ndimage", "spatial", "stats")
    ),
    "scipy.special.cython_special",
    *(f"pyqtgraph.{part}" for part in ("canvas", "console", "examples", "flowchart", "opengl")),
    "Cryptodome.Math",
    "Cryptodome.PublicKey",  # a ZIP with a password needs AES and HMAC
    "Cryptodome.SelfTest",
]

# Modules imported by their names, which no analysis follows: national numbers of persons, and of the program's own all
# but those that need what stays out.
_FORMS = tomllib.loads((ROOT / "resources/roles/forms.toml").read_text("utf-8"))
_NUMBERS = (ROOT / "splu_desktop/core/roles/numbers.py").read_text("utf-8")
HIDDEN_MODULES = [f"stdnum.{name}" for name in _FORMS["numbers"]["modules"].split()]
HIDDEN_MODULES += [f"stdnum.{name}" for name in re.findall(r'_check\("(\w+)"\)', _NUMBERS)]
_OPTIONAL = ("splu_desktop.api", "splu_desktop.cluster", "splu_desktop.files.large.")
_OWN = (".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("splu_desktop/**/[a-z]*.py"))
HIDDEN_MODULES += sorted(name for name in _OWN if not name.startswith(_OPTIONAL))

# Empty modules in the place of what a library imports and never uses: name -> file.
STAND_INS = {path.stem: str(path) for path in sorted((ROOT / "packaging/stand_ins").glob("*.py"))}

# Shared libraries of the system that come along, since a PC without them can't be asked to install any. What is not
# named here is left to the system: drivers for its graphics need its own libstdc++ and libX11, not ours.
_OWN_LIBRARIES = {
    "libbz2",
    "libcrypto",
    "libffi",
    "liblzma",
    "libuuid",
    "libxcb-cursor",
    "libxcb-icccm",
    "libxcb-image",
    "libxcb-keysyms",
    "libxcb-render-util",
    "libxcb-util",
    "libxkbcommon",  # whose insides libxkbcommon-x11 knows: one of another version makes it crash
    "libxkbcommon-x11",
}
_PLUGINS = {
    "iconengines": {"qsvgicon"},
    "imageformats": {"qsvg"},
    "platforms": {"qxcb", "qwayland", "qoffscreen", "qminimal", "qwindows", "qcocoa"},
    "platforminputcontexts": {"composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"},
    "platformthemes": {"qxdgdesktopportal"},
    "printsupport": {"cupsprintersupport"},
    "styles": set(),
    "wayland-decoration-client": {"bradient", "adwaita"},
    "wayland-graphics-integration-client": set(),  # for OpenGL alone
    "wayland-shell-integration": {"xdg-shell"},
    "xcbglintegrations": {"qxcb-egl-integration", "qxcb-glx-integration"},
}
_QT_LANGUAGES = {"de", "fr"}
_LEFT_OUT = re.compile(
    r"""
    ^PySide6/(Qt/lib/)?(lib)?Qt6(EglF[Ss]|OpenGL|Test|Network|Pdf|Qml|Quick|VirtualKeyboard)\w*
    | ^(lib)?Qt6(EglF[Ss]|OpenGL|Test|Network|Pdf|Qml|Quick|VirtualKeyboard)\w*\.so  # the links to them
    | ^PySide6/QtOpenGL(Widgets)?\.
    | ^PySide6/opengl32sw\.dll$            # 20 MB to draw OpenGL without a graphics card; we draw none
    | ^pyqtgraph/(icons|colors/maps|examples|canvas|flowchart|console)/
    | ^(numpy|scipy)/.*/tests/
    | ^Cryptodome/(Math|PublicKey|SelfTest)/
    | ^scipy/special/cython_special\. | ^scipy/linalg/_decomp_interpolative\.
    | ^scipy/sparse/linalg/(_eigen/|_propack\.)
    | ^(?!rustpy_xlsxwriter)[^/]+\.dist-info/   # asked by none but one of itself; the licences are kept apart
    | ^scipy/(fft|fftpack|integrate|interpolate|ndimage|spatial|stats)/
    | ^numpy/random/lib/ | \.(pyi|pxd|pyx|c|h|a|lib)$
    """,
    re.VERBOSE,
)


def compiled_parts(library: str) -> list[str]:
    """Return the modules beside a library's own that its compiled ones share."""
    names = (Path(file).name for file in distribution(library).files or ())
    return [name.partition(".")[0] for name in names if "__mypyc." in name]


def datas() -> list[tuple[str, str]]:
    """Return what comes along beside the code: (where it is, folder in the bundle)."""
    kept = [
        path for path in sorted((ROOT / "resources").iterdir()) if path.suffix != ".py" and path.name[0] not in "._"
    ]
    place = "splu_desktop/resources"
    return [(str(path), f"{place}/{path.name}" if path.is_dir() else place) for path in kept]


def keep(name: str, *, from_system: bool = False) -> bool:
    """Whether a file belongs in the bundle.

    Parameters
    ----------
    name : its path in the bundle.
    from_system : whether it was found among the libraries of the machine that builds.
    """
    name = name.replace("\\", "/")
    file = name.rpartition("/")[2]
    if _LEFT_OUT.search(name):
        return False
    if "/translations/" in name and name.startswith("PySide6/"):
        return bool(re.fullmatch(rf"qtbase_({'|'.join(_QT_LANGUAGES)})\.qm", file))
    plugin = re.search(r"^PySide6/(?:Qt/)?plugins/([^/]+)/(?:lib)?([^/]+?)\.(?:so|dll|dylib)$", name)
    if plugin:
        return plugin[2] in _PLUGINS.get(plugin[1], set())
    if from_system and sys.platform.startswith("linux"):
        return file.partition(".so")[0] in _OWN_LIBRARIES or file.startswith("libpython3")
    return True


Entry = tuple[str, str, str]  # path in the bundle, where it is now (of a link: what it points at), kind


def chosen(*lists: list[Entry]) -> list[list[Entry]]:
    """Return PyInstaller's lists of files without what stays out, in an order that is always the same."""
    lists_kept = [
        sorted(
            entry
            for entry in entries
            if keep(entry[0], from_system=entry[1].startswith(("/lib", "/usr/lib")) and "/" not in entry[0])
        )
        for entries in lists
    ]
    there = {target for entries in lists_kept for target, _, _ in entries}
    # A link whose target was left out goes too.
    return [
        [
            (target, source, kind)
            for target, source, kind in entries
            if kind != "SYMLINK" or os.path.normpath(Path(target).parent / source) in there
        ]
        for entries in lists_kept
    ]


def windows_version(name: str) -> Any:
    """Return what Windows shows about a program file under Properties."""
    from PyInstaller.utils.win32 import versioninfo as win

    number = (*facts.numbers(version()), 0)
    told = {
        "CompanyName": facts.publisher()["publisher"],
        "FileDescription": "SPLU Desktop" if name == NAME else "SPLU Desktop, command line",
        "FileVersion": version(),
        "InternalName": name,
        "LegalCopyright": "MIT licence",
        "OriginalFilename": f"{name}.exe",
        "ProductName": "SPLU Desktop",
        "ProductVersion": version(),
    }
    strings = [win.StringStruct(key, value) for key, value in told.items()]
    return win.VSVersionInfo(
        ffi=win.FixedFileInfo(filevers=number, prodvers=number),
        kids=[
            win.StringFileInfo([win.StringTable("040904B0", strings)]),
            win.VarFileInfo([win.VarStruct("Translation", [1033, 1200])]),
        ],
    )


def mac_info() -> dict[str, Any]:
    """Return the additions to Info.plist: what the Finder shows, and which files open with the program."""
    return {
        "CFBundleName": "SPLU Desktop",
        "CFBundleDisplayName": "SPLU Desktop",
        "CFBundleShortVersionString": ".".join(map(str, facts.numbers(version()))),
        "CFBundleVersion": ".".join(map(str, facts.numbers(version()))),
        "LSMinimumSystemVersion": "13.0",
        "LSApplicationCategoryType": "public.app-category.medical",
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": "MIT licence",
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "SPLU Desktop release",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Owner",
                "LSItemContentTypes": [f"{APP_ID}.release"],
            },
        ],
        "UTExportedTypeDeclarations": [
            _mac_type("release", "SPLU Desktop release", RELEASE_MIME, "splurelease", "public.zip-archive"),
        ],
    }


def _mac_type(name: str, words: str, mime: str, ending: str, kind: str) -> dict[str, Any]:
    return {
        "UTTypeIdentifier": f"{APP_ID}.{name}",
        "UTTypeDescription": words,
        "UTTypeConformsTo": [kind],
        "UTTypeTagSpecification": {"public.filename-extension": [ending], "public.mime-type": [mime]},
    }

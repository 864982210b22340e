"""However a run of `splu` ends, it ends by itself: with its own status, one sentence, and nothing unfinished."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from splu_desktop.core.errors import out_of_memory
from splu_desktop.files.disk.leftovers import MARK
from splu_desktop.files.disk.whole_files import whole_folder
from splu_desktop.files.register import Register
from splu_desktop.files.release.facts import BadRelease
from splu_desktop.files.release.package import open_package
from tests.end2end.hospital import hospital, write

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither these signals nor limits of memory")
_RUN = "import sys; from splu_desktop.cli.main import main; raise SystemExit(main())"
_PLAN = (
    *("--sa", "diagnosis", "--nsa", "sex,ward", "--drop", "age,patient_id,smoker", "--person", "none"),
    *("--gamma", "3", "--accept-all", "A test of endings"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
    write(hospital(600), tmp_path / "source.csv")
    return tmp_path


def _left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith((MARK, "r"))]


# Publishes, and sends itself the signal: once the table is written, when the folder is there and not yet a release, or
# while another program holds the register. With "dropped" it is told within a callback, where Python drops what a
# handler raises and the work goes on.
_STOPS_ITSELF = """
import os, signal, sys, threading
from filelock import FileLock
from splu_desktop.files.register import ledger
from splu_desktop.files.release import folder as release
number, when = int(sys.argv.pop(1)), sys.argv.pop(1)
# A run under nohup, or in the background of a shell, ignores some, and so does splu, rightly.
signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
write = release.write_table
ledger._WAIT = 3600.0  # so that no other end comes first
folder = ledger.Register().folder
folder.mkdir(parents=True)
other = FileLock(folder / ledger._LOCK, thread_local=False)
class LetGo:
    def __del__(self):
        os.kill(os.getpid(), number)
def and_stop(*args, **more):
    digest = write(*args, **more)
    match when:
        case "dropped":
            LetGo()
            while True:
                pass
        case "the entry waits":
            other.acquire()
            threading.Timer(1.0, os.kill, (os.getpid(), number)).start()
        case "at once":
            os.kill(os.getpid(), number)
    return digest
release.write_table = and_stop
from splu_desktop.cli.main import main
raise SystemExit(main())
"""


@posix
@pytest.mark.parametrize(("name", "when"), [("TERM", "at once"), ("HUP", "the entry waits"), ("INT", "dropped")])
def test_a_signal_cancels_whole(folder: Path, name: str, when: str) -> None:
    number = getattr(signal, f"SIG{name}")
    given = ["publish", str(folder / "source.csv"), *_PLAN, "--out", str(folder / "r")]
    command = [sys.executable, "-c", _STOPS_ITSELF, str(int(number)), when, *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 128 + number, done.stderr
    assert done.stderr == "splu: stopped; nothing unfinished was left behind.\n"
    assert _left(folder) == []
    assert Register().releases() == ()


_WINDOW_STOPPED = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from splu_desktop.files.disk.whole_files import whole_folder
from splu_desktop.gui.shell import app
number, target = int(sys.argv[1]), Path(sys.argv[2])
def work(progress):
    with whole_folder(target) as partial:
        (partial / "table.csv").write_text("half")
        os.kill(os.getpid(), number)
        while True:
            progress.report("Writing", 0.5)
make = app.make_window
def made():
    window = make()
    QTimer.singleShot(50, lambda: window.work.start(work))
    return window
app.make_window = made
raise SystemExit(app.run())
"""


@posix
def test_a_signal_stops_the_window_whole(folder: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(folder)}
    command = [sys.executable, "-c", _WINDOW_STOPPED, str(int(signal.SIGTERM)), str(folder / "r")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert done.returncode == 143, done.stderr
    assert _left(folder) == []


def test_no_thread_outlives_the_interpreter() -> None:
    """A thread of the `daemon` kind runs on while modules are taken down, and then ends the process by a signal."""
    root = Path(__file__).parents[2] / "splu_desktop"
    found = [
        path.name
        for path in root.rglob("*.py")
        if "daemon" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.keyword) and node.arg == "daemon")
        or (isinstance(node, ast.Attribute) and node.attr in ("daemon", "setDaemon"))
    ]
    assert found == []


@posix
def test_unfinished_work_is_private_and_no_release(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "r") as partial:
        assert partial.parent.stat().st_mode & 0o077 == 0
        (partial / "release.json").write_text("{}")
        for place in (partial, partial.parent):
            with pytest.raises(BadRelease, match="unfinished"):
                open_package(place)
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "r").stat().st_mode & 0o077 == 0o077 & ~mask, "what is finished has the user's usual rights"


@posix
@pytest.mark.parametrize("megabytes", [64, 4_000])
def test_publishing_under_a_limit_of_memory(folder: Path, megabytes: int) -> None:
    """Whatever the limit, the program itself says that it is too low."""
    import resource  # Windows has none

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    done = subprocess.run(
        [sys.executable, "-c", _RUN, "publish", str(folder / "source.csv"), *_PLAN, "--out", str(folder / "r")],
        capture_output=True, text=True, check=False, preexec_fn=limit,
    )  # fmt: skip
    assert done.returncode == (0 if megabytes > 1_000 else 2), done.stderr
    assert (done.returncode == 0) == (folder / "r").exists()
    if done.returncode:
        assert done.stderr == "splu: There is not enough memory for this table; try on a larger computer.\n"
    assert not [name for name in _left(folder) if name.startswith(MARK)]


def test_what_says_that_memory_is_short() -> None:
    assert out_of_memory(MemoryError())
    assert out_of_memory(RuntimeError("can't start new thread"))
    assert out_of_memory(ImportError("libz.so.1: failed to map segment from shared object"))
    assert not out_of_memory(ImportError("no module named x"))
    assert not out_of_memory(ValueError("Cannot allocate memory of a column"))


@posix
@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", ">/dev/full 2>/dev/full"])
def test_closed_and_full_outputs(folder: Path, closed: str) -> None:
    command = f"'{sys.executable}' -c '{_RUN}' inspect '{folder / 'source.csv'}' {closed}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS knows no such names")
@pytest.mark.parametrize(("of", "encoding"), [("source", "ascii"), ("target", "latin-1")])
def test_names_that_no_encoding_has(folder: Path, of: str, encoding: str) -> None:
    """A file's name of bytes that are no UTF-8, printed, registered and published to."""
    name = b"caf\xe9 \xe2\x82\xac"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C.UTF-8"}
    target = os.fsencode(folder / "r") + (b"" if of == "source" else name)
    source = folder / ("source.csv" if of == "target" else os.fsdecode(name) + ".csv")
    if of == "source":
        (folder / "source.csv").rename(source)
    command = [sys.executable, "-c", _RUN, "publish", source, *_PLAN, "--out", target]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode in (0, 2), done.stderr
    assert (done.returncode == 0) == Path(os.fsdecode(target)).exists()
    assert b"Something went wrong" not in done.stderr
    assert Register().read().faults == ()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a screen")
@pytest.mark.parametrize(
    ("screen", "why"), [(None, "no DISPLAY is set"), (":4321", "could not connect to display|libxcb-cursor0")]
)
def test_a_window_without_a_screen_says_so_in_one_sentence(screen: str | None, why: str) -> None:
    gone = {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"}
    environment = {name: value for name, value in os.environ.items() if name not in gone}
    environment |= {"DISPLAY": screen} if screen else {}
    command = [sys.executable, "-m", "splu_desktop", "--until-idle"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("splu-desktop: The window finds no screen to open on (")
    assert re.search(why, line)
    assert line.endswith("start it in a desktop session, or use the command line “splu”.")


def test_an_unforeseen_fault_shows_no_traceback_and_no_value(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from splu_desktop.cli import main  # its module starts nothing that the tests above need

    def broken(*_: object, **__: object) -> None:
        raise ValueError("could not convert string to float: 'HIV'")

    monkeypatch.setattr("splu_desktop.core.sanitise.permutation", broken)
    assert main(["publish", str(folder / "source.csv"), *_PLAN, "--out", str(folder / "r")]) == 1
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "HIV" not in err
    assert "ValueError in core/sanitise.py" in err
    assert _left(folder) == []


def test_the_command_line_imports_neither_qt_nor_the_network_nor_what_it_never_uses(folder: Path) -> None:
    code = (
        "import sys; from splu_desktop.cli import main\n"
        "status = main(sys.argv[1:])\n"
        "bad = {m.split('.')[0] for m in sys.modules} & {'PySide6', 'pyqtgraph', 'ssl', 'pandas', 'pytest'}\n"
        "assert not bad and not {'scipy.stats', 'numpy.ma'} & set(sys.modules), bad\nsys.exit(status)"
    )
    command = [sys.executable, "-c", code, "publish", str(folder / "source.csv"), *_PLAN, "--out", str(folder / "r")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr


def test_a_count_loads_only_what_it_needs_and_takes_the_digest_begun_meanwhile(folder: Path) -> None:
    code = (
        "import sys; from splu_desktop.cli import main; from splu_desktop.files.release import package\n"
        "package.sha256_of = None; status = main(sys.argv[1:])\n"
        "bad = {'tempfile', 'tomllib', 'platformdirs', 'cryptography', 'pyzipper', 'scipy', 'pyarrow', 'pandas',\n"
        "       'splu_desktop.files.importer.columns.number_texts', 'splu_desktop.core.policy'} & set(sys.modules)\n"
        "assert not bad, bad\nsys.exit(status)"
    )
    root, release = Path(__file__).parents[2], str(folder / "r")
    publish = [sys.executable, "-c", _RUN, "publish", str(folder / "source.csv"), *_PLAN, "--out", release]
    subprocess.run(publish, check=True, capture_output=True, cwd=root)
    done = subprocess.run([sys.executable, "-c", code, "query", release], capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr

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
from splu_desktop.core.progress import Watched
from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.disk.whole import whole_folder
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.facts import BadRelease
from splu_desktop.files.release.package import open_package
from splu_desktop.files.tables.table_writers import write_csv
from tests.end2end.stopped_runs import one_run
from tests.files.releases import awkward_table

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither these signals nor limits of memory")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
    write_csv(awkward_table(), tmp_path / "source.csv", Watched(lambda stage, done: None))
    return tmp_path


def _left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith((MARK, "r"))]


# Publishes, and sends itself the signal: once the table is written, when the folder is there and not yet a release;
# when one block of several is drawn; while another program holds the register, at the gate and when the entry is due.
# With "dropped" it is told within a callback, where Python drops what a handler raises and the work goes on.
_STOPS_ITSELF = """
import os, signal, sys, threading
from filelock import FileLock
from splu_desktop.core.groups import blocks
from splu_desktop.files.disk.storage import LEAST, OnDisk
from splu_desktop.files.importer import reader
from splu_desktop.files.register import book
from splu_desktop.files.release import folder as release
number, when = int(sys.argv.pop(1)), sys.argv.pop(1)
# A run under nohup, or in the background of a shell, ignores some, and so does splu, rightly.
signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
write, members = release.write_readme, blocks.members
register = book.Register()
register.check_writable()
book._PATIENCE = 3600.0  # so that no other end comes first
other = FileLock(register.folder / "lock", thread_local=False)
class LetGo:
    def __del__(self):
        os.kill(os.getpid(), number)
def hold():
    other.acquire()
    threading.Timer(1.0, os.kill, (os.getpid(), number)).start()
def and_stop(*args, **more):
    write(*args, **more)
    match when:
        case "dropped":
            LetGo()
            while True:
                pass
        case "the entry waits":
            hold()
        case "at once":
            os.kill(os.getpid(), number)
def and_stop_there(*args, **more):
    for at in members(*args, **more):
        yield at
        os.kill(os.getpid(), number)
release.write_readme = and_stop
if when == "the gate waits":
    hold()
elif when == "in blocks":
    reader._storage = lambda *_: OnDisk(LEAST)
    blocks.RECORDS, blocks._GROUPS, blocks.members = 100, 4, and_stop_there
from splu_desktop.cli.main import main
raise SystemExit(main())
"""


@posix
@pytest.mark.parametrize("when", ["at once", "dropped", "in blocks", "the gate waits", "the entry waits"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_cancels_whole(folder: Path, name: str, when: str) -> None:
    number = getattr(signal, name)
    command = [sys.executable, "-c", _STOPS_ITSELF, str(int(number)), when, "publish", str(folder / "source.csv"),
               "--sa", "illness:4", "--out", str(folder / "r")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 128 + number, done.stderr
    assert done.stderr == "splu: stopped; nothing unfinished was left behind.\n"
    assert _left(folder) == []
    assert Register().read().releases == ()


_WINDOW_STOPPED = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from splu_desktop.files.disk.whole import whole_folder
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
    QTimer.singleShot(50, lambda: window.tasks.run("publish", work))
    return window
app.make_window = made
raise SystemExit(app.run())
"""


@posix
def test_a_signal_stops_the_window_whole(folder: Path) -> None:
    pytest.importorskip("PySide6")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(folder)}
    command = [sys.executable, "-c", _WINDOW_STOPPED, str(int(signal.SIGTERM)), str(folder / "r")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert done.returncode == 143, done.stderr
    assert _left(folder) == []


@posix
def test_refused_and_stopped_runs_end_with_their_own_status(folder: Path) -> None:
    """A few; `python -m tests.end2end.stopped_runs` tries hundreds."""
    assert one_run(folder, 0, None, refused=True)[0] == 2
    for number in range(2):
        assert one_run(folder, number, 0.2 * number, refused=False)[0] in (0, 143, 129, 130)
    assert not [name for name in _left(folder) if name.startswith(MARK)]


def test_no_thread_outlives_the_interpreter() -> None:
    """A thread of the `daemon` kind runs on while modules are taken down, and then ends the process by a signal."""
    root = Path(__file__).parents[2] / "splu_desktop"
    found = [
        path.name
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.keyword) and node.arg == "daemon")
        or (isinstance(node, ast.Attribute) and node.attr in ("daemon", "setDaemon"))
    ]
    assert found == []


@posix
def test_unfinished_work_is_private_and_no_release(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "r") as partial:
        assert partial.parent.stat().st_mode & 0o077 == 0
        (partial / "release.json").write_text("{}")
        with pytest.raises(BadRelease, match="unfinished"):
            open_package(partial)
        with pytest.raises(BadRelease, match="unfinished"):
            open_package(partial.parent)
    assert (tmp_path / "r").stat().st_mode & 0o077 == 0o077 & ~_umask(), "what is finished has the user's usual rights"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@posix
@pytest.mark.parametrize("megabytes", [64, 256, 660, 720, 2_000])
def test_publishing_under_a_limit_of_memory(folder: Path, megabytes: int) -> None:
    """Twenty limits were tried when this was made; whatever the limit, the program itself says that it is too low."""
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    code = "import sys; from splu_desktop.cli.main import main; raise SystemExit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "publish", str(folder / "source.csv"), "--sa", "illness:4", "--xlsx",
         "--out", str(folder / "r")],
        capture_output=True, text=True, check=False, preexec_fn=limit,
    )  # fmt: skip
    assert done.returncode in (0, 2)
    assert ("Published" in done.stdout) == (done.returncode == 0) == (folder / "r").exists()
    if done.returncode:
        assert done.stderr == "splu: There is not enough memory for this table; try on a larger computer.\n"
    assert (megabytes < 500) <= (done.returncode == 2)
    assert not [name for name in _left(folder) if name.startswith(MARK)]


def test_what_says_that_memory_is_short() -> None:
    assert out_of_memory(MemoryError())
    assert out_of_memory(RuntimeError("can't start new thread"))
    assert out_of_memory(ImportError("libz.so.1: failed to map segment from shared object"))
    assert not out_of_memory(ImportError("no module named x"))
    assert not out_of_memory(ValueError("Cannot allocate memory of a column"))


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"])
def test_closed_and_full_outputs(folder: Path, closed: str) -> None:
    code = "import sys; from splu_desktop.cli.main import main; raise SystemExit(main())"
    command = f"'{sys.executable}' -c '{code}' inspect '{folder / 'source.csv'}' {closed}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@posix
@pytest.mark.parametrize(("of", "encoding"), [("source", "utf-8"), ("source", "ascii"), ("target", "latin-1")])
def test_names_that_no_encoding_has(folder: Path, of: str, encoding: str) -> None:
    """A file's name of bytes that are no UTF-8, printed, registered and published to."""
    name = b"caf\xe9 \xe2\x82\xac"
    if sys.platform == "darwin":
        pytest.skip("macOS knows no such names")
    code = "import sys; from splu_desktop.cli.main import main; raise SystemExit(main())"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C.UTF-8"}
    target = os.fsencode(folder / "r") + (b"" if of == "source" else name)
    source = folder / ("source.csv" if of == "target" else os.fsdecode(name) + ".csv")
    if of == "source":
        (folder / "source.csv").rename(source)
    command = [sys.executable, "-c", code, "publish", source, "--sa", "illness:4", "--out", target]
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
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stdout == ""
    (line,) = told.stderr.splitlines()
    assert line.startswith("splu-desktop: The window finds no screen to open on (")
    assert re.search(why, line)
    assert line.endswith("start it in a desktop session, or use the command line “splu”.")

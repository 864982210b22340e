"""What a command does not need it does not import: each of these libraries costs every start up to half a second."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_LARGE = {"numpy", "scipy", "pandas", "pyarrow", "openpyxl", "PySide6", "pyqtgraph", "fpdf", "fontTools", "PIL"}
_SMALL = {"pyreadstat", "pyzipper", "python_calamine", "rustpy_xlsxwriter", "Cryptodome", "charset_normalizer"}
_SOURCE = "sex,age,diagnosis\n" + "".join(
    f"{'fm'[i % 2]},{20 + i % 49},{['flu', 'cold', 'asthma', 'gout', 'none'][i * 7 % 5]}\n" for i in range(400)
)


def imported(*command: str | Path) -> set[str]:
    """Return which of the libraries a command line brings along; it must end well."""
    code = (
        "import sys\nfrom splu_desktop.cli import main\n"
        "try:\n    status = main()\nexcept SystemExit as end:\n    status = end.code\n"
        "print(status or 0, *{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    told = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    status, *names = told.stderr.splitlines()[-1].split()
    assert status == "0", told.stderr
    assert "splu_desktop" in names
    return set(names) & (_LARGE | _SMALL)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start")
    (folder / "t.csv").write_text(_SOURCE, encoding="utf-8")
    # The release itself is the test of publishing.
    assert imported("publish", folder / "t.csv", "--sa", "diagnosis:4", "--out", folder / "r") == {"numpy"}
    return folder / "r"


def test_the_version_needs_no_library() -> None:
    assert imported("--version") == set()


def test_commands_over_text_need_numpy_alone(release: Path) -> None:
    source = release.parent / "t.csv"
    for command in (
        ("inspect", source),
        ("query", release, "sex=f", "diagnosis=flu", "--no-bootstrap"),
        ("crosstab", release, "--by", "sex", "--sa", "diagnosis"),
    ):
        assert imported(*command) <= {"numpy", "scipy"}, command
    assert imported("query", release, "sex=f", "diagnosis=flu", "--no-bootstrap") == {"numpy"}


@pytest.mark.parametrize("entry", ["splu_desktop.cli", "splu_desktop.__main__"])
@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("3", "3")])
def test_matrices_stay_on_one_thread_unless_told_otherwise(entry: str, before: str | None, after: str) -> None:
    # NumPy reads the variable when it is loaded, so that it has to stand before: four times the time of a report.
    code = (
        f"import os, sys\nfrom {entry} import main\nassert 'numpy' not in sys.modules\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if before is not None:
        environment["OPENBLAS_NUM_THREADS"] = before
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert told.stdout.split()[-1] == after



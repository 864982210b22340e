"""What stops pip is told in one sentence, with pip itself failing; and a wheelhouse installs without any network."""

from __future__ import annotations

import importlib
import os
import shutil
import socketserver
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-input", "--retries", "1"]


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    for name in [name for name in os.environ if name.startswith(("PIP_", "HTTP", "http", "ALL_PROXY", "all_proxy"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SPLU_COMMAND", "./start")  # ./check, which runs this, names itself
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.delitem(sys.modules, "setup", raising=False)
    module = importlib.import_module("setup")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "WHEELHOUSE", tmp_path / "wheelhouse")
    monkeypatch.setitem(sys.modules, "setup", module)
    return module


def wheel(folder: Path) -> Path:
    """A package of one module."""
    folder.mkdir(exist_ok=True)
    path = folder / "splu_probe-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("splu_probe.py", "")
        facts = "splu_probe-1.0.dist-info"
        packed.writestr(f"{facts}/METADATA", "Metadata-Version: 2.1\nName: splu-probe\nVersion: 1.0\n")
        packed.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{facts}/RECORD", "")
    return path


@pytest.fixture
def answering() -> Iterator[Callable[[bytes], str]]:
    """Return a function that starts a server which answers everything the same, and returns its address."""
    servers = []

    def serve(answer: bytes) -> str:
        class Answer(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.rfile.readline()
                self.wfile.write(answer)

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"127.0.0.1:{server.server_address[1]}"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def refusal(setup: ModuleType, *arguments: str) -> str:
    with pytest.raises(setup.SetupFailed) as failure:
        setup.told([*PIP, *arguments], 1)
    told = str(failure.value).strip()
    assert "\n" not in told
    return told


def test_an_index_out_of_reach(setup: ModuleType) -> None:
    told = refusal(setup, "--index-url", "https://127.0.0.1:9/simple", "splu-probe")
    assert told.startswith("The package index can't be reached")
    assert "HTTPS_PROXY=http://HOST:PORT ./start" in told
    assert "PIP_INDEX_URL" in told
    assert "wheelhouse.py" in told


def test_a_proxy_that_asks_who_one_is(setup: ModuleType, answering: Callable[[bytes], str]) -> None:
    proxy = answering(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
    told = refusal(setup, "--proxy", f"http://{proxy}", "--index-url", "https://127.0.0.1:9/simple", "splu-probe")
    assert told.startswith("The proxy lets nothing through")
    assert "HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT ./start" in told


@pytest.mark.parametrize("proxy", ["proxy:abc", "socks5://127.0.0.1:1080"])
def test_a_proxy_that_pip_can_not_use(setup: ModuleType, proxy: str) -> None:
    told = refusal(setup, "--proxy", proxy, "--index-url", "https://127.0.0.1:9/simple", "splu-probe")
    assert told == (
        "The proxy is named in a way that pip can't use: an HTTP proxy is named HTTPS_PROXY=http://HOST:PORT ./start"
    )


def test_a_package_that_is_not_there_or_not_the_one_that_was_tested(setup: ModuleType, tmp_path: Path) -> None:
    found = wheel(tmp_path / "wheels")
    told = refusal(setup, "--no-index", "--find-links", str(found.parent), "splu-nothing==3")
    assert "splu-nothing==3 for Python " in told
    lock = tmp_path / "lock"
    lock.write_text(f"splu-probe==1.0 --hash=sha256:{'0' * 64}\n")
    told = refusal(setup, "--no-index", "--find-links", str(found.parent), "--require-hashes", "-r", str(lock))
    assert told.startswith("A package that arrived is not the one that was tested")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        # Of pip 23 to 25; these can't be brought about here without a certificate or a full disk.
        (
            "WARNING: Retrying (Retry(total=1)) after connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL:"
            " CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate in certificate chain"
            " (_ssl.c:992)'))': /simple/numpy/\nERROR: No matching distribution found for numpy==2.4.6",
            "PIP_CERT=/path/to/certificates.pem ./start",
        ),
        (
            "ERROR: Could not install packages due to an OSError: Could not find a suitable TLS CA certificate bundle,"
            " invalid path: /etc/no.pem",
            "There is no certificate file “/etc/no.pem”",
        ),
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'SSLError(SSLError(136, '[X509:"
            " NO_CERTIFICATE_OR_CRL_FOUND] no certificate or crl found (_ssl.c:4123)'))': /simple/six/\nCould not fetch"
            " URL https://pypi.org/simple/six/: There was a problem confirming the ssl certificate - skipping\n"
            "ERROR: No matching distribution found for six",
            "holds no certificate (PEM)",
        ),
        (
            "Could not fetch URL https://index/simple/six/: 403 Client Error - skipping\nERROR: HTTP error 403 while"
            " getting https://index/simple/six/\nERROR: No matching distribution found for six",
            "The package index can't be reached",
        ),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "The disk is full"),
        ("ERROR: something new\nERROR: the last word", "pip says: the last word"),
        ("without any mark", "pip says: without any mark"),
    ],
)
def test_what_pip_says_of_the_rest(setup: ModuleType, said: str, told: str) -> None:
    assert told in setup.reason(said)
    assert "\n" not in setup.reason(said)


def test_the_command_that_was_given_is_the_one_that_is_named(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPLU_COMMAND", "./check")
    assert "HOST:PORT ./check" in setup.reason("NewConnectionError")


def test_a_wheelhouse_carries_the_packages_to_where_no_network_is(
    setup: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = wheel(tmp_path / "index")
    digest = subprocess.run(
        [sys.executable, "-m", "pip", "hash", found], capture_output=True, text=True, check=True
    ).stdout.split("--hash=")[1]
    lock = tmp_path / "requirements-run.lock"
    lock.write_text(f"splu-probe==1.0 \\\n    --hash={digest}")
    monkeypatch.setitem(setup.LOCKS, "run", lock)
    monkeypatch.delitem(sys.modules, "wheelhouse", raising=False)
    wheelhouse = importlib.import_module("wheelhouse")
    monkeypatch.setattr(sys, "argv", ["wheelhouse.py", str(tmp_path / "carried.tar")])
    with monkeypatch.context() as online:  # a folder stands for the index
        online.setenv("PIP_NO_INDEX", "1")
        online.setenv("PIP_FIND_LINKS", str(found.parent))
        assert wheelhouse.main() == 0
    assert "1 packages" in capsys.readouterr().err
    shutil.rmtree(found.parent)
    with tarfile.open(tmp_path / "carried.tar") as carried:
        assert carried.getnames() == ["wheelhouse", f"wheelhouse/{found.name}"]
        carried.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    monkeypatch.setenv("PIP_INDEX_URL", "https://127.0.0.1:9/simple")  # which nobody may ask
    target = tmp_path / "installed"
    setup.told([*PIP, "--target", str(target), "--require-hashes", "-r", str(lock)], 1)
    assert (target / "splu_probe.py").is_file()
    told = capsys.readouterr().err
    assert "no network is used" in told
    assert "All 1 packages are here" in told


def test_a_wheelhouse_that_can_not_be_filled_says_why(
    setup: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lock").write_text(f"splu-probe==1.0 --hash=sha256:{'0' * 64}\n")
    monkeypatch.setitem(setup.LOCKS, "run", tmp_path / "lock")
    monkeypatch.delitem(sys.modules, "wheelhouse", raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(sys, "argv", ["wheelhouse.py", str(tmp_path / "carried.tar")])
    assert importlib.import_module("wheelhouse").main() == 1
    assert "do not include splu-probe==1.0" in capsys.readouterr().err
    assert not (tmp_path / "carried.tar").exists()

"""Writes the manifests that winget, Homebrew and Flathub ask for, of a folder with the installers of a release.

    python3 packaging/stores.py RELEASE     adds splu-desktop-VERSION-stores.zip to it

Names, addresses and texts come from resources/publisher.toml and the AppStream description, sums from the files.
Whoever publishes sends each manifest to its store by hand; docs/installers.md says where.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import facts

WINGET = "SPLUDesktop.SPLUDesktop"
APP_ID = "io.github.splu_desktop.SPLUDesktop"
PRODUCT_CODE = "{6B0B8E0C-5B0E-4B5C-9E57-2C9B6E1C7A41}_is1"  # Inno Setup's, from the AppId of the Windows installer


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _described() -> tuple[str, str]:
    """Return the summary and the first paragraph of the description."""
    source = (facts.ROOT / f"installer/linux/{APP_ID}.metainfo.xml.in").read_text("utf-8")
    told = ET.fromstring(source.encode())
    paragraph = " ".join((told.findtext("description/p") or "").split())
    return told.findtext("summary") or "", paragraph


def _yaml(data: dict[str, object]) -> str:
    """Return simple data as YAML, of which JSON is a part: one line per key."""
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in data.items())


def winget(version: str, setups: dict[str, Path]) -> dict[str, str]:
    """Return the three files of a winget manifest; `setups` by architecture."""
    own, (summary, words) = facts.publisher(), _described()
    silent = "/VERYSILENT /SUPPRESSMSGBOXES /NORESTART /SP-"
    installers = [
        {
            "Architecture": machine,
            "InstallerUrl": facts.download(version, path.name),
            "InstallerSha256": _sum(path).upper(),
            "Scope": scope,
            "InstallerSwitches": {"Custom": switch},
        }
        for machine, path in setups.items()
        for scope, switch in (("user", "/CURRENTUSER"), ("machine", "/ALLUSERS"))
    ]
    head: dict[str, object] = {"PackageIdentifier": WINGET, "PackageVersion": version}
    last: dict[str, object] = {"ManifestVersion": "1.6.0"}
    return {
        f"{WINGET}.yaml": _yaml({**head, "DefaultLocale": "en-US", "ManifestType": "version", **last}),
        f"{WINGET}.installer.yaml": _yaml(
            {
                **head,
                "InstallerType": "inno",
                "MinimumOSVersion": "10.0.17763.0",
                "UpgradeBehavior": "install",
                "Commands": ["splu", "splu-desktop"],
                "ProductCode": PRODUCT_CODE,
                "InstallerSwitches": {"Silent": silent, "SilentWithProgress": silent.replace("/VERYSILENT", "/SILENT")},
                "Installers": installers,
                "ManifestType": "installer",
                **last,
            }
        ),
        f"{WINGET}.locale.en-US.yaml": _yaml(
            {
                **head,
                "PackageLocale": "en-US",
                "Publisher": own["publisher"],
                "PublisherUrl": own["homepage"],
                "PackageName": "SPLU Desktop",
                "PackageUrl": own["homepage"],
                "License": "MIT",
                "ShortDescription": summary,
                "Description": words,
                "ManifestType": "defaultLocale",
                **last,
            }
        ),
    }


def homebrew(version: str, images: dict[str, Path]) -> str:
    """Return a Homebrew cask; `images` are the disk images by architecture, arm64 and x86_64."""
    address = facts.download("#{version}", f"splu-desktop-#{{version}}-macos-#{{arch}}{images['arm64'].suffix}")
    return f'''cask "splu-desktop" do
  arch arm: "arm64", intel: "x86_64"

  version "{version}"
  sha256 arm:   "{_sum(images["arm64"])}",
         intel: "{_sum(images["x86_64"])}"

  url "{address}"
  name "SPLU Desktop"
  desc "{_described()[0].rstrip(".")}"
  homepage "{facts.publisher()["homepage"]}"

  depends_on macos: ">= :ventura"

  app "SPLU Desktop.app"
  binary "#{{appdir}}/SPLU Desktop.app/Contents/MacOS/splu"

  zap trash: "~/Library/Preferences/com.splu-desktop.SPLU Desktop.plist"
end
'''


def flathub(version: str, archives: dict[str, Path]) -> dict[str, object]:
    """Return a Flatpak manifest that lays out the archives, by architecture, without any right to the network."""
    commands = [
        "mkdir -p /app/lib && cp -R splu-desktop /app/lib/splu-desktop",
        "cp -R share/. /app/share/",
        f"mv /app/share/mime/packages/splu-desktop.xml /app/share/mime/packages/{APP_ID}.xml",
        "mkdir -p /app/bin && for n in splu splu-desktop; do ln -s ../lib/splu-desktop/$n /app/bin/$n; done",
    ]
    return {
        "app-id": APP_ID,
        "runtime": "org.freedesktop.Platform",
        "runtime-version": "25.08",
        "sdk": "org.freedesktop.Sdk",
        "command": "splu-desktop",
        "rename-desktop-file": "splu-desktop.desktop",
        "rename-icon": "splu-desktop",
        "finish-args": ["--share=ipc", "--socket=fallback-x11", "--socket=wayland", "--filesystem=home"],
        "modules": [
            {
                "name": "splu-desktop",
                "buildsystem": "simple",
                "build-commands": commands,
                "sources": [
                    {
                        "type": "archive",
                        "url": facts.download(version, path.name),
                        "sha256": _sum(path),
                        "only-arches": [machine],
                    }
                    for machine, path in archives.items()
                ],
            }
        ],
    }


def write(release: Path) -> Path:
    """Write all of them into one archive in the folder. Returns it."""
    setups = {p.name.removesuffix("-setup.exe").rpartition("-")[2]: p for p in sorted(release.glob("*-setup.exe"))}
    images = {p.stem.rpartition("-")[2]: p for p in sorted(release.glob("*.dmg"))}
    archives = {p.name.removesuffix(".tar.xz").rpartition("-")[2]: p for p in sorted(release.glob("*.tar.xz"))}
    found = re.match(r"splu-desktop-(.+)-windows-", next(iter(setups.values())).name if setups else "")
    if found is None:
        raise SystemExit(f"No Windows setup is in {release}.")
    version = found[1]
    files = {f"winget/{version}/{name}": text for name, text in winget(version, setups).items()}
    if {"arm64", "x86_64"} <= set(images):
        files["homebrew/splu-desktop.rb"] = homebrew(version, images)
    files[f"flathub/{APP_ID}.json"] = json.dumps(flathub(version, archives), indent=2) + "\n"
    target = release / f"splu-desktop-{version}-stores.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
    return target


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))

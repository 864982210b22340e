#!/bin/sh
# Builds the macOS program, its disk image (to drag the program out of) and its package (for device management, for all
# users, with `splu` in /usr/local/bin). On a Mac with Python 3.11 or newer and the command line tools:
#   installer/macos/build.sh [OUT]
# To sign and notarise, set SPLU_MAC_IDENTITY ("Developer ID Application: ..."), SPLU_MAC_INSTALLER_IDENTITY ("Developer ID
# Installer: ...") and SPLU_MAC_PROFILE (a profile of `xcrun notarytool store-credentials`); without them both are built
# unsigned and it says so.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/dist}
mkdir -p "$out/work"
out=$(cd "$out" && pwd)
"$root/packaging/build" "$out"
fact() { "$out/work/venv/bin/python" "$root/packaging/facts.py" "$1"; }
app="$out/work/frozen/SPLU Desktop.app"
version=$(fact number)
numbers=$(fact numbers)
stem=$out/splu-desktop-$version-macos-$(uname -m)
ln -sf splu-desktop "$app/Contents/MacOS/splu"
"$out/work/venv/bin/python" "$root/packaging/seal.py" "$app/Contents" >/dev/null
cp "$app/Contents/Resources/splu_desktop/resources/files.sha256" "$stem.files.sha256"
if [ -n "${SPLU_MAC_IDENTITY:-}" ]; then
    codesign --force --deep --options runtime --timestamp --entitlements "$root/installer/macos/entitlements.plist" \
        --sign "$SPLU_MAC_IDENTITY" "$app"
    codesign --verify --deep --strict "$app"
else
    echo "No SPLU_MAC_IDENTITY: nothing is signed."
    codesign --force --deep --sign - "$app" # a Mac with an Apple chip runs no program without at least this
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/image"
cp -R "$app" "$folder/image/"
ln -s /Applications "$folder/image/Applications"
cp "$root/LICENSE" "$folder/image/Licence.txt"
rm -f "$stem.dmg"
hdiutil create -volname "SPLU Desktop $version" -srcfolder "$folder/image" -format ULMO -ov "$stem.dmg"

mkdir -p "$folder/payload/Applications" "$folder/payload/usr/local/bin"
cp -R "$app" "$folder/payload/Applications/"
ln -s "/Applications/SPLU Desktop.app/Contents/MacOS/splu" "$folder/payload/usr/local/bin/splu"
pkgbuild --analyze --root "$folder/payload" "$folder/parts.plist" >/dev/null
# It is installed where it says, wherever a copy may lie.
plutil -replace 0.BundleIsRelocatable -bool NO "$folder/parts.plist"
pkgbuild --root "$folder/payload" --component-plist "$folder/parts.plist" --identifier io.github.splu_desktop.SPLUDesktop \
    --version "$numbers" --install-location / "$folder/plain.pkg"
if [ -n "${SPLU_MAC_INSTALLER_IDENTITY:-}" ]; then
    productsign --timestamp --sign "$SPLU_MAC_INSTALLER_IDENTITY" "$folder/plain.pkg" "$stem.pkg"
else
    echo "No SPLU_MAC_INSTALLER_IDENTITY: the package is not signed."
    cp "$folder/plain.pkg" "$stem.pkg"
fi
if [ -n "${SPLU_MAC_IDENTITY:-}" ] && [ -n "${SPLU_MAC_PROFILE:-}" ]; then
    codesign --sign "$SPLU_MAC_IDENTITY" --timestamp "$stem.dmg"
    for made in "$stem.dmg" ${SPLU_MAC_INSTALLER_IDENTITY:+"$stem.pkg"}; do
        xcrun notarytool submit "$made" --keychain-profile "$SPLU_MAC_PROFILE" --wait
        xcrun stapler staple "$made"
    done
fi
(cd "$out" && shasum -a 256 -- *.dmg *.pkg *.cdx.json *.files.sha256 >SHA256SUMS)
echo "Made: $stem.dmg and $stem.pkg"

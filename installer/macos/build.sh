#!/bin/sh
# Builds the macOS program and its disk image. On a Mac with Python 3.11 or newer and the command line tools:
#   installer/macos/build.sh [OUT]
# To sign and notarise, set SPLU_MAC_IDENTITY ("Developer ID Application: ...") and SPLU_MAC_PROFILE (a profile of
# `xcrun notarytool store-credentials`); without them the image is built unsigned and says so.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/dist}
mkdir -p "$out/work"
out=$(cd "$out" && pwd)
"$root/packaging/build" "$out"
app="$out/work/frozen/SPLU Desktop.app"
version=$("$app/Contents/MacOS/splu-desktop" --version | sed 's/^splu-desktop //')
ln -sf splu-desktop "$app/Contents/MacOS/splu"
image="$out/splu-desktop-$version-macos-$(uname -m).dmg"
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
cp -R "$app" "$folder/"
ln -s /Applications "$folder/Applications"
cp "$root/LICENSE" "$folder/Licence.txt"
rm -f "$image"
hdiutil create -volname "SPLU Desktop $version" -srcfolder "$folder" -format ULMO -ov "$image"
if [ -n "${SPLU_MAC_IDENTITY:-}" ] && [ -n "${SPLU_MAC_PROFILE:-}" ]; then
    codesign --sign "$SPLU_MAC_IDENTITY" --timestamp "$image"
    xcrun notarytool submit "$image" --keychain-profile "$SPLU_MAC_PROFILE" --wait
    xcrun stapler staple "$image"
fi
(cd "$out" && shasum -a 256 ./*.dmg ./*.cdx.json | sed 's|  \./|  |' >SHA256SUMS)
echo "Disk image: $image"

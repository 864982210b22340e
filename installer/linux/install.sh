#!/bin/sh
# Installs SPLU Desktop from this unpacked archive for the user who runs it; no administrator is needed.
#   ./install.sh               installs, or takes the place of the version that is there
#   ./install.sh --uninstall   removes the program; recipes, releases, settings and the register stay
# --prefix DIR says where (default ~/.local, or where this script was installed): the program goes to DIR/lib, its
# commands to DIR/bin.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
prefix=${HOME:?}/.local
remove=
oldest=2.34
case $here in */lib/splu-desktop/uninstall) prefix=${here%/lib/splu-desktop/uninstall} ;; esac # what it came with
while [ $# -gt 0 ]; do
    case $1 in
    --uninstall) remove=1 ;;
    --prefix) prefix=${2:?} && shift ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
    shift
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
home=$prefix/lib/splu-desktop
share=$prefix/share

refresh() { # lets the desktop know of new or lost file types; what is made from nothing but ours goes with it
    if ls "$share"/mime/packages/*.xml >/dev/null 2>&1; then
        ! command -v update-mime-database >/dev/null || update-mime-database "$share/mime" >/dev/null 2>&1 || :
    elif [ -f "$share/mime/mime.cache" ]; then
        rm -rf -- "$share/mime"
    fi
    if ls "$share"/applications/*.desktop >/dev/null 2>&1; then
        ! command -v update-desktop-database >/dev/null || update-desktop-database "$share/applications" >/dev/null 2>&1 || :
    else
        rm -f -- "$share/applications/mimeinfo.cache"
        rmdir -- "$share/applications" "$share" 2>/dev/null || :
    fi
}

drop_outside() { # removes what is installed outside the program's own folder, and folders that are empty without it
    list=$home/uninstall/files
    [ -f "$list" ] || return 0
    while IFS= read -r name; do
        rm -f -- "$prefix/$name"
        folder=$(dirname -- "$prefix/$name")
        while [ "$folder" != "$prefix" ] && rmdir -- "$folder" 2>/dev/null; do folder=$(dirname -- "$folder"); done
    done <"$list"
}

if [ -n "$remove" ]; then
    [ -d "$home" ] || { echo "SPLU Desktop is not installed in $prefix." >&2 && exit 1; }
    drop_outside
    rm -rf -- "$home"
    refresh
    rmdir -- "$prefix/lib" "$prefix/bin" 2>/dev/null || :
    echo "SPLU Desktop was removed from $prefix. Your recipes, releases, settings and register of releases stay."
    exit
fi

libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || libc=
libc=${libc#glibc }
if [ "$(printf '%s\n' "$oldest" "${libc:-0}" | sort -V | head -n 1)" != "$oldest" ]; then
    echo "This system is too old for SPLU Desktop, or of another kind: it needs glibc $oldest or newer (Red Hat Enterprise" \
        "Linux 9, Ubuntu 22.04, Debian 12) and found ${libc:-none}. Nothing was changed." >&2
    exit 1
fi
[ -d "$here/splu-desktop" ] || { echo "The folder splu-desktop is not beside $0; unpack the whole archive." >&2 && exit 1; }
mkdir -p "$prefix/lib" "$prefix/bin" "$share"
# The new version is laid beside the old one first, so that a full disk leaves the old one as it is.
rm -rf -- "$home.new"
trap 'rm -rf -- "$home.new"' EXIT
cp -R -- "$here/splu-desktop" "$home.new"
mkdir -p "$home.new/uninstall"
cp -- "$here/install.sh" "$home.new/uninstall/install.sh"
(cd "$here" && find share -type f) >"$home.new/uninstall/files"
printf 'bin/splu\nbin/splu-desktop\n' >>"$home.new/uninstall/files"
if ! version=$("$home.new/splu" --version); then
    echo "The program does not start from $prefix/lib (are programs forbidden there?). Nothing was changed." >&2
    exit 1
fi
rm -rf -- "$home.old"
if [ -d "$home" ]; then
    drop_outside
    mv -- "$home" "$home.old"
fi
mv -- "$home.new" "$home"
rm -rf -- "$home.old"
mkdir -p "$prefix/bin" "$share"
cp -R -- "$here/share/." "$share/"
# The menu starts programs without the user's PATH, so the entry names the whole way.
sed -i "s|^Exec=splu-desktop|Exec=\"$home/splu-desktop\"|" "$share/applications/splu-desktop.desktop"
ln -sf "$home/splu-desktop" "$prefix/bin/splu-desktop"
ln -sf "$home/splu" "$prefix/bin/splu"
refresh
echo "SPLU Desktop ${version#splu } is installed in $home."
case :$PATH: in *:$prefix/bin:*) ;; *) echo "Its commands are in $prefix/bin, which is not in your PATH." ;; esac
quoted() { case $1 in *[!A-Za-z0-9_./+-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;; *) printf %s "$1" ;; esac; }
echo "To see whether all works:  $(quoted "$home/splu-desktop") --smoke-test"
echo "To remove it:              sh $(quoted "$home/uninstall/install.sh") --uninstall"

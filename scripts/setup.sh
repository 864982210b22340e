# shellcheck shell=sh
# Sourced by ./start and ./check: finds a Python, and lets scripts/setup.py do the rest. Leaves us in the checkout.
# Plain sh, since nothing can be taken for granted before a Python is found.

cd "$(dirname -- "$(readlink -f -- "$0")")" || exit
export SPLU_COMMAND # which of the two to tell the user to run again
unset PYTHONHOME PYTHONPATH # another Python's packages must not pass for ours

set_up() {
    for candidate in ${SPLU_PYTHON:+"$SPLU_PYTHON"} python3 python3.13 python3.12 python3.11 python3.14 .venv/bin/python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            "$candidate" scripts/setup.py "$@"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null || echo none)
    cat >&2 <<END
SPLU Desktop needs Python 3.11 or newer with its venv module; found: $found.
On Debian 12, Ubuntu 24.04 and newer:  sudo apt-get install python3 python3-venv
If a newer Python lies elsewhere, name it:  SPLU_PYTHON=/path/to/python3 $0
END
    exit 1
}

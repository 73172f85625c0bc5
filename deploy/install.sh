#!/bin/sh
# Install the current commit into a folder of its own and print the folder's name: deploy/install.sh [LOCK]
# The package is built from a copy of the commit, since the working tree may have modules that are not committed. Only
# packages with a hash in the lock files are installed. docs/operators/systemd.md shows how to use the folder.
set -eu
umask 022
lock=${1:-requirements.lock}
clone=$(dirname "$0")/..
folder=/opt/twentyfour-$(git -C "$clone" log -1 --format=%cd-%h --date=format:%Y-%m-%d)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git -C "$clone" archive HEAD | tar -x -C "$copy"

install_locked() { # FOLDER LOCK
  python3 -m venv "$1"
  "$1/bin/pip" --disable-pip-version-check --quiet install --only-binary :all: --require-hashes -r "$copy/$2" >&2
}
install_locked "$copy/tools" requirements-build.lock
"$copy/tools/bin/pip" --quiet wheel --no-deps --no-build-isolation --wheel-dir "$copy/wheels" "$copy" >&2
install_locked "$folder" "$lock"
"$folder/bin/pip" --quiet install --no-deps --no-index "$copy"/wheels/*.whl >&2
echo "$folder"

#!/usr/bin/env bash
# Puts a Debian package, and what it needs that is not installed, into a folder of its own. Nothing is
# installed: no service is enabled or started, no file of the system changes, no root is needed.
#
#   tools/unpack-package.sh FOLDER PACKAGE
#
# Exit codes: 0 done, 1 a step failed, 2 bad input, 3 there is no such package here.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: tools/unpack-package.sh FOLDER PACKAGE" >&2
    exit 2
fi
folder=$1 package=$2
fail() {
    echo "unpack-package: $2" >&2
    exit "$1"
}
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    fail 3 "no apt-get here: install $package as this system does it"

fresh=$folder.new
rm -rf "$fresh"
trap 'rm -rf "$fresh"' EXIT
mkdir -p "$fresh/archives/partial"
# Only what the system lacks is fetched, so what is there already is used from where it is. The lock
# is the system's, and it is not the system's archive that we write to.
apt-get -qq -y --download-only --no-install-recommends -o Debug::NoLocking=1 \
    -o Dir::Cache::archives="$PWD/$fresh/archives" -o APT::Sandbox::User="$(id -un)" \
    install "$package" >&2 || fail 3 "apt-get can't fetch $package: see its message above"
shopt -s nullglob
archives=("$fresh"/archives/*.deb)
[ ${#archives[@]} -gt 0 ] || fail 3 "$package is installed already"
for archive in "${archives[@]}"; do
    dpkg-deb -x "$archive" "$fresh" || fail 1 "can't unpack $archive"
done
rm -rf "$fresh/archives" "$folder"
mv "$fresh" "$folder"

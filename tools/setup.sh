#!/usr/bin/env bash
# Sets a clean clone up: Debian packages, a virtual environment in .venv, the native build.
#
#   tools/setup.sh run    what `planecast` needs to measure and predict, explore and optimise
#   tools/setup.sh dev    that, and what the tests and the linters need
#   tools/setup.sh bench  that, and the programs that `make bench` compares with
#   tools/setup.sh ovs    what run sets up, and Open vSwitch with DPDK as a data plane under test
#
# Open vSwitch and, for a test, OpenSSH's server are only unpacked, into build/peers: installed, each
# would enable and start a service. So is QEMU's user-mode emulation, for profile --memory.
#
# Every step leaves a stamp that holds a digest of its inputs, so a second run does no work twice.
# Exit codes: 0 done, 1 a step failed, 2 bad input, 3 something that this machine lacks.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-dev}
case $mode in
run | dev | bench | ovs) ;;
*)
    echo "setup: mode '$mode' is not known; say run, dev, bench or ovs" >&2
    exit 2
    ;;
esac

venv=.venv
stamps=build/stamps
march=${PLANECAST_MARCH:-native}
mkdir -p "$stamps"

# Two set-ups at a time would build in the same tree: the second waits for the first.
exec 9>"$stamps/lock"
flock 9

say() { echo "setup: $*" >&2; }
fail() {
    say "$2"
    exit "$1"
}
digest() { sha256sum | cut -d' ' -f1; }
fresh() { [ -f "$stamps/$1" ] && [ "$(cat "$stamps/$1")" = "$2" ]; }
stamp() { echo "$2" >"$stamps/$1"; }

# --- Debian packages ------------------------------------------------------------------------------

packages=(build-essential cmake ninja-build pkg-config libdpdk-dev dpdk valgrind python3-venv
    python3-dev)
if [ "$mode" = dev ] || [ "$mode" = bench ]; then
    packages+=(dpdk-dev libgtest-dev libbenchmark-dev clang-format clang-tidy cppcheck chromium
        chromium-driver iproute2 openssh-client)
fi
if [ "$mode" = bench ]; then
    packages+=(dpdk-doc) # the sources of DPDK's examples
fi

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "no apt-get here, so the packages are yours to install; on Debian they are ${packages[*]}"
        return
    fi
    local missing=() name as_root=()
    for name in "${packages[@]}"; do
        installed "$name" || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "missing Debian packages: ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            fail 3 "not root and no sudo here: have an administrator run apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    export DEBIAN_FRONTEND=noninteractive
    # The package lists of a fresh machine are empty or old: they are fetched only when they have to be.
    local get=("${as_root[@]}" apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends)
    if ! apt-get -s -qq install --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
        ! "${get[@]}" "${missing[@]}" >&2; then
        say "fetching the package lists (apt-get update)"
        "${as_root[@]}" apt-get -qq update >&2 || fail 3 "apt-get update failed: is the network there?"
        "${get[@]}" "${missing[@]}" >&2 ||
            fail 3 "apt-get install ${missing[*]} failed: see its message above"
    fi
}
install_packages

# --- Virtual environment --------------------------------------------------------------------------

# The distribution's Python comes first: it is built with profiles of its use, a version manager's by
# default without, which makes all that is Python slower (docs/how-to/install.md has figures).
new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
python=${PYTHON:-/usr/bin/python3}
if [ -z "${PYTHON:-}" ] && ! new_enough "$python"; then python=python3; fi
command -v "$python" >/dev/null || fail 3 "$python is not here: install Python 3.11 or newer"
new_enough "$python" ||
    fail 3 "$("$python" -V) is too old: planecast needs 3.11 or newer (set PYTHON=/path/to/python3)"

# The folder's own path is part of it: a virtual environment that was moved points to its old place.
interpreter=$({
    pwd
    "$python" -c 'import sys; print(sys.version, sys.base_prefix)'
} | digest)
environment=$({
    echo "$interpreter"
    cat constraints.txt pyproject.toml
} | digest)
# What runs needs a third of the packages that tests, linters and documents need.
wanted=environment
if [ "$mode" = dev ] || [ "$mode" = bench ] || [ -f "$stamps/environment-dev" ]; then
    wanted=environment-dev
fi
installing= # pip, at the same time as the native build
trap '[ -z "$installing" ] || kill "$installing" 2>/dev/null' EXIT
if ! fresh "$wanted" "$environment" || ! "$venv/bin/python" -c 'import pydantic' 2>/dev/null; then
    # Another interpreter over an old environment would leave a mixture: it begins again.
    fresh interpreter "$interpreter" || rm -rf "$venv"
    "$python" -m venv "$venv" || fail 1 "python -m venv $venv failed"
    stamp interpreter "$interpreter"
    pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt)
    requirements() {
        "$venv/bin/python" tools/run_requirements.py "$@" >"$stamps/requirements" ||
            fail 1 "pyproject.toml could not be read: see the message above"
    }
    requirements build
    "${pip[@]}" -r "$stamps/requirements" ||
        fail 1 "pip could not install what planecast is built with: see its message above"
    if [ "$wanted" = environment-dev ]; then
        say "installing the Python packages of constraints.txt into $venv"
        asked=(--no-deps -r constraints.txt)
    else
        say "installing the Python packages that planecast runs with into $venv"
        requirements
        asked=(-r "$stamps/requirements")
    fi
    # It keeps one CPU busy for half a minute; the native build below takes the others.
    "${pip[@]}" "${asked[@]}" &
    installing=$!
    rm -f "$stamps/package" "$stamps/package-dev"
fi

# --- Native build and the package itself ----------------------------------------------------------

# Code compiled for one CPU's instruction set dies on another: a new CPU starts the build again.
cpu=$({
    echo "$march"
    grep -m1 -E '^(flags|Features)' /proc/cpuinfo
    pwd
} 2>/dev/null | digest)
if ! fresh cpu "$cpu"; then
    rm -rf build/native "$stamps/package" "$stamps/package-dev"
    stamp cpu "$cpu"
fi

sources=$({
    [ ! -d native ] || find native -type f -not -name '*.md' -print0 | sort -z | xargs -0r sha256sum
    sha256sum CMakeLists.txt pyproject.toml
    find src -name '*.py' | sort # an editable install knows modules by their place
    pkg-config --modversion libdpdk 2>/dev/null || echo "no libdpdk"
    echo "$environment"
} | digest)

tests=OFF
if [ "$mode" = dev ] || [ "$mode" = bench ] || [ -f "$stamps/package-dev" ]; then tests=ON; fi
want=package
if [ "$tests" = ON ]; then want=package-dev; fi
if ! fresh "$want" "$sources" || [ ! -x "$venv/bin/planecast" ]; then
    say "building the native programs and installing planecast (build tree: build/native)"
    # Editable: a change of Python needs no set-up; CMake recompiles only what changed.
    PATH="$PWD/$venv/bin:$PATH" "$venv/bin/python" -m pip install --quiet --no-build-isolation \
        --no-deps --disable-pip-version-check \
        --config-settings=cmake.define.PLANECAST_TESTS=$tests \
        --config-settings=cmake.define.PLANECAST_MARCH="$march" \
        -e . || fail 1 "the build failed: see its message above"
    stamp "$want" "$sources"
fi
if [ -n "$installing" ]; then
    wait "$installing" || fail 1 "pip could not install planecast's packages: see its message above"
    installing=
    stamp "$wanted" "$environment"
fi
# A command would compile its modules each time, a third of its start, where Python may not keep them.
"$venv/bin/python" -m compileall -q src

# --- Programs to compare with ---------------------------------------------------------------------

if [ "$mode" = bench ]; then
    peers=$({
        sha256sum tools/build-l3fwd.sh
        pkg-config --modversion libdpdk 2>/dev/null || echo "no libdpdk"
        cat "$stamps/cpu"
    } | digest)
    if ! fresh peers "$peers" || [ ! -x build/peers/l3fwd ]; then
        say "building l3fwd from the sources in package dpdk-doc"
        # Without it the bench has fewer rows, and says so.
        if PLANECAST_MARCH="$march" tools/build-l3fwd.sh build/peers; then stamp peers "$peers"; fi
    fi
fi

# --- Programs under test, unpacked ----------------------------------------------------------------

unpack() { # package, a program of it where it is when installed, the program where it is unpacked
    [ ! -x "$2" ] && [ ! -x "$3" ] || return 0
    say "unpacking $1 into build/peers"
    tools/unpack-package.sh "build/peers/$1" "$1"
}
if [ "$mode" != run ]; then
    dpdk_switch=usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk
    if ! unpack openvswitch-switch-dpdk "/$dpdk_switch" \
        "build/peers/openvswitch-switch-dpdk/$dpdk_switch"; then
        [ "$mode" != ovs ] || fail 3 "Open vSwitch with DPDK is not here"
        say "so nothing can be asked of Open vSwitch: its tests are skipped"
    fi
fi
if [ "$mode" != run ]; then
    unpack qemu-user /usr/bin/qemu-x86_64 build/peers/qemu-user/usr/bin/qemu-x86_64 ||
        say "so memory can't be traced (profile --memory): its tests are skipped"
fi
if [ "$mode" = dev ]; then
    unpack openssh-server /usr/sbin/sshd build/peers/openssh-server/usr/sbin/sshd ||
        say "so the test over two hosts is skipped"
fi
say "ready: $venv/bin/planecast"

#!/usr/bin/env bash
# Builds DPDK's example l3fwd, the peer of the router, from the sources of the distribution's package.
#
#   tools/build-l3fwd.sh FOLDER    leaves FOLDER/l3fwd, and FOLDER/l3fwd-v3 for valgrind (no AVX-512)
#
# Three things differ from the package's own build: it is compiled for this CPU, as ours is (set
# PLANECAST_MARCH to change both); a port is asked only for the offloads that it has, because l3fwd
# refuses virtual ports otherwise: they check no checksums, and l3fwd doesn't either; and its IPv4
# table (LPM) has room for as many routes as its FIB has, 65,536 instead of 1,024.
# Exit codes: 0 done, 1 the build failed, 2 bad input, 3 the sources aren't here.
set -euo pipefail

[ $# -eq 1 ] || {
    echo "build-l3fwd: say the folder where the program is to be" >&2
    exit 2
}
examples=${PLANECAST_DPDK_EXAMPLES:-/usr/share/dpdk/examples}
if [ ! -f "$examples/l3fwd/main.c" ]; then
    echo "build-l3fwd: $examples/l3fwd is not here; apt-get install dpdk-doc, or name the folder" \
        "in PLANECAST_DPDK_EXAMPLES" >&2
    exit 3
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d "$out/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$examples/l3fwd" "$examples/common" "$work/"

source=$work/l3fwd/main.c
anchor='ret = config_port_max_pkt_len(&local_port_conf, &dev_info);'
mask='local_port_conf.rxmode.offloads \&= dev_info.rx_offload_capa;'
queue='rxq_conf.offloads = port_conf.rxmode.offloads;'
queue_mask='rxq_conf.offloads = port_conf.rxmode.offloads \& dev_info.rx_offload_capa;'
for line in "$anchor" "$queue"; do
    grep -qF "$line" "$source" || {
        echo "build-l3fwd: main.c has no line '$line': this version of DPDK is not known here" >&2
        exit 1
    }
done
table=$work/l3fwd/l3fwd_lpm.c
sed -i -e 's/^\(#define IPV4_L3FWD_LPM_MAX_RULES\) .*/\1 (1 << 16)/' \
    -e 's/^\(#define IPV4_L3FWD_LPM_NUMBER_TBL8S\) .*/\1 (1 << 15)/' "$table"
[ "$(grep -cE '^#define IPV4_L3FWD_LPM_(MAX_RULES|NUMBER_TBL8S) \(1 << 1[56]\)' "$table")" = 2 ] || {
    echo "build-l3fwd: l3fwd_lpm.c sizes its table elsewhere: this version of DPDK is not known here" >&2
    exit 1
}
sed -i -e "s/${anchor//&/\\&}/$mask\n\t\t${anchor//&/\\&}/" -e "s/$queue/$queue_mask/" "$source"

# LDFLAGS come after the flags of DPDK's package, whose -march is its oldest CPU: the last one counts.
build() { # instruction set, name of the program
    rm -rf "$work/l3fwd/build"
    make -C "$work/l3fwd" shared LDFLAGS="-march=$1" >"$out/l3fwd.log" 2>&1 ||
        {
            tail -5 "$out/l3fwd.log" >&2
            exit 1
        }
    mv "$work/l3fwd/build/l3fwd-shared" "$out/$2"
}
build "${PLANECAST_MARCH:-native}" l3fwd
build x86-64-v3 l3fwd-v3

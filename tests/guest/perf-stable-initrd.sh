#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf-stable-initrd.sh OUTPUT SYSROOT OTHER: a small initramfs with the perf of the
# sysroot OTHER as perf-stable, and the libraries it needs that image.sh does not
# take from SYSROOT.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
# shellcheck source=tests/guest/guest-binaries.sh
. "$here/guest-binaries.sh"

output=$1 sysroot=$2 other=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/bin" "$work/root/$libraries"
cp "$other/usr/bin/perf" "$work/root/bin/perf-stable"
copy_other_libraries "$sysroot" "$other" "$work/root" usr/bin/perf
mkdir -p "$(dirname "$output")"
pack "$work/root" "$output.$$"
mv "$output.$$" "$output"

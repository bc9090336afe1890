#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prometheus-initrd.sh OUTPUT SYSROOT PROMETHEUS: an initramfs with Prometheus and promtool
# of the sysroot PROMETHEUS, and the libraries they need that image.sh does not take from
# SYSROOT.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
# shellcheck source=tests/guest/guest-binaries.sh
. "$here/guest-binaries.sh"

output=$1 sysroot=$2 prometheus=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/bin" "$work/root/$libraries"
cp -t "$work/root/bin" "$prometheus"/usr/bin/{prometheus,promtool}
copy_other_libraries "$sysroot" "$prometheus" "$work/root" usr/bin/{prometheus,promtool}
mkdir -p "$(dirname "$output")"
pack "$work/root" "$output.$$"
mv "$output.$$" "$output"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# programs-initrd.sh OUTPUT SYSROOT OTHER PROGRAM[=NAME]...: a small initramfs with programs
# of the sysroot OTHER, each under its own name or NAME in bin, and the libraries they need
# that image.sh does not take from SYSROOT.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
# shellcheck source=tests/guest/guest-binaries.sh
. "$here/guest-binaries.sh"

output=$1 sysroot=$2 other=$3
shift 3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/bin" "$work/root/$libraries"
for program in "$@"; do
	name=${program#*=}
	cp "$other/${program%%=*}" "$work/root/bin/$(basename "$name")"
done
copy_other_libraries "$sysroot" "$other" "$work/root" "${@%%=*}"
mkdir -p "$(dirname "$output")"
pack "$work/root" "$output.$$"
mv "$output.$$" "$output"

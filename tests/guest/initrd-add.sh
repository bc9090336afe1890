#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# initrd-add.sh OUTPUT DIRECTORY=FILE...: a small initramfs with each file, or directory, in
# that directory of the guest, to be loaded after the one of image.sh.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"

output=$1
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for item in "$@"; do
	into=$work/root/${item%%=*} from=${item#*=}
	if [ -d "$from" ]; then
		mkdir -p "$into"
		cp -r -t "$into" "$from"
	else
		install -D -m 755 -t "$into" "$from"
	fi
done
mkdir -p "$(dirname "$output")"
pack "$work/root" "$output.$$"
mv "$output.$$" "$output"

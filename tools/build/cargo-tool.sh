#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cargo-tool.sh CRATE PROGRAM VERSION: builds that program into the cache and prints its
# path.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"

crate=$1 program=$2 version=$3
root=$cache/$program/$version

build()
{
	rm -rf "$root"
	mkdir -p "$root"
	step "building $program $version"
	cargo install --quiet --locked --root "$root" --target-dir "$root/target" \
		--version "$version" "$crate" >&2 ||
		die "$program $version could not be built" \
			"check that cargo can reach its registry, then run make again"
	rm -rf "$root/target"
	mark_complete "$root"
}

if ! is_complete "$root"; then
	lock "$program-$version"
	is_complete "$root" || build
fi
printf '%s\n' "$root/bin/$program"

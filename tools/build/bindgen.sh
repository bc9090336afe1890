#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bindgen.sh VERSION: builds that bindgen into the cache and prints its path.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"

version=$1
root=$cache/bindgen/$version

build()
{
	rm -rf "$root"
	mkdir -p "$root"
	step "building bindgen $version"
	cargo install --quiet --locked --root "$root" --target-dir "$root/target" \
		--version "$version" bindgen-cli >&2 ||
		die "bindgen $version could not be built" \
			"check that cargo can reach its registry, then run make again"
	rm -rf "$root/target"
	mark_complete "$root"
}

if ! is_complete "$root"; then
	lock "bindgen-$version"
	is_complete "$root" || build
fi
printf '%s\n' "$root/bin/bindgen"

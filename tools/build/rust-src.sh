#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rust-src.sh: prints the directory of the standard library's source that
# belongs to exactly the host's rustc; fetches it where the host has none.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/build/apt.sh
. "$here/apt.sh"

rustc=$(rustc --version | awk '{ print $2 }')
installed=$(rustc --print sysroot)/lib/rustlib/src/rust/library
if [ -e "$installed/core/src/lib.rs" ]; then
	printf '%s\n' "$installed"
	exit
fi

offered()
{
	{
		versions rust-src "$newest_suite"
		versions rust-src "$suite"
	} | grep "^${rustc//./\\.}[+-]" | sed -n 1p | grep . ||
		die "$newest_suite has no rust-src of rustc $rustc" \
			"run: rustup component add rust-src"
}

unpack()
{
	local version

	version=$(lock apt && remembered "rust-src-$rustc" offered)
	rm -rf "$root" "$root.deb"
	fetch_package rust-src "$version" "$root.deb"
	mkdir -p "$root"
	dpkg-deb -x "$root.deb"/*.deb "$root"
	rm -rf "$root.deb"
	mark_complete "$root"
}

root=$cache/source/rust-$rustc
if ! is_complete "$root"; then
	lock rust-src
	is_complete "$root" || unpack
fi
printf '%s\n' "$root/usr/src/rustc-$rustc/library"

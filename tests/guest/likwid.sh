#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# likwid.sh SYSROOT: builds the library of the LIKWID in SYSROOT in its perf mode, which
# Debian's package has not, from the source of that package, and prints its path. What it
# needs of other packages is in SYSROOT, too.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
# shellcheck disable=SC2034 # apt.sh uses it.
apt_types=deb-src
# shellcheck source=tools/build/apt.sh
. "$here/../../tools/build/apt.sh"

sysroot=$1
libraries=$sysroot/usr/lib/x86_64-linux-gnu
version=$(sed -n 's/^likwid=//p' "$sysroot/versions")
root=$cache/likwid/$version-$(key "$sysroot" "$(cat "$here/likwid.sh")")

# apt compares the archive with the checksum that the signed list of sources has for it.
fetch()
{
	apt_refresh
	step "fetching the source of likwid $version"
	(cd "$root" && private_apt get source -q --tar-only "likwid=$version" >&2) || {
		rm -f "$apt_root/fresh"
		die "the source of likwid $version could not be fetched" \
			"the mirror may have moved on: run make update, then make again"
	}
	tar -xJ -C "$root" --strip-components=1 -f "$root"/likwid_*.tar.xz
}

# Takes these headers and libraries only, so that the C library is the host's.
copy_needs()
{
	local headers=$sysroot/usr/include

	mkdir "$root"/{include,lib}
	cp -t "$root/lib" "$libraries"/{liblua5.3,libhwloc}.so
	cp -r -t "$root/include" "$headers"/{hwloc.h,hwloc,lua5.3,x86_64-linux-gnu/hwloc}
	cp -t "$root/include/lua5.3" "$headers/x86_64-linux-gnu/lua5.3-deb-multiarch.h"
}

build()
{
	! grep -q perf_event_paranoid "$libraries/liblikwid.so" ||
		die "likwid $version has a perf mode of its own" "take its library instead"
	rm -rf "$root"
	mkdir -p "$root"
	fetch
	copy_needs
	step "building likwid $version"
	# Its rules go on after an error, so that only the library tells if there was one.
	LIBRARY_PATH=$root/lib make -C "$root" -s Q= ACCESSMODE=perf_event PREFIX=/usr \
		LUA_INCLUDE_DIR="$root/include/lua5.3" LUA_LIB_DIR="$root/lib" \
		LUA_LIB_NAME=lua5.3 LUA_BIN=/usr/bin \
		HWLOC_INCLUDE_DIR="$root/include" HWLOC_LIB_DIR="$root/lib" \
		HWLOC_LIB_NAME=hwloc liblikwid.so >"$root/log" 2>&1 || true
	[ -e "$root/liblikwid.so" ] ||
		die "likwid $version could not be built" "see $root/log"
	mark_complete "$root"
}

if ! is_complete "$root"; then
	lock likwid
	is_complete "$root" || build
fi
printf '%s\n' "$root/liblikwid.so"

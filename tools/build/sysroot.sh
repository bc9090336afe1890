#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# sysroot.sh NAME PACKAGE...: unpacks the packages, in their newest versions and
# with all they depend on, into a directory of the cache, and prints its path. In the
# environment, only=REGEX leaves out packages of other names; apt_suites is as for apt.sh.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/build/apt.sh
. "$here/apt.sh"

name=$1
shift

# Prints name=version, sorted, of the packages and their dependencies.
resolve()
{
	private_apt get install --simulate -q --no-install-recommends \
		--target-release "$apt_target" "$@" |
		sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p' | sort | grep -E "^(${only:-.*})=" ||
		die "no versions of $* fit together in ${apt_suites// / and }" \
			"see: APT_CONFIG=$apt_root/apt.conf apt-get install --simulate -t $apt_target $*"
}

unpack()
{
	local root=$1 deb

	for deb in "$root".deb/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$root" --keep-directory-symlink ||
			die "$(basename "$deb") could not be unpacked" "is the disk full?"
	done
}

build()
{
	local root=$1 closure=$2

	rm -rf "$root" "$root.deb"
	mkdir -p "$root" "$root.deb"
	apt_refresh
	step "fetching $name: $(wc -l <<<"$closure") packages"
	# shellcheck disable=SC2086
	(cd "$root.deb" && private_apt get download -q $closure >&2) || {
		rm -f "$apt_root/fresh"
		die "the packages of $name could not be fetched" \
			"the mirror may have moved on: run make update, then make again"
	}
	merge_usr "$root"
	unpack "$root"
	rm -rf "$root.deb"
	printf '%s\n' "$closure" >"$root/versions"
	mark_complete "$root"
}

# The scripts of base-files do not run here, so this function makes the links.
merge_usr()
{
	local directory

	for directory in bin sbin lib lib64; do
		mkdir -p "$1/usr/$directory"
		ln -s "usr/$directory" "$1/$directory"
	done
}

lock "sysroot-$name"
closure=$(lock apt && remembered "$name-$(key "$@")" resolve "$@")
root=$cache/sysroot/$name-$(key "$closure")
is_complete "$root" || (lock apt && build "$root" "$closure")
printf '%s\n' "$root"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel-source.sh SERIES: fetches Debian's source of that kernel series ("7.3",
# or "newest" or "oldest" of those on offer) and prints "SERIES VERSION PATH".

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/build/apt.sh
. "$here/apt.sh"

wanted=$1
least=7.2 # the first that our module builds on

# Prints a line "SERIES VERSION" for each series on offer, oldest first.
offered()
{
	local package

	private_apt cache pkgnames linux-source- |
		grep -E '^linux-source-[0-9]+\.[0-9]+$' | sort --version-sort |
		while read -r package; do
			printf '%s\n' "$least" "${package#linux-source-}" |
				sort --version-sort --check=quiet || continue
			versions "$package" "$newest_suite" | sed -n 1p |
				sed "s/^/${package#linux-source-} /"
		done | grep . ||
		die "$newest_suite offers no kernel source" \
			"run make update; if that does not help, see: apt-cache -c $apt_root/apt.conf search linux-source"
}

choose()
{
	case $wanted in
		newest) tail -n 1 <<<"$1" && return ;;
		oldest) head -n 1 <<<"$1" && return ;;
	esac
	awk -v wanted="$wanted" '$1 == wanted' <<<"$1" | grep . ||
		die "kernel series $wanted is not on offer" \
			"KERNEL_SERIES can be one of: $(awk '{ printf "%s ", $1 }' <<<"$1")" \
			"(as known when last asked; make update asks again)"
}

unpack()
{
	local package=linux-source-$series

	rm -rf "$tree" "$tree.deb"
	fetch_package "$package" "$version" "$tree.deb"
	step "unpacking Linux $version"
	mkdir -p "$tree"
	linux_tarball "$tree.deb"/*.deb "$package" |
		tar -xJ -C "$tree" --strip-components=1 ||
		die "$package could not be unpacked" "is the disk full?"
	rm -rf "$tree.deb"
	mark_complete "$tree"
}

series_on_offer=$(lock apt && remembered kernel-series offered)
chosen=$(choose "$series_on_offer")
read -r series version <<<"$chosen"
tree=$cache/source/linux-$version
if ! is_complete "$tree"; then
	lock "linux-$series"
	is_complete "$tree" || unpack
fi
printf '%s %s %s\n' "$series" "$version" "$tree"

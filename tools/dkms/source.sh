# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Keeps the few files of each kernel's source that its Rust metadata is made from, about
# 1 MB packed. Distributions offer the source of their newest kernel only, or allow only
# one to be installed.
#
#	KERNEL/version		the exact version of the package
#	KERNEL/linux.tar.xz	the files

: "${kernel=} ${headers=}"

sources=${UNCORE_SOURCES:-/var/cache/uncore-rs}

# Prints the source tree that the headers belong to.
headers_srctree()
{
	local included

	included=$(sed -n 's|^include \(/.*\)/Makefile$|\1|p' "$headers/Makefile")
	printf '%s\n' "${included:-$headers}"
}

source_archive()
{
	printf '%s/%s/linux.tar.xz\n' "$sources" "$kernel"
}

# Makes sure that source_archive exists.
find_source()
{
	local version name tarball=

	version=$(dpkg-query -W -f '${source:Version}' "linux-headers-$kernel" 2>/dev/null) ||
		skip "its headers lack the Rust metadata, and its source is not known" \
			"$(to_install metadata)"
	! kept "$kernel" "$version" || return 0
	! copy_sibling "$version" || return 0
	name=linux-source-$(cut -d . -f 1,2 <<<"$kernel")
	installed_tarball || download_tarball
	keep
}

kept()
{
	[ "$(cat "$sources/$1/version" 2>/dev/null)" = "$2" ]
}

# copy_sibling VERSION: copies the source from another kernel of that version, such as
# another flavour.
copy_sibling()
{
	local sibling

	for sibling in "$sources"/*/; do
		kept "$(basename "$sibling")" "$1" || continue
		mkdir -p "$sources/$kernel"
		cp -t "$sources/$kernel" "$sibling"/{linux.tar.xz,version} || return
		return
	done
	return 1
}

# The next three functions use variables of find_source.
installed_tarball()
{
	local installed

	installed=$(dpkg-query -W -f '${source:Version}' "$name" 2>/dev/null) || return
	[ "$installed" = "$version" ] || return
	tarball=$(dpkg-query -L "$name" | grep '\.tar\.xz$')
}

download_tarball()
{
	local directory=$PWD/kernel/download

	[ -z "${DPKG_MAINTSCRIPT_NAME:-}" ] ||
		skip "its source is not here, and nothing is fetched while packages are being installed" \
			"when that is done, run: dkms autoinstall -k $kernel"
	mkdir "$directory"
	step "fetching $name $version"
	(cd "$directory" && apt-get download -q "$name=$version" >&2) ||
		skip "its source, $name=$version, cannot be fetched" \
			"apt-get update && dkms autoinstall -k $kernel"
	tarball=$directory/linux.tar.xz
	linux_tarball "$directory"/*.deb "$name" >"$tarball"
}

# Keeps the needed part of the source. The version is written last: it makes the rest valid.
keep()
{
	local tree=$PWD/kernel/$name includes

	step "taking Rust's part of $name $version"
	tar -x -J -f "$tarball" -C kernel "$name"/{Makefile,rust} \
		"$name"/scripts/{generate_rust_target.rs,rust_is_available_bindgen_libclang.h}
	mapfile -t includes < <(included_directories "$tree")
	[ ${#includes[@]} -eq 0 ] ||
		tar -x -J -f "$tarball" -C kernel --wildcards "${includes[@]/%//*.h}"
	forget "$kernel"
	mkdir -p "$sources/$kernel"
	tar -c -J -f "$(source_archive)" -C "$tree" .
	printf '%s\n' "$version" >"$sources/$kernel/version"
	rm -rf "$tree" kernel/download
}

# included_directories TREE: prints the directories of headers that the Rust parts include
# by a path.
included_directories()
{
	grep -rhoE '^#include [<"]\.\./\.\./[a-z0-9_/-]+\.h' "$1/rust" |
		sed "s|.*\.\./\.\./|${1##*/}/|; s|/[^/]*$||" | sort -u
}

# forget KERNEL
forget()
{
	rm -rf "${sources:?}/$1"
	rmdir --ignore-fail-on-non-empty "$sources" 2>/dev/null || true
}

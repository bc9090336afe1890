#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh: makes the packages uncore-rs-dkms and uncore-rs in build/deb, and
# checks them with lintian.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/../lib.sh"
# shellcheck source=dkms.conf
kernelver='' kernel_source_dir='' . "$here/../../dkms.conf"
cd "$here/../.."

check_version()
{
	local ours

	ours=$(dpkg-parsechangelog -l tools/deb/changelog -S Version)
	[ "$ours" = "$PACKAGE_VERSION" ] ||
		die "tools/deb/changelog has version $ours, dkms.conf has $PACKAGE_VERSION" \
			"add an entry to tools/deb/changelog"
}

check_copyright()
{
	local crate

	for crate in build/crates/*/; do
		grep -qF "${crate#build/}*" tools/deb/copyright ||
			die "tools/deb/copyright says nothing about $crate" "add its licence"
	done
}

build()
{
	local tree=build/deb/uncore-rs-$PACKAGE_VERSION script

	rm -rf build/deb
	mkdir -p "$tree"
	cp -r tools/deb "$tree/debian"
	rm "$tree/debian/build.sh"
	for script in preinst postinst postrm; do
		cp "$tree/debian/$script" "$tree/debian/uncore-rs.$script"
		mv "$tree/debian/$script" "$tree/debian/uncore-rs-dkms.$script"
	done
	step "building the packages"
	(cd "$tree" && apart dpkg-buildpackage --build=binary --unsigned-changes \
		--no-check-builddeps) >build/deb/log 2>&1 || {
		cat build/deb/log >&2
		die "the packages could not be built" "see the messages above"
	}
	rm -r "$tree"
}

check_version
check_copyright
build
step "checking them with lintian"
lintian --fail-on error,warning build/deb/*.changes
printf '%s\n' build/deb/*.deb

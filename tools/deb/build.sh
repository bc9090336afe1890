#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh: makes the packages ivbep-uncore-dkms and ivbep-uncore in build/deb, and
# has lintian look at them.

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
		die "tools/deb/changelog is of version $ours, dkms.conf of $PACKAGE_VERSION" \
			"add an entry to tools/deb/changelog"
}

build()
{
	local tree=build/deb/ivbep-uncore-$PACKAGE_VERSION

	rm -rf build/deb
	mkdir -p "$tree"
	cp -r tools/deb "$tree/debian"
	rm "$tree/debian/build.sh"
	step "building the packages"
	(cd "$tree" && apart dpkg-buildpackage --build=binary --unsigned-changes \
		--no-check-builddeps) >build/deb/log 2>&1 || {
		cat build/deb/log >&2
		die "the packages could not be built" "see the messages above"
	}
	rm -r "$tree"
}

check_version
build
step "checking them with lintian"
lintian --fail-on error,warning build/deb/*.changes
printf '%s\n' build/deb/*.deb

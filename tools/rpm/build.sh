#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh DEB...: makes the RPM packages uncore-rs-dkms and uncore-rs in build/rpm, and compares
# their files with those of Debian's packages.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/../lib.sh"
# shellcheck source=dkms.conf
kernelver='' kernel_source_dir='' . "$here/../../dkms.conf"
cd "$here/../.."

# Paths without those that each distribution has at a place of its own. DKMS brings the service on
# other distributions.
common()
{
	sed -E 's|^\.?/?|/|; s|/$||; s|\.gz$||; s|^/lib/|/usr/lib/|' |
		grep -Ev '^/usr/share/(doc|lintian)/|/uncore-rs-dkms\.service$' | sort
}

files_of_deb()
{
	dpkg-deb --fsys-tarfile "$1" | tar -t | grep -v '/$' | common
}

files_of_rpm()
{
	rpm --query --package "$1" \
		--queryformat '[%{FILEMODES:perms}%{FILENAMES}\n]' | sed -n 's/^-[^/]*//p' | common
}

compare()
{
	local deb name rpm

	for deb; do
		name=$(basename "${deb%%_*}")
		rpm=$(compgen -G "build/rpm/$name-[0-9]*.rpm")
		diff <(files_of_deb "$deb") <(files_of_rpm "$rpm") >&2 ||
			die "$rpm has not the files of $deb" "see the differences above"
	done
}

umask 022
rm -rf build/rpm
mkdir -p build/rpm
step "building the packages"
apart rpmbuild -bb --nodeps --define "_topdir $PWD/build/rpm/work" --define "_rpmdir $PWD/build/rpm" \
	--define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
	--define "_buildhost localhost" --define "use_source_date_epoch_as_buildtime 1" \
	--define "clamp_mtime_to_source_date_epoch 1" \
	--define "project $PWD" --define "version $PACKAGE_VERSION" \
	tools/rpm/uncore-rs.spec >build/rpm/log 2>&1 || {
	cat build/rpm/log >&2
	die "the packages could not be built" "see the messages above"
}
rm -r build/rpm/work
compare "$@"
printf '%s\n' build/rpm/*.rpm

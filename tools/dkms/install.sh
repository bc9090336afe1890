#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh add|remove [DESTDIR]: "add" copies the module's source to DKMS's place,
# and DKMS builds it for each kernel with headers on this machine. "remove" removes
# all of that. With DESTDIR, for packages, only files are copied and removed.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/../lib.sh"
# shellcheck source=dkms.conf
kernelver='' kernel_source_dir='' . "$here/../../dkms.conf"
cd "$here/../.."

destination=${2:-}
name=$PACKAGE_NAME version=$PACKAGE_VERSION
tree=$destination/usr/src/$name-$version

copy_source()
{
	local files

	[ -e build/crates/complete ] || die "build/crates is missing" "run: make build/crates/complete"
	mapfile -t files < <(find rust include tools/*.sh tools/dkms -type f \
		\( -name '*.rs' -o -name '*.[ch]' -o -name '*.mk' -o -name '*.sh' \
		-o -name packages.list \))
	rm -rf "$tree"
	mkdir -p "$tree"
	cp --parents -t "$tree" Kbuild dkms.conf "${files[@]}"
	cp -r -t "$tree" build/crates
	tools/commit.sh >"$tree/commit"
}

is_added()
{
	[ -e "/var/lib/dkms/$name/$version" ]
}

need_dkms()
{
	command -v dkms >/dev/null || die "DKMS is not installed" \
		"install the package dkms, or build without it: make modules_install KDIR=..."
	[ "$(id -u)" -eq 0 ] || die "only root can do that" "run: sudo make dkms-${action/add/}install"
}

# For a kernel that is skipped, DKMS itself prints only the name of its log.
build_for()
{
	local kernel=$1 status=0 note=/var/lib/dkms/$name/$version/skipped.$1

	rm -f "$note"
	dkms install -m "$name" -v "$version" -k "$kernel" || status=$?
	case $status in
		0) installed+=("$kernel") ;;
		77) skipped+=("$(cat "$note" 2>/dev/null || printf '%s: too old for the module' "$kernel")") ;;
		*) die "DKMS could not install the module for $kernel" \
			"see its message above" ;;
	esac
}

# Versions before 0.2.0 had another name.
remove_former()
{
	local directory version

	for directory in /var/lib/dkms/ivbep-uncore/[0-9]*/; do
		[ -d "$directory" ] || continue
		version=$(basename "$directory")
		dkms remove -m ivbep-uncore -v "$version" --all
		rm -rf "/usr/src/ivbep-uncore-$version"
	done
	rm -rf /var/cache/ivbep-uncore
}

add()
{
	local directory installed=() skipped=()

	[ -n "$destination" ] || need_dkms
	[ -n "$destination" ] || remove_former
	[ -n "$destination" ] || ! is_added ||
		dkms remove -m "$name" -v "$version" --all
	copy_source
	[ -z "$destination" ] || return 0
	dkms add -m "$name" -v "$version"
	for directory in /lib/modules/*/build; do
		[ ! -d "$directory" ] || build_for "$(basename "${directory%/build}")"
	done
	step "installed for: ${installed[*]:-no kernel}"
	[ ${#skipped[@]} -eq 0 ] || printf '    skipped: %s\n' "${skipped[@]}" >&2
}

remove()
{
	[ -n "$destination" ] || ! is_added || {
		need_dkms
		dkms remove -m "$name" -v "$version" --all
	}
	rm -rf "$tree" "$destination/var/cache/$name"
}

action=$1
case $action in
	add | remove) "$action" ;;
	*) die "usage: install.sh add|remove [DESTDIR]" ;;
esac

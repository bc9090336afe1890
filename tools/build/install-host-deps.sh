#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install-host-deps.sh WORK: installs the host packages that WORK lacks: build; deb or rpm,
# making packages of ours; distro, trying them. If nothing is missing, it does nothing; this
# check does not call apt.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"

least_llvm=17 # the kernel's minimum
least_rust=1.85.0

work=$1
missing=()

# need PACKAGE TEST...
need()
{
	local package=$1
	shift

	"$@" >/dev/null 2>&1 || missing+=("$package")
}

# WORK is the name of a function.
# shellcheck disable=SC2317
find_missing_for_build()
{
	need gcc command -v gcc
	need binutils command -v readelf
	need libc6-dev test -e /usr/include/stdio.h
	need flex command -v flex
	need bison command -v bison
	need bc command -v bc
	need cpio command -v cpio
	need kmod command -v depmod
	need perl perl -MTerm::ANSIColor -MEncode -e 1
	need xz-utils command -v xz
	need shellcheck command -v shellcheck
	need python3-docutils docutils_python
	need libelf-dev test -e /usr/include/gelf.h
	need libssl-dev test -e /usr/include/openssl/opensslv.h
	need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
	need debian-archive-keyring test -e /usr/share/keyrings/debian-archive-keyring.gpg
	need LLVM good_llvm
	command -v cargo >/dev/null ||
		missing+=(cargo rustc rustfmt rust-clippy)
}

# shellcheck disable=SC2317
find_missing_for_deb()
{
	need dpkg-dev command -v dpkg-buildpackage
	need debhelper command -v dh
	need dh-dkms command -v dh_dkms
	need lintian command -v lintian
}

# shellcheck disable=SC2317
find_missing_for_rpm()
{
	need rpm command -v rpmbuild
}

# shellcheck disable=SC2317
find_missing_for_distro()
{
	need debootstrap command -v debootstrap
	need ovmf test -e /usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd
	need sbsigntool command -v sbsign
	need openssl command -v openssl
}

good_llvm()
{
	local version

	version=$(newest_llvm) && ((version >= least_llvm))
}

# Chooses the default LLVM of this Debian or, if that is too old, the newest. The package
# lists must be fresh.
name_llvm()
{
	local version

	version=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
	((${version:-0} >= least_llvm)) ||
		version=$(apt-cache pkgnames clang- |
			sed -n 's/^clang-\([0-9]*\)$/\1/p' | sort --numeric-sort | tail -n 1)
	((${version:-0} >= least_llvm)) ||
		die "this Debian has no clang of version $least_llvm or later"
	printf '%s\n' "clang-$version" "libclang1-$version"
}

as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

install_missing()
{
	local packages=() package llvm

	command -v apt-get >/dev/null ||
		die "missing for $work: ${missing[*]}" \
			"packages are installed and fetched with apt; run this on Debian"
	[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
		die "missing for $work: ${missing[*]}" "as root, run: $here/install-host-deps.sh $work"
	step "installing host packages: ${missing[*]}"
	as_root apt-get update -q >&2 ||
		say "some of apt's package lists could not be read, trying all the same"
	for package in "${missing[@]}"; do
		if [ "$package" = LLVM ]; then
			llvm=$(name_llvm)
			mapfile -t -O ${#packages[@]} packages <<<"$llvm"
		else
			packages+=("$package")
		fi
	done
	as_root apt-get install -y -q --no-install-recommends \
		-o DPkg::Lock::Timeout=300 "${packages[@]}" >&2 ||
		die "the host packages could not be installed" \
			"see apt's message above; by hand: apt-get install ${packages[*]}"
}

# Debian's compiler may be too old; then rustup is necessary.
check_rust()
{
	local version

	version=$(rustc --version 2>/dev/null | awk '{ print $2 }') ||
		die "cargo is there but rustc does not run" "see: rustc --version"
	printf '%s\n' "$least_rust" "${version%%-*}" |
		sort --version-sort --check=quiet ||
		die "rustc $version is older than $least_rust" \
			"install a newer one with rustup (https://rustup.rs)"
}

[ "$(uname -m)" = x86_64 ] || die "the machine is emulated on x86-64 hosts only"
"find_missing_for_$work"
if [ ${#missing[@]} -gt 0 ]; then
	install_missing
	missing=()
	"find_missing_for_$work"
	[ ${#missing[@]} -eq 0 ] || die "still missing: ${missing[*]}"
fi
[ "$work" != build ] || check_rust

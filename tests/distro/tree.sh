# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A Debian in a directory.

: "${tree=} ${work=}"

# shellcheck source=tools/build/lib.sh
. "${BASH_SOURCE[0]%/*}/../../tools/build/lib.sh"
# shellcheck source=tools/build/apt.sh
. "${BASH_SOURCE[0]%/*}/../../tools/build/apt.sh"

archives=$cache/distro/archives

# dpkg need not sync to disk: the Debian can be made again. It may put an older version in
# the place of a newer one, as it does where this variable is not set.
export DPKG_FORCE=unsafe-io,downgrade

# as_root_with_own_mounts SCRIPT ARGUMENT...: starts the script again as root in a mount
# namespace, if necessary. Its mounts end with it in any case.
as_root_with_own_mounts()
{
	local become=()

	[ -z "${UNCORE_UNSHARED:-}" ] || return 0
	[ "$(id -u)" -eq 0 ] || become=(sudo --preserve-env)
	exec "${become[@]}" env PATH="$PATH" HOME="$HOME" UNCORE_UNSHARED=1 unshare --mount "$@"
}

# Steps that need no root run as the calling user.
as_caller()
{
	local become=()

	[ -z "${SUDO_USER:-}" ] || become=(runuser --user "$SUDO_USER" --)
	"${become[@]}" "$@"
}

# This Debian's own initramfs is not needed.
inside()
{
	chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive DPKG_FORCE=$DPKG_FORCE INITRD=No "$@" </dev/null
}

# Takes the host's configuration of archives and network; apt must not start services.
configure_tree()
{
	local uri=$1

	cat /etc/resolv.conf >"$tree/etc/resolv.conf"
	apt-config dump | grep '^Acquire::' >"$tree/etc/apt/apt.conf.d/90host" || true
	cat >>"$tree/etc/apt/apt.conf.d/90host" <<-END
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		Binary::apt-get::APT::Keep-Downloaded-Packages "true";
	END
	printf 'deb %s %s main\n' "$uri" "$newest_suite" \
		>"$tree/etc/apt/sources.list.d/backports.list"
	printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
	chmod +x "$tree/usr/sbin/policy-rc.d"
}

# Packages that were fetched before are not fetched again.
mount_tree()
{
	as_caller mkdir -p "$archives/partial"
	mount --bind "$archives" "$tree/var/cache/apt/archives"
	mount -t proc proc "$tree/proc"
	mount -t devpts devpts "$tree/dev/pts"
}

install_packages()
{
	inside apt-get install -y -q "$@"
}

make_tree()
{
	local uri

	uri=$(mirror) || die "apt knows no Debian mirror"
	as_caller mkdir -p "$work" "$archives"
	debootstrap --variant=minbase --include=ca-certificates --keyring="$keyring" \
		--cache-dir="$archives" "$suite" "$tree" "$uri"
	configure_tree "$uri"
	mount_tree
	inside apt-get update -q
	install_packages -t "$newest_suite" linux-image-amd64 linux-headers-amd64
}

newest_kernel()
{
	local modules=("$tree"/lib/modules/*)

	basename "${modules[-1]}"
}

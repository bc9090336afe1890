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

# In front of commands in the tree.
isolated=()

# This Debian's own initramfs is not needed. dpkg need not sync to disk.
inside()
{
	"${isolated[@]}" chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive DPKG_FORCE=unsafe-io INITRD=No "$@" </dev/null
}

# Takes the host's configuration of archives and network; apt must not start services.
configure_tree()
{
	cat /etc/resolv.conf >"$tree/etc/resolv.conf"
	apt-config dump | grep '^Acquire::' >"$tree/etc/apt/apt.conf.d/90host" || true
	cat >>"$tree/etc/apt/apt.conf.d/90host" <<-END
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		Binary::apt-get::APT::Keep-Downloaded-Packages "true";
	END
	printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
	chmod +x "$tree/usr/sbin/policy-rc.d"
}

# add_suite SUITE URI
add_suite()
{
	printf 'deb %s %s main\n' "$2" "$1" >"$tree/etc/apt/sources.list.d/$1.list"
	inside apt-get update -q
}

# Packages that were fetched before are not fetched again. rpm wants its root to be a mount.
mount_tree()
{
	as_caller mkdir -p "$archives/partial"
	mount --bind "$tree" "$tree"
	mount --bind "$archives" "$tree/var/cache/apt/archives"
	mount -t proc proc "$tree/proc"
	mount -t devpts devpts "$tree/dev/pts"
}

# The archive of security updates comes later, and with it the update of the kernel.
make_tree()
{
	local uri

	uri=$(mirror) || die "apt knows no Debian mirror"
	rm -rf --one-file-system "$tree"
	as_caller mkdir -p "$work" "$archives"
	debootstrap --variant=minbase --include=ca-certificates --keyring="$keyring" \
		--cache-dir="$archives" "$suite" "$tree" "$uri"
	configure_tree
	mount_tree
	add_suite "$newest_suite" "$uri"
	inside apt-get install -y -q linux-image-amd64
}

# as_booted KERNEL COMMAND...: as on a machine with a supported processor that has booted this
# kernel. modprobe prints what it would load.
as_booted()
{
	local kernel=$1 proc=$work/proc
	# Of inside.
	# shellcheck disable=SC2016
	local isolated=(unshare --mount sh -c 'mount --bind "$0" "$1/proc" && shift && exec "$@"'
		"$proc" "$tree")
	shift

	mkdir -p "$proc/sys/kernel" "$proc/self"
	printf '%s\n' 'vendor_id : GenuineIntel' 'cpu family : 6' 'model : 62' 'flags : msr' \
		>"$proc/cpuinfo"
	printf '%s\n' "$kernel" >"$proc/sys/kernel/osrelease"
	printf 'CapEff:\tffffffffffffffff\n' >"$proc/self/status"
	touch "$proc/modules" "$proc/cmdline"
	inside env MODPROBE_OPTIONS="--dry-run --verbose --set-version=$kernel" "$@"
}

newest_kernel()
{
	find "$tree/lib/modules" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort --version-sort |
		tail -n 1
}

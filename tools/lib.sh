# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Functions of all scripts: messages (on stderr, because stdout carries results) and
# queries of a configured kernel tree.

# Debian keeps depmod in a directory that is not in the PATH of a plain user.
PATH=$PATH:/usr/sbin:/sbin

say()
{
	printf '%s\n' "$*" >&2
}

step()
{
	printf '==> %s\n' "$*" >&2
}

# die WHAT [HOW-TO-MEND]...
die()
{
	printf 'error: %s\n' "$1" >&2
	shift
	[ $# -eq 0 ] || printf '       %s\n' "$@" >&2
	exit 1
}

is_configured()
{
	[ -e "$1/include/config/auto.conf" ]
}

# option KDIR NAME: the value of CONFIG_NAME without quotes, or nothing.
option()
{
	sed -n "s/^CONFIG_$2=//p" "$1/include/config/auto.conf" | tr -d '"'
}

# linux_tarball DEB NAME: prints the source inside that package of Debian.
linux_tarball()
{
	dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/$2.tar.xz"
}

# apart COMMAND...: runs a command without the job server and options of a calling make.
apart()
{
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u MAKEOVERRIDES "$@"
}

# kernel_make ARGUMENT...: make of a kernel tree.
kernel_make()
{
	apart make --no-print-directory -j"$(nproc)" "$@"
}

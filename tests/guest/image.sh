#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# image.sh SYSROOT KDIR: packs the guest's user space, and the modules that come
# with its kernel, into an initramfs of the cache, and prints its path. What
# changes from build to build is a second archive: initrd-add.sh.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
# shellcheck source=tests/guest/guest-binaries.sh
. "$here/guest-binaries.sh"

sysroot=$1 kdir=$2
image=$cache/image/$(key "$sysroot" "$kdir" \
	"$(cat "$here/image.sh" "$here/guest-binaries.sh" "$here"/debuginfod/*)").cpio

# Links for the applets; a program of its own wins over an applet.
busybox()
{
	local applet

	cp "$sysroot/usr/bin/busybox" "$1/bin"
	for applet in $("$1/bin/busybox" --list); do
		[ -e "$1/bin/$applet" ] || ln -s busybox "$1/bin/$applet"
	done
}

fill()
{
	local root=$1 list name

	mkdir -p "$root"/{bin,dev,etc,lib/modules,lib64,proc,root,run,sys,tmp} \
		"$root/$libraries" "$root/usr/share/misc"
	ln -s bin "$root/sbin"
	ln -s ../bin "$root/usr/bin"
	cp -t "$root/bin" "${programs[@]/#/$sysroot/}"
	list=$(needed "$sysroot" "${programs[@]}")
	for name in $list; do
		copy_library "$sysroot" "$name" "$root"
	done
	cp -L "$sysroot/lib64/ld-linux-x86-64.so.2" "$root/lib64"
	cp "$sysroot/usr/share/misc/pci.ids" "$root/usr/share/misc"
	# That of busybox knows no "install" lines. Its shell takes it for "modprobe" without a path.
	ln -s kmod "$root/bin/modprobe"
	busybox "$root"
	find "$kdir/" -name '*.ko' -exec cp -t "$root/lib/modules" {} +
	# Those of a stock kernel are listed for modprobe, too.
	[ ! -e "$kdir/lib/modules" ] || cp -r -t "$root/lib" "$kdir/lib/modules"
}

build()
{
	local work

	step "packing the guest's user space"
	work=$(mktemp -d)
	# shellcheck disable=SC2064
	trap "rm -rf '$work'" EXIT
	fill "$work/root"
	mkdir -p "$(dirname "$image")"
	pack "$work/root" "$image.$$"
	mv "$image.$$" "$image"
}

if ! [ -e "$image" ]; then
	lock "image-$(basename "$image")"
	[ -e "$image" ] || build
fi
printf '%s\n' "$image"

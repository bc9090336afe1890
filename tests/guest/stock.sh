#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# stock.sh SERIES: fetches the newest stock kernel of a Debian into the cache, and prints
# the directory of its headers, which has the parts of a build directory that are used:
# the image, and below lib/modules the modules that the guest needs. SERIES is newest for
# the backports of Debian 13, debian11, debian12 or debian13 for those releases, or next
# for experimental. The status is 77 if the archive does not answer.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"

series=$1
# The channel to the host, and the tested drivers.
modules=(virtio_pci virtio_console intel_uncore msr)
# The kernel's packages, and libraries of the programs that build modules.
packages='linux-[a-z]+-[0-9].*|libc6|libelf1.*|libzstd1|zlib1g'

case $series in
	newest) ;;
	debian11) export apt_suites='bullseye bullseye-security' ;;
	debian12) export apt_suites='bookworm bookworm-security' ;;
	debian13) export apt_suites='trixie trixie-security' ;;
	next) export apt_suites='sid experimental' ;;
	*) die "there is no stock kernel of '$series'" \
		"KERNEL_SERIES can be newest, debian11, debian12, debian13 or next" ;;
esac

# Keeps the modules that the guest needs, decompressed, in the headers' directory.
keep_modules()
{
	local to=$kdir/lib/modules/$release

	depmod -b "$root" "$release"
	rm -rf "$to"
	mkdir -p "$to"
	modprobe -d "$root" -S "$release" --show-depends --all "${modules[@]}" |
		sed -n 's/^insmod //p' | sort -u | xargs cp -t "$to"
	find "$to" -name '*.ko.xz' -exec xz --decompress {} +
	cp -t "$to" "$root/usr/lib/modules/$release"/modules.{order,builtin,builtin.modinfo}
	cp "$kdir/.config" "$to/config"
	depmod -b "$kdir" "$release"
}

# The packages name their places on a system that they are installed on, and the kernel's
# compiler, which the host may not have, with options that an older one lacks. Without
# vmlinux modules get no BTF, for which the host would need the kernel's pahole.
relocate()
{
	sed -i "s|\([= ]\)/usr/src|\1$root/usr/src|" "$kdir/Makefile"
	# shellcheck disable=SC2016 # An expression of make.
	sed -i 's/^CC = .*\(gcc-[0-9]*\)$/CC := $(or $(shell command -v \1),gcc)/' \
		"$kdir/.kernelvariables"
	sed -i '/CONFIG_CC_HAS_\(MIN_FUNCTION_ALIGNMENT\|COUNTED_BY\)/d' \
		"$kdir"/include/{config/auto.conf,generated/autoconf.h}
	rm -f "$kdir/vmlinux"
}

# Starts the programs of linux-kbuild with the C library of their release, which may be
# newer than the host's.
wrap_programs()
{
	local file program libraries=$root/usr/lib/x86_64-linux-gnu

	find "$root"/usr/lib/linux-kbuild-*/ -type f -perm -100 ! -name '*.real-*' ! -name '*.elf' |
		while read -r file; do
		[ "$(head -c 4 "$file")" = $'\x7fELF' ] || continue
		# Debian's own choice of a program for a target.
		program=$(compgen -G "$file.real-[lx]*" | grep -E 'lsb-64|x86' || true)
		if [ -z "$program" ]; then
			program=$file.elf
			mv "$file" "$program"
		fi
		printf '#!/bin/sh\nexec %q --library-path %q %q "$@"\n' \
			"$libraries/ld-linux-x86-64.so.2" "$libraries" "$program" >"$file"
		chmod +x "$file"
	done
}

prepare()
{
	local image

	step "preparing the stock kernel $release"
	image=$(find "$root" -name 'vmlinuz*' | sed -n 1p)
	install -D -m 644 "$image" "$kdir/arch/x86/boot/bzImage"
	relocate
	wrap_programs
	keep_modules
	mark_complete "$kdir"
	rm -r "$root/usr/lib/modules"
}

root=$(only=$packages "$here/../../tools/build/sysroot.sh" "stock-$series" \
	linux-image-amd64 linux-headers-amd64)
kdir=$(compgen -G "$root/usr/src/linux-headers-*-amd64")
release=${kdir##*linux-headers-}
if ! is_complete "$kdir"; then
	lock "stock-$series"
	is_complete "$kdir" || prepare
fi
printf '%s\n' "$kdir"
